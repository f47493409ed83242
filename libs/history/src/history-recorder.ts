/**
 * Records a history while it happens. Expects: each value is sent once; `begin` is called before the request may have left,
 * so that what became of it can never be told earlier than it began.
 */
import type {
  Action,
  Entry,
  History,
  Operation,
  Outcome,
  PartitionName,
  PolledRecord,
  Repositioning,
} from './history.ts';

/** An operation whose end is not known yet. The first end that is told stands. */
export interface OpenOperation {
  /** Offsets of its sends, in their order; null where none was told. */
  succeeded(offsets: readonly (number | null)[]): void;
  /** Surely without effect. */
  failed(): void;
  /** It may have taken effect, or may yet. */
  unknown(): void;
}

export class HistoryRecorder {
  readonly #entries: (RecordedOperation | Repositioning)[] = [];
  #place = 0;

  begin(process: string, actions: readonly Action[]): OpenOperation {
    const operation = new RecordedOperation(process, this.#next(), actions, () => this.#next());
    this.#entries.push(operation);
    return operation;
  }

  polled(process: string, partition: PartitionName, records: readonly PolledRecord[]): void {
    this.begin(process, [{ kind: 'poll', partition, records }]).succeeded([]);
  }

  repositioned(process: string, partitions: readonly PartitionName[] | null): void {
    this.#entries.push({ kind: 'repositioning', process, began: this.#next(), partitions });
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Operations that have not ended are of unknown outcome. */
  get history(): History {
    return this.#entries;
  }

  entries(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  #next(): number {
    this.#place += 1;
    return this.#place;
  }
}

class RecordedOperation implements Operation, OpenOperation {
  readonly kind = 'operation';
  readonly process: string;
  readonly began: number;
  readonly #now: () => number;
  #ended: number | null = null;
  #outcome: Outcome = 'unknown';
  #actions: readonly Action[];

  constructor(process: string, began: number, actions: readonly Action[], now: () => number) {
    this.process = process;
    this.began = began;
    this.#actions = actions;
    this.#now = now;
  }

  get ended(): number {
    return this.#ended ?? Number.POSITIVE_INFINITY;
  }

  get outcome(): Outcome {
    return this.#outcome;
  }

  get actions(): readonly Action[] {
    return this.#actions;
  }

  succeeded(offsets: readonly (number | null)[]): void {
    if (!this.#end('ok')) return;
    let send = 0;
    this.#actions = this.#actions.map((action) =>
      action.kind === 'poll' ? action : { ...action, offset: offsets[send++] ?? null },
    );
  }

  failed(): void {
    this.#end('failed');
  }

  unknown(): void {
    this.#end('unknown');
  }

  #end(outcome: Outcome): boolean {
    if (this.#ended !== null) return false;
    this.#ended = this.#now();
    this.#outcome = outcome;
    return true;
  }
}
