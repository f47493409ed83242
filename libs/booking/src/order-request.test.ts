import { describe, expect, it } from 'vitest';
import { orderIdOf, reservationIdOf } from './identifiers.ts';
import {
  normalizeSeatChoice,
  reservationCancelledEvents,
  reservationCreatedEvents,
} from './order-request.ts';
import { refundEvents, reservationEvents } from './topics.ts';

const order = {
  orderId: orderIdOf({ userId: 'ann', eventId: 'gala', idempotencyKey: 'k' }),
  eventId: 'gala',
  userId: 'ann',
  currency: 'EUR',
  seats: [
    { seatId: 'gala:A-1-1', epoch: 7, amount: 4500 },
    { seatId: 'gala:A-1-2', epoch: 9, amount: 5000 },
  ],
};
const payment = { paymentReference: 'pay-1', lockedUntil: 2000, occurredAt: 1000 };

describe('the events of an order', () => {
  it('are one for each seat, with that seat of it and all of it', () => {
    const events = reservationCreatedEvents(order, payment);
    expect(events.map(({ seatId, epoch, price }) => ({ seatId, epoch, amount: price.amount }))).toEqual(
      order.seats,
    );
    expect(events[1]).toMatchObject({
      reservationId: reservationIdOf(order.orderId, 'gala:A-1-2'),
      orderSeats: order.seats,
      ...payment,
    });
  });

  it('survive the wire', () => {
    for (const event of [
      ...reservationCreatedEvents(order, payment),
      ...reservationCancelledEvents(order, 3000),
    ]) {
      const encoded = reservationEvents.value.encode(event);
      expect(reservationEvents.value.decode(Buffer.from(String(encoded)))).toEqual(event);
    }
  });

  it('are refused on the wire where they are none', () => {
    const [event] = reservationCreatedEvents(order, payment);
    for (const damage of [
      { version: 2 },
      { type: 'Other' },
      { seatId: 'x' },
      { epoch: 0 },
      { userId: 'a|b' },
    ]) {
      const bytes = Buffer.from(JSON.stringify({ ...event, ...damage }));
      expect(() => reservationEvents.value.decode(bytes)).toThrow(
        expect.objectContaining({ code: 'DECODE_FAILED' }),
      );
    }
    expect(() => reservationEvents.value.decode(null)).toThrow('null');
    expect(() => refundEvents.value.decode(Buffer.from('{'))).toThrow('JSON');
  });
});

describe('a choice of seats', () => {
  it('is sorted, so that the same choice is the same request', () => {
    expect(normalizeSeatChoice(['b', 'a'])).toEqual(['a', 'b']);
  });

  it('is refused empty, too large, or with a seat twice', () => {
    expect(normalizeSeatChoice([])).toBeNull();
    expect(normalizeSeatChoice(['a', 'a'])).toBeNull();
    expect(normalizeSeatChoice(['a', 'b', 'c', 'd', 'e', 'f'])).toHaveLength(6);
    expect(normalizeSeatChoice(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBeNull();
  });
});
