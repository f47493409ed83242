import { refundRequestedSchema, type RefundRequested } from '@seatlog/booking';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  cancelled,
  created,
  databaseFixture,
  orderOf,
  type DatabaseFixture,
} from '../testing/database-fixture.ts';
import { recordRefunds } from './record-refunds.ts';

describe('recording refunds', () => {
  let fixture: DatabaseFixture;
  beforeAll(async () => {
    fixture = await databaseFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.reset());

  async function requested(...seats: readonly number[]): Promise<RefundRequested[]> {
    const order = orderOf('ann', 1, ...seats);
    await fixture.apply(...created(order), ...cancelled(order));
    const rows = await fixture.database.selectFrom('outbox').select('payload').orderBy('id').execute();
    return rows.map((row) => refundRequestedSchema.parse(row.payload));
  }
  const stored = () => fixture.database.selectFrom('refunds').selectAll().execute();

  it('T6: applies a refund once: in one batch, in two, and by two consumers at once', async () => {
    const refunds = await requested(1, 2, 3);
    const first = await recordRefunds(fixture.database, 'notifier', [...refunds, ...refunds]);
    expect(first.recorded.toSorted()).toEqual(refunds.map((refund) => refund.refundId).toSorted());
    expect(first.duplicates).toBe(3);
    const [second, third] = await Promise.all([
      recordRefunds(fixture.database, 'notifier', refunds),
      recordRefunds(fixture.database, 'notifier', refunds.toReversed()),
    ]);
    expect([second, third]).toEqual([
      { recorded: [], duplicates: 3 },
      { recorded: [], duplicates: 3 },
    ]);
    expect(await stored()).toHaveLength(3);
  });

  it('keeps what the refund is about', async () => {
    const [refund] = await requested(7);
    if (refund === undefined) throw new Error('no refund was requested');
    await recordRefunds(fixture.database, 'notifier', [refund]);
    expect(await stored()).toMatchObject([
      {
        id: refund.refundId,
        reservation_id: refund.reservationId,
        amount: refund.price.amount,
        currency: 'EUR',
        payment_reference: 'pay-ann',
        requested_at: new Date(refund.occurredAt),
      },
    ]);
  });
});
