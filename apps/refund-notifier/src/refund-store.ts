/** The store of refund notices, in PostgreSQL. */
import type { RefundRequested } from '@seatlog/booking';
import {
  isTransientDatabaseError,
  parkRecord,
  recordRefunds,
  type BookingDatabase,
  type ParkedRecord,
  type RecordedRefunds,
} from '@seatlog/booking-database';
import type { RefundStore } from './refund-handler.ts';

/** Names the inbox; the same for all processes of this kind. */
const CONSUMER = 'refund-notifier';

export class PostgresRefundStore implements RefundStore {
  readonly #database: BookingDatabase;

  constructor(database: BookingDatabase) {
    this.#database = database;
  }

  record(refunds: readonly RefundRequested[]): Promise<RecordedRefunds> {
    return recordRefunds(this.#database, CONSUMER, refunds);
  }

  park(record: ParkedRecord): Promise<unknown> {
    return parkRecord(this.#database, record);
  }

  isPassing(error: unknown): boolean {
    return isTransientDatabaseError(error);
  }
}
