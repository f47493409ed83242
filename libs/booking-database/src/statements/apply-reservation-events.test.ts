import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  cancelled,
  created,
  databaseFixture,
  NOW,
  orderOf,
  PRICE,
  seat,
  type DatabaseFixture,
} from '../testing/database-fixture.ts';
import { audit } from './audit.ts';
import { applyReservationEvents } from './apply-reservation-events.ts';
import { readOrder } from './read-order.ts';
import { rejectIncompleteOrders } from './reject-incomplete-orders.ts';

describe('applying reservation events', () => {
  let fixture: DatabaseFixture;
  beforeAll(async () => {
    fixture = await databaseFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.reset());

  const statusOf = async (order: { orderId: string }) => {
    const state = await readOrder(fixture.database, order.orderId);
    return state && { status: state.status, seats: state.seats.map((each) => each.status) };
  };
  const outbox = () => fixture.database.selectFrom('outbox').selectAll().orderBy('id').execute();

  it('T3: records an order of one seat, once, however often it comes', async () => {
    const order = orderOf('ann', 1, 1);
    const first = await fixture.apply(...created(order));
    expect(first.decisions).toEqual([{ kind: 'confirm' }]);
    const second = await fixture.apply(...created(order), ...created(order));
    expect(second.decisions).toEqual([
      { kind: 'duplicate', status: 'CONFIRMED' },
      { kind: 'duplicate', status: 'CONFIRMED' },
    ]);
    expect(second.settlements).toEqual(first.settlements);
    expect(first.settlements).toMatchObject([
      { kind: 'sold', seatId: seat(1), orderId: order.orderId, epoch: 1 },
    ]);
    expect(await readOrder(fixture.database, order.orderId)).toMatchObject({
      status: 'CONFIRMED',
      userId: 'ann',
      seats: [{ seatId: seat(1), price: PRICE, source: { partition: 0, offset: 0 } }],
    });
  });

  it('T3: the second buyer of a seat is rejected and refunded, and learns who owns it', async () => {
    const [first, second] = [orderOf('ann', 1, 1), orderOf('bob', 2, 1)];
    const applied = await fixture.apply(...created(first), ...created(second));
    expect(applied.decisions).toEqual([{ kind: 'confirm' }, { kind: 'reject', reason: 'SEAT_SOLD' }]);
    expect(applied.settlements[1]).toMatchObject({
      kind: 'refused',
      owner: { orderId: first.orderId, epoch: 1 },
    });
    expect(await statusOf(second)).toEqual({ status: 'REJECTED', seats: ['REJECTED'] });
    expect(await outbox()).toMatchObject([
      { topic: 'refund-events', record_key: seat(1), payload: { userId: 'bob', reason: 'SEAT_SOLD' } },
    ]);
  });

  it('T4: created, cancelled, created by someone else: in one batch and in three', async () => {
    const [first, second] = [orderOf('ann', 1, 1), orderOf('bob', 2, 1)];
    const story = [...created(first), ...cancelled(first), ...created(second)];
    await fixture.apply(...story);
    const inOne = [await statusOf(first), await statusOf(second)];
    await fixture.reset();
    for (const event of story) await fixture.apply(event);
    expect([await statusOf(first), await statusOf(second)]).toEqual(inOne);
    expect(inOne).toEqual([
      { status: 'CANCELLED', seats: ['CANCELLED'] },
      { status: 'CONFIRMED', seats: ['CONFIRMED'] },
    ]);
    // And the whole story once more, as after a crash before the offsets were committed.
    await fixture.apply(...story);
    expect([await statusOf(first), await statusOf(second)]).toEqual(inOne);
    expect(await outbox()).toHaveLength(1);
  });

  it('F61: a stale epoch is refused although the seat is free', async () => {
    const [late, between] = [orderOf('ann', 1, 1), orderOf('bob', 2, 1)];
    await fixture.apply(...created(between), ...cancelled(between));
    const { decisions } = await fixture.apply(...created(late));
    expect(decisions).toEqual([{ kind: 'reject', reason: 'STALE_EPOCH' }]);
  });

  it('an order is CONFIRMED when its last seat is there', async () => {
    const order = orderOf('ann', 1, 1, 2, 3);
    const [first, ...rest] = created(order);
    if (first === undefined) throw new Error('no event');
    await fixture.apply(first);
    expect(await statusOf(order)).toEqual({ status: 'PENDING', seats: ['CONFIRMED'] });
    await fixture.apply(...rest);
    expect(await statusOf(order)).toEqual({
      status: 'CONFIRMED',
      seats: ['CONFIRMED', 'CONFIRMED', 'CONFIRMED'],
    });
  });

  it('one REJECTED seat takes the whole order with it, whatever comes before and after', async () => {
    const winner = orderOf('ann', 1, 2);
    const order = orderOf('bob', 2, 1, 2, 3);
    const [one, two, three] = created(order);
    if (!one || !two || !three) throw new Error('three events were expected');
    await fixture.apply(...created(winner), one);
    const { settlements } = await fixture.apply(two);
    expect(settlements.map(({ kind, seatId }) => [kind, seatId])).toEqual([
      ['freed', seat(1)],
      ['refused', seat(2)],
    ]);
    const late = await fixture.apply(three);
    expect(late.decisions).toEqual([{ kind: 'compensate', reason: 'ORDER_REJECTED' }]);
    expect(await statusOf(order)).toEqual({
      status: 'REJECTED',
      seats: ['CANCELLED', 'REJECTED', 'CANCELLED'],
    });
    expect(await outbox()).toHaveLength(3);
    // The seats that it gave back can be had.
    const next = await fixture.apply(...created(orderOf('eve', 3, 1, 3)));
    expect(next.decisions.map((decision) => decision.kind)).toEqual(['confirm', 'confirm']);
  });

  it('T6: cancelling changes the row and leaves the refund in the outbox in one transaction', async () => {
    const order = orderOf('ann', 1, 1);
    await fixture.apply(...created(order));
    await sql`ALTER TABLE outbox ADD CONSTRAINT closed CHECK (false) NOT VALID`.execute(fixture.database);
    try {
      await expect(fixture.apply(...cancelled(order))).rejects.toThrow('closed');
      expect(await statusOf(order)).toEqual({ status: 'CONFIRMED', seats: ['CONFIRMED'] });
    } finally {
      await sql`ALTER TABLE outbox DROP CONSTRAINT closed`.execute(fixture.database);
    }
    await fixture.apply(...cancelled(order));
    expect(await statusOf(order)).toEqual({ status: 'CANCELLED', seats: ['CANCELLED'] });
    expect(await outbox()).toMatchObject([
      { payload: { paymentReference: 'pay-ann', price: { amount: PRICE } } },
    ]);
  });

  it('a cancellation that comes before its creation wins', async () => {
    const order = orderOf('ann', 1, 1);
    const early = await fixture.apply(...cancelled(order));
    expect(early.decisions).toEqual([{ kind: 'record-cancelled' }]);
    const late = await fixture.apply(...created(order));
    expect(late.decisions).toEqual([{ kind: 'duplicate', status: 'CANCELLED' }]);
    expect(await outbox()).toHaveLength(1);
  });

  it("someone else's cancellation changes nothing", async () => {
    const order = orderOf('ann', 1, 1);
    await fixture.apply(...created(order));
    const { decisions } = await fixture.apply(...cancelled({ ...order, userId: 'bob' }));
    expect(decisions).toEqual([{ kind: 'ignore', reason: 'NOT_THE_OWNER' }]);
  });

  it('T7: an event of a seat that is not there is unprocessable, and holds up nothing beside it', async () => {
    const odd = orderOf('ann', 1, 501);
    const { decisions } = await fixture.apply(...created(odd), ...created(orderOf('bob', 1, 1)));
    expect(decisions).toEqual([{ kind: 'unprocessable', reason: 'UNKNOWN_SEAT' }, { kind: 'confirm' }]);
    expect(await readOrder(fixture.database, odd.orderId)).toBeNull();
  });

  it('T3: the database itself forbids two live reservations of a seat, whoever inserts them', async () => {
    await fixture.apply(...created(orderOf('ann', 1, 1)));
    const copy = sql`INSERT INTO reservations SELECT gen_random_uuid(), order_id, event_id, seat_id, 'bob', 99, status,
      reason, price, currency, occurred_at FROM reservations`;
    await expect(copy.execute(fixture.database)).rejects.toThrow('reservations_one_live_per_seat');
  });

  it('two workers with the same events, and orders across both, neither double nor deadlock', async () => {
    const orders = Array.from({ length: 40 }, (_, index) =>
      orderOf(`u${index}`, index + 1, index + 1, index + 2, 42),
    );
    const events = orders.flatMap(created);
    const forwards = events.filter((_, index) => index % 2 === 0).map((event) => ({ event, source: null }));
    const backwards = events.toReversed().map((event) => ({ event, source: null }));
    const chunk = <T>(list: readonly T[]) =>
      Array.from({ length: 12 }, (_, at) => list.slice(at * 10, at * 10 + 10));
    const run = async (list: readonly (typeof forwards)[]) => {
      for (const part of list) await applyReservationEvents(fixture.database, part, { now: NOW });
    };
    await Promise.all([run(chunk(forwards)), run(chunk(backwards)), run(chunk(backwards))]);
    const { violations, totals } = await audit(fixture.database);
    expect(violations).toMatchObject({ doubledSeats: 0, staleSales: 0, pendingOrders: 0, brokenOrders: 0 });
    // All of them want seat 42: one order at most can have been served.
    expect(totals.confirmedOrders).toBeLessThanOrEqual(1);
    expect(totals.confirmedOrders + totals.rejectedOrders).toBe(40);
    expect(violations.outboxMessages).toBe(120 - totals.sold);
  });

  it('gives up on an order whose missing seats do not come, and refunds all of it', async () => {
    const order = orderOf('ann', 1, 1, 2);
    const [first, second] = created(order);
    if (first === undefined || second === undefined) throw new Error('two events were expected');
    await fixture.apply(first);
    const sweep = (olderThanMs: number) =>
      rejectIncompleteOrders(fixture.database, { olderThanMs, limit: 10, now: NOW });
    expect((await sweep(60_000)).orderIds).toEqual([]);
    const { orderIds, settlements } = await sweep(0);
    expect(orderIds).toEqual([order.orderId]);
    expect(settlements.map(({ kind, seatId }) => [kind, seatId])).toEqual([
      ['freed', seat(1)],
      ['refused', seat(2)],
    ]);
    expect((await outbox()).map((row) => row.payload)).toMatchObject([
      { seatId: seat(2), reason: 'INCOMPLETE', paymentReference: 'pay-ann' },
      { seatId: seat(1), reason: 'ORDER_REJECTED' },
    ]);
    expect((await fixture.apply(second)).decisions).toEqual([{ kind: 'duplicate', status: 'REJECTED' }]);
    expect((await sweep(0)).orderIds).toEqual([]);
  });
});
