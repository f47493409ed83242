/**
 * The worker's one statement: a batch of reservation events in one transaction. Applying a batch again, whole or in part,
 * changes nothing and gives the same settlements, so offsets are committed after it and a crash in between is harmless.
 */
import {
  ReservationLedger,
  type Decision,
  type EventSource,
  type PartitionKeyKind,
  type ReservationEvent,
  type SeatSettlement,
} from '@seatlog/booking';
import type { BookingDatabase } from '../database.ts';
import { inTransaction } from '../transaction.ts';
import { lockLedger } from './lock-ledger.ts';
import { writeLedger } from './write-ledger.ts';

export interface SourcedEvent {
  readonly event: ReservationEvent;
  readonly source: EventSource | null;
}

export interface ApplyOptions {
  /** The time that refund requests carry, in milliseconds since the epoch. */
  readonly now: number;
  /** The key of refund requests. Default `seat`. */
  readonly keyKind?: PartitionKeyKind;
}

export interface AppliedEvents {
  /** What was decided about each event, in their order. `unprocessable` ones changed nothing: they are dead letters. */
  readonly decisions: readonly Decision[];
  /** What became of the seats of every order that was spoken of, for the seat lock. */
  readonly settlements: readonly SeatSettlement[];
}

/**
 * The events of one seat must be given in log order, and in one call at a time: those of one partition by one worker. 100 to
 * 1000 events a call are a good size.
 */
export async function applyReservationEvents(
  database: BookingDatabase,
  events: readonly SourcedEvent[],
  options: ApplyOptions,
): Promise<AppliedEvents> {
  if (events.length === 0) return { decisions: [], settlements: [] };
  return inTransaction(database, async (transaction) => {
    const stored = await lockLedger(
      transaction,
      events.map(({ event }) => event),
    );
    const ledger = new ReservationLedger(stored, options.now);
    const decisions = events.map(({ event, source }) => ledger.apply(event, source));
    await writeLedger(transaction, ledger.changes(), options.keyKind ?? 'seat');
    return { decisions, settlements: ledger.settlements() };
  });
}
