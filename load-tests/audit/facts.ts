/**
 * What an audit looks at: facts as they were read, from every place that knows something about a sale. Nothing here
 * has been interpreted yet; `audit.ts` does that without touching the outside.
 */
import type {
  Money,
  OrderSeat,
  OrderStatus,
  RefundRequested,
  ReservationEvent,
  ReservationStatus,
} from '@seatlog/booking';
import type { JournalEntry } from './journal.ts';

export interface LogPosition {
  readonly partition: number;
  readonly offset: number;
}

export interface OrderFact {
  readonly orderId: string;
  readonly userId: string;
  readonly seats: readonly OrderSeat[];
  readonly status: OrderStatus;
  readonly reason: string | null;
}

export interface ReservationFact {
  readonly reservationId: string;
  readonly orderId: string;
  readonly seatId: string;
  readonly userId: string;
  readonly epoch: number;
  readonly status: ReservationStatus;
  readonly reason: string | null;
  readonly price: Money;
  /** The record that first spoke of it; null if it was recorded without one. */
  readonly source: LogPosition | null;
}

/** A refund that was carried out. */
export interface RefundFact {
  readonly refundId: string;
  readonly reservationId: string;
  readonly price: Money;
}

export interface DatabaseFacts {
  readonly seatIds: readonly string[];
  readonly orders: readonly OrderFact[];
  readonly reservations: readonly ReservationFact[];
  /** Ids of messages that wait to be published. */
  readonly outbox: readonly string[];
  readonly refunds: readonly RefundFact[];
  /** Ids of records that were set aside because of an earlier one of their seat. */
  readonly parked: readonly string[];
}

export interface Logged<T> extends LogPosition {
  readonly value: T;
}

export interface LogFacts {
  readonly reservationEvents: readonly Logged<ReservationEvent>[];
  readonly refundEvents: readonly Logged<RefundRequested>[];
  readonly deadLetters: readonly LogPosition[];
  /** By partition of `reservation-events`: what lies below was deleted by retention and cannot be asked for. */
  readonly firstOffsets: ReadonlyMap<number, number>;
}

/** A seat that is not free, by Redis. */
export interface LockFact {
  readonly seatId: string;
  readonly state: 'HELD' | 'SOLD';
  readonly orderId: string;
  /** Of SOLD. */
  readonly reservationId: string | null;
}

export interface LagFact {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly lag: number;
}

export interface AuditFacts {
  /** What clients were told; null where nobody kept it. */
  readonly journal: readonly JournalEntry[] | null;
  readonly database: DatabaseFacts;
  readonly log: LogFacts;
  readonly locks: readonly LockFact[];
  readonly lags: readonly LagFact[];
}
