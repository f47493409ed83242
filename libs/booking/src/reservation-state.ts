/**
 * States of a reservation (one seat) and of an order (all seats of one request), and what is stored of them.
 *
 * ```
 * reservation   PENDING ──> CONFIRMED ──> CANCELLED          PENDING is not stored: a 202 was given, no row is there yet
 *                  ├──────> REJECTED
 *                  └──────> CANCELLED                         its order had failed or was cancelled before it was recorded
 *
 * order         PENDING ──> CONFIRMED ──> CANCELLED          PENDING is stored while not all its seats are recorded
 *                  ├──────> REJECTED
 *                  └──────> CANCELLED
 * ```
 *
 * A reservation that is REJECTED or CANCELLED stays so for good; each of them is owed exactly one refund.
 */
import type { Money } from './money.ts';
import type { OrderSeat } from './reservation-events.ts';

export const reservationStatuses = ['CONFIRMED', 'REJECTED', 'CANCELLED'] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

export const orderStatuses = ['PENDING', 'CONFIRMED', 'REJECTED', 'CANCELLED'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** Why a reservation is REJECTED. */
export type RejectionReason =
  /** Another reservation holds the seat. */
  | 'SEAT_SOLD'
  /** The seat was taken by someone else after this lock had run out, and was given back since. */
  | 'STALE_EPOCH'
  /** Its order was recorded with other seats: a key was used for two requests, and nobody remembered the first. */
  | 'NOT_IN_ORDER'
  /** The other seats of the order came, this one did not come in time. */
  | 'INCOMPLETE';

/** Why a reservation is CANCELLED. */
export type CancellationReason = 'BUYER' | 'ORDER_REJECTED' | 'ORDER_CANCELLED';

export type EndReason = RejectionReason | CancellationReason;

export interface StoredReservation {
  readonly reservationId: string;
  readonly orderId: string;
  readonly eventId: string;
  readonly seatId: string;
  readonly userId: string;
  readonly epoch: number;
  readonly status: ReservationStatus;
  /** null while CONFIRMED. */
  readonly reason: EndReason | null;
  readonly price: Money;
  readonly occurredAt: number;
}

export interface StoredOrder {
  readonly orderId: string;
  readonly eventId: string;
  readonly userId: string;
  readonly seats: readonly OrderSeat[];
  readonly currency: string;
  readonly status: OrderStatus;
  readonly reason: EndReason | null;
  readonly paymentReference: string | null;
}

/** Only one live reservation of a seat may exist at any time; this is the predicate of the unique index. */
export function isLive(reservation: { readonly status: ReservationStatus }): boolean {
  return reservation.status === 'CONFIRMED';
}

/** REJECTED and CANCELLED orders take no more seats. */
export function hasFailed(order: { readonly status: OrderStatus }): boolean {
  return order.status === 'REJECTED' || order.status === 'CANCELLED';
}
