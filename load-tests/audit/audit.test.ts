import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Action, EVENT_ID, factsOf, type Sale, seatIdOf } from '../testing/sale.ts';
import { audit } from './audit.ts';
import type { AuditFacts, DatabaseFacts, LogFacts, ReservationFact } from './facts.ts';
import type { Rule } from './violation.ts';

const buy = (
  buyer: number,
  seats: readonly number[],
  options: { barge?: boolean; repeated?: boolean } = {},
): Action => ({
  kind: 'buy',
  buyer,
  seats,
  barge: options.barge ?? false,
  repeated: options.repeated ?? false,
});
const cancel = (order: number): Action => ({ kind: 'cancel', order });

/** Seat 1 goes from buyer 1, who gives it back, to buyer 2; 3 and 4 are an order; 5 is wanted by two; 6 is free. */
const story: Sale = {
  seatCount: 6,
  actions: [
    buy(1, [1]),
    buy(3, [3, 4], { repeated: true }),
    cancel(0),
    buy(2, [1]),
    buy(4, [5]),
    buy(5, [5]),
    buy(6, [5], { barge: true }),
  ],
  turns: [0],
};

const sound = factsOf(story);
const found = (facts: AuditFacts): readonly Rule[] =>
  [...new Set(audit(facts).violations.map((one) => one.rule))].toSorted();
const withDatabase = (change: Partial<DatabaseFacts>): AuditFacts => ({
  ...sound,
  database: { ...sound.database, ...change },
});
const withLog = (change: Partial<LogFacts>): AuditFacts => ({ ...sound, log: { ...sound.log, ...change } });

function rowOf(buyer: number, seat: number): ReservationFact {
  const row = sound.database.reservations.find(
    (one) => one.userId === `buyer-${buyer}` && one.seatId === seatIdOf(seat),
  );
  if (row === undefined) throw new Error(`no row of buyer ${buyer} and seat ${seat}`);
  return row;
}

const { reservations, orders, refunds } = sound.database;
const replaced = (row: ReservationFact, change: Partial<ReservationFact>): readonly ReservationFact[] =>
  reservations.map((one) => (one === row ? { ...one, ...change } : one));

describe('audit of a sound sale', () => {
  it('finds nothing, and counts', () => {
    const report = audit(sound);
    expect(report.violations).toEqual([]);
    expect(report).toMatchObject({
      ok: true,
      figures: { confirmed: 4, cancelled: 1, rejected: 1, refunded: 2, seats: 6, orders: 5 },
    });
  });

  it('finds nothing in whatever way a sale may go', () => {
    const action = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('buy' as const),
          buyer: fc.integer({ min: 1, max: 8 }),
          seats: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 3 }),
          barge: fc.boolean(),
          repeated: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), order: fc.nat(20) }) },
    );
    const sale = fc.record({
      seatCount: fc.constant(8),
      actions: fc.array(action, { maxLength: 40 }),
      turns: fc.array(fc.nat(2), { minLength: 1, maxLength: 20 }),
    });
    fc.assert(
      fc.property(sale, (one) => {
        expect(audit(factsOf(one)).violations).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('does not need a journal', () => {
    expect(audit({ ...sound, journal: null }).violations).toEqual([]);
  });
});

describe('audit of a damaged sale', () => {
  it('finds a row that was deleted', () => {
    const gone = rowOf(2, 1);
    expect(found(withDatabase({ reservations: reservations.filter((row) => row !== gone) }))).toEqual([
      'accepted-lost',
      'event-without-row',
      'order-inconsistent',
      'redis-differs',
    ]);
  });

  it('finds a seat that was sold twice', () => {
    const second = { ...rowOf(6, 5), status: 'CONFIRMED' as const, reason: null };
    expect(found(withDatabase({ reservations: replaced(rowOf(6, 5), second) }))).toContain('double-sold');
  });

  it('finds a row that was doubled', () => {
    expect(found(withDatabase({ reservations: [...reservations, rowOf(1, 1)] }))).toContain('row-doubled');
  });

  it('finds an event that was lost from the log', () => {
    const { source } = rowOf(2, 1);
    const reservationEvents = sound.log.reservationEvents.filter(
      (event) => event.partition !== source?.partition || event.offset !== source.offset,
    );
    expect(found(withLog({ reservationEvents }))).toEqual(['accepted-not-in-log', 'row-without-event']);
  });

  it('does not take what retention has deleted for lost', () => {
    const { partition, offset } = rowOf(4, 5).source ?? { partition: 0, offset: 0 };
    const reservationEvents = sound.log.reservationEvents.filter(
      (event) => event.partition !== partition || event.offset > offset,
    );
    const firstOffsets = new Map([...sound.log.firstOffsets, [partition, offset + 1] as const]);
    expect(found(withLog({ reservationEvents, firstOffsets }))).toEqual([]);
  });

  it('finds a resale that stands before the giving back in the log', () => {
    const given = sound.log.reservationEvents.find(({ value }) => value.type === 'ReservationCancelled');
    const sold = rowOf(2, 1).source;
    if (given === undefined || sold === null) throw new Error('the story has both');
    const moved = (at: number): number =>
      at === given.offset ? sold.offset : at === sold.offset ? given.offset : at;
    const swappedEvents = sound.log.reservationEvents.map((event) =>
      event.partition === given.partition ? { ...event, offset: moved(event.offset) } : event,
    );
    const rows = replaced(rowOf(2, 1), { source: { ...sold, offset: given.offset } });
    const facts = withLog({ reservationEvents: swappedEvents });
    expect(found({ ...facts, database: { ...facts.database, reservations: rows } })).toEqual([
      'order-swapped',
    ]);
  });

  it('finds rows that tell of each other’s records', () => {
    const [one, two] = [rowOf(4, 5), rowOf(6, 5)];
    const rows = reservations.map((row) =>
      row === one ? { ...row, source: two.source } : row === two ? { ...row, source: one.source } : row,
    );
    expect(found(withDatabase({ reservations: rows }))).toEqual(['order-swapped', 'row-without-event']);
  });

  it('finds a refusal that came before the sale it gives as its reason', () => {
    const [one, two] = [rowOf(4, 5), rowOf(6, 5)];
    const rows = reservations.map((row) =>
      row === one
        ? { ...row, status: 'REJECTED' as const, reason: 'SEAT_SOLD' as const }
        : row === two
          ? { ...row, status: 'CONFIRMED' as const, reason: null }
          : row,
    );
    expect(found(withDatabase({ reservations: rows }))).toContain('order-swapped');
  });

  it('finds an epoch that does not rise', () => {
    expect(found(withDatabase({ reservations: replaced(rowOf(2, 1), { epoch: 1 }) }))).toEqual([
      'epoch-not-rising',
    ]);
  });

  it('finds a seat that does not exist', () => {
    expect(found(withDatabase({ seatIds: sound.database.seatIds.slice(1) }))).toContain('unknown-seat');
  });

  it('finds a cancellation that had no effect', () => {
    const back = replaced(rowOf(1, 1), { status: 'CONFIRMED', reason: null });
    const again = orders.map((order) =>
      order.userId === 'buyer-1' ? { ...order, status: 'CONFIRMED' as const } : order,
    );
    expect(found(withDatabase({ reservations: back, orders: again }))).toEqual(
      expect.arrayContaining(['cancellation-lost', 'event-without-row', 'double-sold', 'refund-unfounded']),
    );
  });

  it('finds orders that have not ended, or not as their seats did', () => {
    const changed = (status: 'PENDING' | 'CANCELLED' | 'CONFIRMED', buyer: number) =>
      withDatabase({
        orders: orders.map((one) => (one.userId === `buyer-${buyer}` ? { ...one, status } : one)),
      });
    expect(found(changed('PENDING', 3))).toEqual(['order-unfinished']);
    expect(found(changed('CANCELLED', 3))).toEqual(['order-inconsistent']);
    expect(found(changed('CONFIRMED', 6))).toEqual(['order-inconsistent']);
    expect(found(withDatabase({ orders: orders.slice(1) }))).toEqual(['accepted-lost', 'order-inconsistent']);
  });

  it('finds refunds that are missing, doubled, wrong or not announced', () => {
    const [first] = refunds;
    if (first === undefined) throw new Error('the story has refunds');
    expect(found(withDatabase({ refunds: refunds.slice(1) }))).toEqual(['refund-missing']);
    expect(found(withDatabase({ refunds: [...refunds, first] }))).toEqual(['refund-doubled']);
    const cheap = { ...first, price: { ...first.price, amount: 1 } };
    expect(found(withDatabase({ refunds: [cheap, ...refunds.slice(1)] }))).toEqual(['refund-unfounded']);
    const unasked = { ...first, reservationId: rowOf(2, 1).reservationId };
    expect(found(withDatabase({ refunds: [...refunds, unasked] }))).toEqual(['refund-unfounded']);
    expect(found(withLog({ refundEvents: sound.log.refundEvents.slice(1) }))).toEqual([
      'refund-notice-missing',
    ]);
  });

  it('does not mind a refund that was announced twice', () => {
    expect(found(withLog({ refundEvents: [...sound.log.refundEvents, ...sound.log.refundEvents] }))).toEqual(
      [],
    );
  });

  it('finds what still waits', () => {
    expect(found(withDatabase({ outbox: ['7'] }))).toEqual(['outbox-not-empty']);
    expect(found(withDatabase({ parked: ['7'] }))).toEqual(['parked-record']);
    expect(found(withLog({ deadLetters: [{ partition: 0, offset: 0 }] }))).toEqual(['dead-letter']);
    const lags = [{ group: 'db-writer', topic: 'reservation-events', partition: 1, lag: 3 }];
    expect(audit({ ...sound, lags }).violations).toEqual([
      {
        rule: 'lag',
        message: 'db-writer is 3 records behind on reservation-events-1',
        ids: ['db-writer', 'reservation-events-1'],
      },
    ]);
  });

  it('finds seats about which Redis and Postgres differ', () => {
    const [first] = sound.locks;
    if (first === undefined) throw new Error('the story has sold seats');
    expect(found({ ...sound, locks: sound.locks.slice(1) })).toEqual(['redis-differs']);
    expect(
      found({ ...sound, locks: [{ ...first, reservationId: 'another' }, ...sound.locks.slice(1)] }),
    ).toEqual(['redis-differs']);
    const phantom = { seatId: seatIdOf(6), state: 'SOLD' as const, orderId: 'o', reservationId: 'r' };
    expect(found({ ...sound, locks: [...sound.locks, phantom] })).toEqual(['redis-differs']);
    const underWay = { seatId: seatIdOf(6), state: 'HELD' as const, orderId: 'o', reservationId: null };
    expect(found({ ...sound, locks: [...sound.locks, underWay] })).toEqual([]);
  });

  it('finds a sale to a buyer who was refused, and not one whose answer never came', () => {
    const answered = (outcome: 'refused' | 'unknown'): AuditFacts => ({
      ...sound,
      journal: (sound.journal ?? []).map((entry) =>
        entry.request === 'reserve' && entry.userId === 'buyer-2'
          ? {
              ...entry,
              outcome:
                outcome === 'refused'
                  ? { kind: outcome, status: 402, code: 'PAYMENT_DECLINED' }
                  : { kind: outcome, why: 'timed out' },
            }
          : entry,
      ),
    });
    expect(found(answered('refused'))).toEqual(['sold-without-acceptance']);
    expect(found(answered('unknown'))).toEqual([]);
  });

  it('finds an idempotency key that led to two orders', () => {
    const entry = (sound.journal ?? []).find((one) => one.request === 'reserve' && one.userId === 'buyer-2');
    if (entry?.request !== 'reserve' || entry.outcome.kind !== 'accepted')
      throw new Error('buyer 2 was accepted');
    const { orderId, reservationId } = rowOf(4, 5);
    const reservationIds = [reservationId];
    const second = { ...entry, outcome: { kind: 'accepted' as const, orderId, reservationIds } };
    expect(found({ ...sound, journal: [...(sound.journal ?? []), second] })).toEqual(['key-with-two-orders']);
  });

  it('finds a status that was shown and did not come true', () => {
    const seen = (status: string): AuditFacts => ({
      ...sound,
      journal: [
        ...(sound.journal ?? []),
        {
          at: 1,
          userId: 'buyer-2',
          eventId: EVENT_ID,
          idempotencyKey: '',
          request: 'status',
          orderId: rowOf(2, 1).orderId,
          status,
        },
      ],
    });
    expect(found(seen('CONFIRMED'))).toEqual([]);
    expect(found(seen('PENDING'))).toEqual([]);
    expect(found(seen('REJECTED'))).toEqual(['told-otherwise']);
  });
});
