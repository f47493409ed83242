/** What the seat lock is asked and what it answers. */

/** One run of a request: all later steps of it are checked against `claim`. */
export interface AcquireRequest {
  readonly eventId: string;
  readonly userId: string;
  readonly idempotencyKey: string;
  /** Tells a repeated request from another one under the same key. */
  readonly fingerprint: string;
  /** Used if the seats are acquired afresh; an attempt that is taken up again keeps its own. */
  readonly orderId: string;
  /** Sorted, none twice, all of that event, at most SEATS_PER_ORDER. */
  readonly seatIds: readonly string[];
}

/** The attempt to sell these seats to this buyer, and the right to work on it. */
export interface Attempt {
  readonly orderId: string;
  /** Stays the same when the attempt is taken up again by another run: what a payment is identified by. */
  readonly token: string;
  /** This run's own. */
  readonly claim: string;
  /** In the order of the request. */
  readonly seats: readonly { readonly seatId: string; readonly epoch: number }[];
  /** Milliseconds since the epoch, by the clock of Redis. */
  readonly lockedUntil: number;
  readonly requestKey: string;
}

export interface TakenSeat {
  readonly seatId: string;
  readonly state: 'HELD' | 'SOLD';
  /** Held by the same buyer, in an order with other seats. */
  readonly heldByYou: boolean;
}

export type AcquireResult =
  | { readonly kind: 'acquired'; readonly attempt: Attempt }
  /** An earlier run's attempt whose outcome is unknown, or whose run died: its events may have been written. */
  | { readonly kind: 'resumed'; readonly attempt: Attempt }
  /** The same, but the attempt began with another request of this buyer: same seats, perhaps another way to pay. */
  | { readonly kind: 'joined'; readonly attempt: Attempt }
  /** All seats are sold to this very order, and what was answered is lost: it only has to be answered again. */
  | { readonly kind: 'sold'; readonly attempt: Attempt }
  /** Answered before; this is what was answered. */
  | { readonly kind: 'completed'; readonly response: string }
  | { readonly kind: 'in-flight'; readonly retryAfterMs: number }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'taken'; readonly seats: readonly TakenSeat[] }
  /** The seats of this event are not known here: rebuild them (`reconcile`) first. */
  | { readonly kind: 'warming' };

/** A seat that is sold, by the database. */
export interface SoldSeat {
  readonly seatId: string;
  readonly orderId: string;
  readonly reservationId: string;
  readonly epoch: number;
}

export interface ReconcileReport {
  /** Seats that were made sold. */
  readonly restored: number;
  /** Seats that were sold here and not in the database, and are free now. */
  readonly cleared: number;
  readonly sold: number;
}

/** `superseded`: someone else has locked the seat since; the database will refuse one of the two. */
export type SettleResult = 'done' | 'already' | 'superseded';
