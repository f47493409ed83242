import { beforeEach, describe, expect, it } from 'vitest';
import { orderIdOf } from './identifiers.ts';
import { reservationCancelledEvents, reservationCreatedEvents, type PlacedOrder } from './order-request.ts';
import type { ReservationEvent } from './reservation-events.ts';
import { NOW, ReservationStore } from './testing/reservation-store.ts';

const SEATS = ['gala:A-1-1', 'gala:A-1-2', 'gala:A-1-3'];
const [FIRST, SECOND, THIRD] = SEATS as [string, string, string];

function orderOf(userId: string, epoch: number, ...seatIds: readonly string[]): PlacedOrder {
  const orderId = orderIdOf({ userId, eventId: 'gala', idempotencyKey: seatIds.join() });
  const seats = seatIds.map((seatId) => ({ seatId, epoch, amount: 4500 }));
  return { orderId, eventId: 'gala', userId, currency: 'EUR', seats };
}

function created(order: PlacedOrder): ReservationEvent[] {
  const payment = { paymentReference: `pay-${order.userId}`, lockedUntil: NOW, occurredAt: NOW };
  return reservationCreatedEvents(order, payment);
}

function cancelled(order: PlacedOrder): ReservationEvent[] {
  return reservationCancelledEvents(order, NOW);
}

describe('the rule book', () => {
  let store: ReservationStore;
  beforeEach(() => {
    store = new ReservationStore(SEATS);
  });

  const decide = (...events: readonly ReservationEvent[]) =>
    store.apply(...events).decisions.map((decision) => {
      if ('reason' in decision) return `${decision.kind} ${decision.reason}`;
      return 'status' in decision ? `${decision.kind} ${decision.status}` : decision.kind;
    });
  const [ann, bob] = [orderOf('ann', 1, FIRST), orderOf('bob', 2, FIRST)];

  // One line for each path through `decide`.
  const paths: [string, readonly ReservationEvent[], readonly string[]][] = [
    ['first come', [...created(ann)], ['confirm']],
    ['twice the same', [...created(ann), ...created(ann)], ['confirm', 'duplicate CONFIRMED']],
    ['a seat that is sold', [...created(ann), ...created(bob)], ['confirm', 'reject SEAT_SOLD']],
    [
      'the refused one again',
      [...created(ann), ...created(bob), ...created(bob)],
      ['confirm', 'reject SEAT_SOLD', 'duplicate REJECTED'],
    ],
    ['given back', [...created(ann), ...cancelled(ann)], ['confirm', 'cancel']],
    [
      'given back twice',
      [...created(ann), ...cancelled(ann), ...cancelled(ann)],
      ['confirm', 'cancel', 'ignore ALREADY_CANCELLED'],
    ],
    [
      'redelivered after it was given back',
      [...created(ann), ...cancelled(ann), ...created(ann)],
      ['confirm', 'cancel', 'duplicate CANCELLED'],
    ],
    [
      'given back, then sold again',
      [...created(ann), ...cancelled(ann), ...created(bob)],
      ['confirm', 'cancel', 'confirm'],
    ],
    [
      'cancelling what was refused',
      [...created(ann), ...created(bob), ...cancelled(bob)],
      ['confirm', 'reject SEAT_SOLD', 'ignore ALREADY_REJECTED'],
    ],
    [
      'cancelled before created',
      [...cancelled(ann), ...created(ann)],
      ['record-cancelled', 'duplicate CANCELLED'],
    ],
    [
      'F61: stale',
      [...created(bob), ...cancelled(bob), ...created(ann)],
      ['confirm', 'cancel', 'reject STALE_EPOCH'],
    ],
    [
      'stale, after a refusal',
      [...created(ann), ...created(bob), ...cancelled(ann), ...created(orderOf('eve', 1, FIRST))],
      ['confirm', 'reject SEAT_SOLD', 'cancel', 'reject STALE_EPOCH'],
    ],
    [
      'cancelling under an older lock',
      [...created(bob), ...cancelled({ ...bob, seats: ann.seats })],
      ['confirm', 'ignore STALE_EPOCH'],
    ],
    [
      'cancelling by another user',
      [...created(ann), ...cancelled({ ...ann, userId: 'bob' })],
      ['confirm', 'ignore NOT_THE_OWNER'],
    ],
    [
      'a seat that is not there',
      [...created(orderOf('ann', 1, 'gala:Z-1-1'))],
      ['unprocessable UNKNOWN_SEAT'],
    ],
  ];

  it.each(paths)('%s', (_, events, expected) => {
    expect(decide(...events)).toEqual(expected);
    const inOne = [...store.reservations.values()];
    // In a batch or one by one: the same.
    store = new ReservationStore(SEATS);
    expect(events.flatMap((event) => decide(event))).toEqual(expected);
    expect([...store.reservations.values()]).toEqual(inOne);
  });

  it('refunds each reservation that ended, once, with the reason and the payment', () => {
    decide(...created(ann), ...created(bob), ...created(bob), ...cancelled(ann), ...cancelled(ann));
    expect(store.refunds).toMatchObject([
      {
        userId: 'bob',
        reason: 'SEAT_SOLD',
        paymentReference: 'pay-bob',
        price: { amount: 4500, currency: 'EUR' },
      },
      { userId: 'ann', reason: 'BUYER', paymentReference: 'pay-ann' },
    ]);
    expect(new Set(store.refunds.map((refund) => refund.refundId)).size).toBe(2);
  });

  it('takes an order of many seats down with the first that is refused', () => {
    const order = orderOf('eve', 5, FIRST, SECOND, THIRD);
    decide(...created(orderOf('ann', 1, SECOND)));
    expect(decide(...created(order))).toEqual(['confirm', 'reject SEAT_SOLD', 'compensate ORDER_REJECTED']);
    expect(store.orders.get(order.orderId)).toMatchObject({ status: 'REJECTED', reason: 'SEAT_SOLD' });
    expect(store.refunds.map((refund) => [refund.seatId, refund.reason])).toEqual([
      [SECOND, 'SEAT_SOLD'],
      [FIRST, 'ORDER_REJECTED'],
      [THIRD, 'ORDER_REJECTED'],
    ]);
    expect(decide(...created(orderOf('dan', 6, FIRST, THIRD)))).toEqual(['confirm', 'confirm']);
  });

  it('F60: refuses a seat that its order was recorded without, refunds what was paid for it, and lets the order stand', () => {
    const order = orderOf('eve', 5, FIRST, SECOND);
    // The same buyer and key, after whoever remembers keys had lost its memory.
    const other = { ...orderOf('eve', 6, THIRD), orderId: order.orderId };
    const events = created(other).map((event) => ({ ...event, paymentReference: 'pay-again' }));
    expect(decide(...created(order), ...events)).toEqual(['confirm', 'confirm', 'reject NOT_IN_ORDER']);
    expect(decide(...events, ...cancelled(other))).toEqual(['duplicate REJECTED', 'ignore ALREADY_REJECTED']);
    expect(store.orders.get(order.orderId)).toMatchObject({ status: 'CONFIRMED', reason: null });
    expect(store.refunds).toMatchObject([
      { seatId: THIRD, reason: 'NOT_IN_ORDER', paymentReference: 'pay-again' },
    ]);
    expect(decide(...created(orderOf('dan', 7, THIRD)))).toEqual(['confirm']);
  });

  it('cancels an order as a whole, with the seats that come late', () => {
    const order = orderOf('eve', 5, FIRST, SECOND, THIRD);
    const [one, two, three] = created(order) as [ReservationEvent, ReservationEvent, ReservationEvent];
    expect(decide(one, two, ...cancelled(order).slice(0, 1), three)).toEqual([
      'confirm',
      'confirm',
      'cancel',
      'compensate ORDER_CANCELLED',
    ]);
    expect(store.orders.get(order.orderId)?.status).toBe('CANCELLED');
    expect(store.refunds).toHaveLength(3);
    expect(decide(...cancelled(order))).toEqual(Array(3).fill('ignore ALREADY_CANCELLED'));
  });

  it('leaves an order REJECTED whose other seats are cancelled before they were created', () => {
    const order = orderOf('eve', 5, FIRST, SECOND);
    decide(...created(orderOf('ann', 1, FIRST)), ...created(order).slice(0, 1));
    expect(decide(...cancelled(order))).toEqual(['ignore ALREADY_REJECTED', 'record-cancelled']);
    expect(store.orders.get(order.orderId)).toMatchObject({ status: 'REJECTED', reason: 'SEAT_SOLD' });
    expect(store.refunds).toHaveLength(2);
  });

  it('tells again what became of the seats when an event comes again', () => {
    const events = [...created(ann), ...created(bob)];
    const first = store.apply(...events).settlements;
    expect(first.map((settlement) => settlement.kind)).toEqual(['sold', 'refused']);
    expect(store.apply(...events).settlements).toEqual(first);
  });
});
