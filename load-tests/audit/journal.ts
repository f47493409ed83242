/**
 * What clients asked and what they were told: one line of JSON per answer, written as answers come in. It is the one
 * witness that the system under test cannot have influenced.
 */
import { appendFileSync, createWriteStream, readFileSync, type WriteStream, writeFileSync } from 'node:fs';
import { once } from 'node:events';

interface EntryOfBuyer {
  /** When the answer came, in milliseconds since the epoch. */
  readonly at: number;
  readonly userId: string;
  readonly eventId: string;
  readonly idempotencyKey: string;
}

export type ReservationOutcome =
  /** 202 */
  | { readonly kind: 'accepted'; readonly orderId: string; readonly reservationIds: readonly string[] }
  /** An answer that promises that nothing was sold under this key. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  /** No answer, or one that leaves it open: it may have been sold. */
  | { readonly kind: 'unknown'; readonly why: string };

export interface ReserveEntry extends EntryOfBuyer {
  readonly request: 'reserve';
  readonly seatIds: readonly string[];
  readonly outcome: ReservationOutcome;
}

export interface CancelEntry extends EntryOfBuyer {
  readonly request: 'cancel';
  readonly orderId: string;
  /** Whether the cancellation was taken on (202). */
  readonly accepted: boolean;
}

export interface StatusEntry extends EntryOfBuyer {
  readonly request: 'status';
  readonly orderId: string;
  /** The last status that was shown. */
  readonly status: string;
}

export type JournalEntry = ReserveEntry | CancelEntry | StatusEntry;

/** Keeps entries in memory and, if a file is given, on disk. */
export class Journal {
  readonly #entries: JournalEntry[] = [];
  readonly #file: WriteStream | undefined;

  constructor(file?: string) {
    this.#file = file === undefined ? undefined : createWriteStream(file, { flags: 'w' });
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  write(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#file?.write(`${JSON.stringify(entry)}\n`);
  }

  async close(): Promise<void> {
    if (this.#file === undefined) return;
    this.#file.end();
    await once(this.#file, 'close');
  }
}

const ENTRIES_A_WRITE = 1_000;

/** For a journal that was kept in memory because writing each entry would have disturbed a measurement. */
export function writeJournal(file: string, entries: readonly JournalEntry[]): void {
  writeFileSync(file, '');
  for (let first = 0; first < entries.length; first += ENTRIES_A_WRITE) {
    const lines = entries.slice(first, first + ENTRIES_A_WRITE).map((entry) => `${JSON.stringify(entry)}\n`);
    appendFileSync(file, lines.join(''));
  }
}

export function readJournal(file: string): readonly JournalEntry[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalEntry);
}
