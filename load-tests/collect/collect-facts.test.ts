import {
  applyReservationEvents,
  type BookingDatabase,
  claimOutbox,
  deleteFromOutbox,
  migrate,
  openDatabase,
  readLiveReservations,
  recordRefunds,
  seedEvent,
} from '@seatlog/booking-database';
import { refundRequestedSchema } from '@seatlog/booking';
import { type TestServices, testServices } from '@seatlog/local-stack';
import { SeatLock } from '@seatlog/seat-lock';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { audit } from '../audit/audit.ts';
import type { Rule } from '../audit/violation.ts';
import { appliedEvents, EVENT_ID, factsOf, seatIdOf, type Sale } from '../testing/sale.ts';
import { collectDatabase } from './database-facts.ts';
import { collectLocks } from './lock-facts.ts';

const order = (buyer: number, seats: readonly number[], barge = false) =>
  ({ kind: 'buy', buyer, seats, barge, repeated: true }) as const;

/** Seat 1 is given back and sold anew; 5 is sold and refused to another. */
const sale: Sale = {
  seatCount: 6,
  actions: [
    order(1, [1]),
    order(3, [3, 4]),
    { kind: 'cancel', order: 0 },
    order(2, [1]),
    order(4, [5]),
    order(6, [5], true),
  ],
  turns: [0, 1, 2],
};
const told = factsOf(sale);

async function writeSale(database: BookingDatabase): Promise<void> {
  const sections = [{ name: 'A', rows: 1, seatsPerRow: sale.seatCount, price: 4_500 }];
  const startsAt = new Date('2030-01-01T00:00:00Z');
  await seedEvent(database, { eventId: EVENT_ID, name: 'Gala', startsAt, currency: 'EUR', sections });
  for (const { value, partition, offset } of appliedEvents(sale)) {
    await applyReservationEvents(database, [{ event: value, source: { partition, offset } }], { now: 5_000 });
  }
  const messages = await claimOutbox(database, { claimant: 'test', limit: 100, leaseMs: 60_000 });
  await recordRefunds(
    database,
    'test',
    messages.map((message) => refundRequestedSchema.parse(message.payload)),
  );
  await deleteFromOutbox(
    database,
    'test',
    messages.map((message) => message.id),
  );
}

/** Its commands may take as long as a busy machine needs. */
function seatLock(url: string): Promise<SeatLock> {
  return SeatLock.connect({ url, clientName: 'test', lockTtlMs: 1_000, commandTimeoutMs: 60_000 });
}

describe('facts from servers', () => {
  let services: TestServices;
  let client: pg.Client;

  beforeEach(async () => {
    services = await testServices({
      template: { name: 'ticketing', prepare: async (url) => void (await migrate(url)) },
    });
    const database = openDatabase({ url: services.databaseUrl, applicationName: 'test' });
    await writeSale(database);
    const locks = await seatLock(services.redisUrl);
    const seatIds = told.database.seatIds;
    await locks.reconcile(EVENT_ID, seatIds, () => readLiveReservations(database, EVENT_ID));
    await locks.close();
    await database.destroy();
    client = new pg.Client({ connectionString: services.databaseUrl });
    await client.connect();
    return async () => {
      await client.end();
      await services.stop();
    };
  });

  async function found(): Promise<readonly Rule[]> {
    const database = await collectDatabase(services.databaseUrl);
    const locks = await collectLocks(services.redisUrl, database.seatIds);
    const { violations } = audit({ ...told, database, locks });
    return [...new Set(violations.map((one) => one.rule))].toSorted();
  }

  it('are those of a sound sale, as the rule book foretells it', async () => {
    const database = await collectDatabase(services.databaseUrl);
    const byId = (rows: readonly { readonly reservationId: string }[]): readonly unknown[] =>
      rows.toSorted((a, b) => a.reservationId.localeCompare(b.reservationId));
    const without = told.database.reservations.map(
      ({ reservationId, orderId, seatId, userId, epoch, status, reason, price, source }) => ({
        reservationId,
        orderId,
        seatId,
        userId,
        epoch,
        status,
        reason,
        price,
        source,
      }),
    );
    expect(byId(database.reservations)).toEqual(byId(without));
    expect(byId(database.refunds)).toEqual(byId(told.database.refunds));
    expect(database.seatIds.toSorted()).toEqual(told.database.seatIds.toSorted());
    expect(await found()).toEqual([]);
  });

  it('show a row that was deleted', async () => {
    await client.query('DELETE FROM reservations WHERE seat_id = $1 AND user_id = $2', [
      seatIdOf(1),
      'buyer-2',
    ]);
    expect(await found()).toEqual([
      'accepted-lost',
      'event-without-row',
      'order-inconsistent',
      'redis-differs',
    ]);
  });

  it('show a seat that was sold twice, for which the unique index has to go', async () => {
    const doubled = `INSERT INTO reservations
      SELECT gen_random_uuid(), order_id, event_id, seat_id, user_id, epoch + 1, status, reason, price, currency, occurred_at,
             source_partition, source_offset FROM reservations WHERE seat_id = $1 AND status = 'CONFIRMED'`;
    await expect(client.query(doubled, [seatIdOf(5)])).rejects.toThrow('reservations_one_live_per_seat');
    await client.query('DROP INDEX reservations_one_live_per_seat');
    await client.query(doubled, [seatIdOf(5)]);
    expect(await found()).toContain('double-sold');
  });

  it('show events that were applied in another order than the log has them', async () => {
    await client.query(
      `UPDATE reservations AS one SET source_offset = other.source_offset FROM reservations AS other
       WHERE one.seat_id = $1 AND other.seat_id = $1 AND one.id <> other.id`,
      [seatIdOf(5)],
    );
    expect(await found()).toEqual(['order-swapped', 'row-without-event']);
  });

  it('show a message that waits, and a refund that is missing', async () => {
    await client.query(
      `INSERT INTO outbox (message_id, topic, record_key, payload) VALUES (gen_random_uuid(), 't', 'k', '{}')`,
    );
    await client.query(`DELETE FROM refunds WHERE seat_id = $1`, [seatIdOf(5)]);
    expect(await found()).toEqual(['outbox-not-empty', 'refund-missing']);
  });

  it('show a seat that is free in Redis and sold in Postgres', async () => {
    const locks = await seatLock(services.redisUrl);
    await locks.reconcile(EVENT_ID, told.database.seatIds, () => Promise.resolve([]));
    await locks.close();
    expect(await found()).toEqual(['redis-differs']);
  });
});
