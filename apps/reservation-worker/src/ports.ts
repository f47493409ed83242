/** What the handling of a batch needs of the world. The edge gives it PostgreSQL, Redis and the broker. */
import type { SeatSettlement, reservationEvents } from '@seatlog/booking';
import type { AppliedEvents, ParkedRecord, SourcedEvent } from '@seatlog/booking-database';
import type { ConsumedRecord } from '@seatlog/kafka-client';

export type ReservationRecord = ConsumedRecord<typeof reservationEvents>;

export interface ReservationStore {
  apply(events: readonly SourcedEvent[]): Promise<AppliedEvents>;
  park(record: ParkedRecord): Promise<unknown>;
  /** Keys of which a record is parked: later records of theirs follow it. */
  parkedKeys(): Promise<ReadonlySet<string>>;
  isPassing(error: unknown): boolean;
}

export interface DeadLetters {
  /** Resolves when all in-sync replicas have it. */
  publish(record: ReservationRecord, cause: DeadLetterCause): Promise<void>;
  isPassing(error: unknown): boolean;
}

export interface DeadLetterCause {
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
}

export interface SeatMarks {
  /** Never rejects: what could not be told to the seat lock is made good later. */
  settle(settlements: readonly SeatSettlement[]): Promise<void>;
}

/** Numbers for those who watch. */
export interface WorkerMeters {
  decided(kind: string): void;
  deadLettered(code: string): void;
  retried(what: string): void;
  applied(events: number, seconds: number): void;
}
