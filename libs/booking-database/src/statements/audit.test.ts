import { refundRequestedSchema } from '@seatlog/booking';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  cancelled,
  created,
  databaseFixture,
  orderOf,
  seat,
  type DatabaseFixture,
} from '../testing/database-fixture.ts';
import { audit, ordersWithoutOutcome } from './audit.ts';
import { recordRefunds } from './record-refunds.ts';

describe('the audit', () => {
  let fixture: DatabaseFixture;
  const [sold, other, givenBack] = [orderOf('ann', 1, 1, 2), orderOf('bob', 1, 3), orderOf('eve', 1, 4)];
  beforeAll(async () => {
    fixture = await databaseFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    await fixture.reset();
    const late = orderOf('dan', 2, 3);
    await fixture.apply(...[sold, other, givenBack, late].flatMap(created), ...cancelled(givenBack));
    const rows = await fixture.database.deleteFrom('outbox').returning('payload').execute();
    await recordRefunds(
      fixture.database,
      'notifier',
      rows.map((row) => refundRequestedSchema.parse(row.payload)),
    );
  });

  const violations = async () => {
    const report = await audit(fixture.database);
    return Object.fromEntries(Object.entries(report.violations).filter(([, count]) => count !== 0));
  };

  it('finds nothing where all is well, and counts', async () => {
    expect(await violations()).toEqual({});
    expect((await audit(fixture.database)).totals).toEqual({
      seats: 500,
      sold: 3,
      free: 497,
      confirmedOrders: 2,
      rejectedOrders: 1,
      cancelledOrders: 1,
      lateRejections: 1,
      refunds: 2,
    });
  });

  it('names the orders that were accepted and came to nothing', async () => {
    const lost = orderOf('zoe', 9, 9).orderId;
    expect(await ordersWithoutOutcome(fixture.database, [sold.orderId, lost, givenBack.orderId])).toEqual([
      lost,
    ]);
  });

  // Each of these does the damage that one check is for: a check that cannot fail asserts nothing.
  const damages = [
    [
      'a seat sold twice',
      `DROP INDEX reservations_one_live_per_seat;
       INSERT INTO reservations (id, order_id, event_id, seat_id, user_id, epoch, status, price, currency, occurred_at)
       SELECT gen_random_uuid(), order_id, event_id, seat_id, user_id, 9, status, price, currency, occurred_at
       FROM reservations WHERE seat_id = '${seat(3)}' AND status = 'CONFIRMED'`,
      { doubledSeats: 1, brokenOrders: 1 },
    ],
    [
      'a seat sold that is not there',
      `UPDATE reservations SET seat_id = 'gala:Z-9-9' WHERE seat_id = '${seat(3)}' AND status = 'CONFIRMED'`,
      { soldUnknownSeats: 1 },
    ],
    [
      'a stale epoch let in',
      `UPDATE reservations SET recorded_at = recorded_at + interval '1 s' WHERE seat_id = '${seat(3)}' AND epoch = 1`,
      { staleSales: 1 },
    ],
    [
      'an order that hangs',
      `UPDATE orders SET status = 'PENDING' WHERE id = '${sold.orderId}'`,
      { pendingOrders: 1 },
    ],
    [
      'a seat of a confirmed order lost',
      `DELETE FROM reservations WHERE seat_id = '${seat(1)}'`,
      { brokenOrders: 1 },
    ],
    [
      'a refund lost',
      `DELETE FROM refunds WHERE reservation_id IN (SELECT id FROM reservations WHERE status = 'CANCELLED')`,
      { missingRefunds: 1 },
    ],
    [
      'a refund for a seat that was kept',
      `INSERT INTO refunds (id, reservation_id, order_id, user_id, seat_id, amount, currency, reason, requested_at)
       SELECT id, id, order_id, user_id, seat_id, price, currency, 'BUYER', now()
       FROM reservations WHERE seat_id = '${seat(1)}'`,
      { wrongRefunds: 1 },
    ],
    [
      'a message that nobody published',
      `INSERT INTO outbox (message_id, topic, record_key, payload) VALUES (gen_random_uuid(), 't', 'k', '{}')`,
      { outboxMessages: 1 },
    ],
    [
      'a record that was parked',
      `INSERT INTO parked_records (topic, partition, record_offset, code, message, attempts)
       VALUES ('t', 0, 0, 'c', 'm', 1)`,
      { parkedRecords: 1 },
    ],
  ] as const;

  it.each(damages)('negative control: sees %s', async (_, damage, expected) => {
    await sql.raw(damage).execute(fixture.database);
    try {
      expect(await violations()).toEqual(expected);
    } finally {
      await fixture.reset();
      await sql`CREATE UNIQUE INDEX IF NOT EXISTS reservations_one_live_per_seat ON reservations (seat_id)
        WHERE status = 'CONFIRMED'`.execute(fixture.database);
    }
  });
});
