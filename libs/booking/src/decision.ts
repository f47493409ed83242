/**
 * What to do about one event, given what is stored: the whole rule book of the worker in one pure function. Applying the
 * same event again gives `duplicate` or `ignore`, never a second effect.
 */
import type { ReservationCancelled, ReservationCreated, ReservationEvent } from './reservation-events.ts';
import {
  hasFailed,
  isLive,
  type CancellationReason,
  type OrderStatus,
  type RejectionReason,
  type ReservationStatus,
  type StoredReservation,
} from './reservation-state.ts';

/** What is stored about the things an event speaks of. */
export interface Standing {
  /** The reservation of that id. */
  readonly reservation: StoredReservation | null;
  readonly order: {
    readonly status: OrderStatus;
    readonly seats: readonly { readonly seatId: string }[];
  } | null;
  /** The seat's live reservation, whosever it is. */
  readonly live: { readonly reservationId: string } | null;
  /** The highest epoch of any reservation of that seat, 0 if there is none. */
  readonly lastEpoch: number;
  /** Whether the seat exists. */
  readonly seatExists: boolean;
}

export type IgnoreReason = 'ALREADY_CANCELLED' | 'ALREADY_REJECTED' | 'STALE_EPOCH' | 'NOT_THE_OWNER';

export type Decision =
  /** Record it as live. */
  | { readonly kind: 'confirm' }
  /** It is recorded already: announce its status anew. */
  | { readonly kind: 'duplicate'; readonly status: ReservationStatus }
  /** Record it as REJECTED, cancel the rest of its order if it belongs to it, refund all of that. */
  | { readonly kind: 'reject'; readonly reason: RejectionReason }
  /** Its order failed or was cancelled before: record it as CANCELLED and refund it. */
  | { readonly kind: 'compensate'; readonly reason: CancellationReason }
  /** End the live reservation and the rest of its order, refund all of it. */
  | { readonly kind: 'cancel' }
  /** The cancellation came before the creation: record it as CANCELLED, so that the creation finds it ended. */
  | { readonly kind: 'record-cancelled' }
  /** Nothing to do, and that is right. */
  | { readonly kind: 'ignore'; readonly reason: IgnoreReason }
  /** It can never be handled: to the dead letters. */
  | { readonly kind: 'unprocessable'; readonly reason: 'UNKNOWN_SEAT' };

export function decide(event: ReservationEvent, standing: Standing): Decision {
  if (!standing.seatExists) return { kind: 'unprocessable', reason: 'UNKNOWN_SEAT' };
  return event.type === 'ReservationCreated'
    ? decideCreated(event, standing)
    : decideCancelled(event, standing);
}

function decideCreated(event: ReservationCreated, standing: Standing): Decision {
  const { reservation, order, live } = standing;
  if (reservation !== null) return { kind: 'duplicate', status: reservation.status };
  const belongs = order === null || order.seats.some(({ seatId }) => seatId === event.seatId);
  if (!belongs) return { kind: 'reject', reason: 'NOT_IN_ORDER' };
  if (order !== null && hasFailed(order)) {
    return {
      kind: 'compensate',
      reason: order.status === 'REJECTED' ? 'ORDER_REJECTED' : 'ORDER_CANCELLED',
    };
  }
  if (live !== null) return { kind: 'reject', reason: 'SEAT_SOLD' };
  // An equal epoch would be another order's: the lock gives each number once.
  if (event.epoch <= standing.lastEpoch) return { kind: 'reject', reason: 'STALE_EPOCH' };
  return { kind: 'confirm' };
}

function decideCancelled(event: ReservationCancelled, standing: Standing): Decision {
  const { reservation } = standing;
  if (reservation === null) return { kind: 'record-cancelled' };
  if (reservation.userId !== event.userId) return { kind: 'ignore', reason: 'NOT_THE_OWNER' };
  if (!isLive(reservation)) {
    return {
      kind: 'ignore',
      reason: reservation.status === 'REJECTED' ? 'ALREADY_REJECTED' : 'ALREADY_CANCELLED',
    };
  }
  // A newer epoch is the same buyer's second attempt under the same key; an older one is a cancellation of a lock long gone.
  if (event.epoch < reservation.epoch) return { kind: 'ignore', reason: 'STALE_EPOCH' };
  return { kind: 'cancel' };
}
