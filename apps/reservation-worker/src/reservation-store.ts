/** The store of reservations, in PostgreSQL. */
import { reservationEvents, type PartitionKeyKind } from '@seatlog/booking';
import {
  applyReservationEvents,
  isTransientDatabaseError,
  parkedKeys,
  parkRecord,
  type AppliedEvents,
  type BookingDatabase,
  type ParkedRecord,
  type SourcedEvent,
} from '@seatlog/booking-database';
import type { ReservationStore } from './ports.ts';

export class PostgresReservationStore implements ReservationStore {
  readonly #database: BookingDatabase;
  readonly #keyKind: PartitionKeyKind;
  readonly #now: () => number;

  constructor(database: BookingDatabase, keyKind: PartitionKeyKind, now: () => number) {
    this.#database = database;
    this.#keyKind = keyKind;
    this.#now = now;
  }

  apply(events: readonly SourcedEvent[]): Promise<AppliedEvents> {
    return applyReservationEvents(this.#database, events, { now: this.#now(), keyKind: this.#keyKind });
  }

  park(record: ParkedRecord): Promise<unknown> {
    return parkRecord(this.#database, record);
  }

  parkedKeys(): Promise<ReadonlySet<string>> {
    return parkedKeys(this.#database, reservationEvents.name);
  }

  isPassing(error: unknown): boolean {
    return isTransientDatabaseError(error);
  }
}
