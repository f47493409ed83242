/** From a paid order to the events that announce it, and the events that give it back. */
import { reservationIdOf } from './identifiers.ts';
import { SEATS_PER_ORDER } from './limits.ts';
import type { OrderSeat, ReservationCancelled, ReservationCreated } from './reservation-events.ts';

/** An order as the API and the status token know it. */
export interface PlacedOrder {
  readonly orderId: string;
  readonly eventId: string;
  readonly userId: string;
  readonly currency: string;
  /** 1 to 6, sorted by seat id, none twice. */
  readonly seats: readonly OrderSeat[];
}

/** One event for each seat, in the order of the seats. The same order gives the same reservation ids. */
export function reservationCreatedEvents(
  order: PlacedOrder,
  payment: { readonly paymentReference: string; readonly lockedUntil: number; readonly occurredAt: number },
): ReservationCreated[] {
  return order.seats.map((seat) => ({ type: 'ReservationCreated', ...eventOfSeat(order, seat), ...payment }));
}

export function reservationCancelledEvents(order: PlacedOrder, occurredAt: number): ReservationCancelled[] {
  return order.seats.map((seat) => ({
    type: 'ReservationCancelled',
    ...eventOfSeat(order, seat),
    occurredAt,
  }));
}

/** Sorted, and null if the choice is none: empty, too many, a seat twice. */
export function normalizeSeatChoice(seatIds: readonly string[]): readonly string[] | null {
  const sorted = [...new Set(seatIds)].sort();
  const valid = sorted.length === seatIds.length && sorted.length >= 1 && sorted.length <= SEATS_PER_ORDER;
  return valid ? sorted : null;
}

function eventOfSeat(order: PlacedOrder, seat: OrderSeat) {
  return {
    version: 1 as const,
    reservationId: reservationIdOf(order.orderId, seat.seatId),
    orderId: order.orderId,
    eventId: order.eventId,
    seatId: seat.seatId,
    userId: order.userId,
    epoch: seat.epoch,
    price: { amount: seat.amount, currency: order.currency },
    orderSeats: [...order.seats],
  };
}
