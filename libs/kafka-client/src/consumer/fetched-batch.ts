/** What a turn of the loop gets. */
import type { FetchedRecord } from './consumed-record.ts';
import type { TakenBatch } from './batch-loop.ts';

export class FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly FetchedRecord[];
  readonly nextOffset: number;
  readonly highWatermark: number;
  readonly signal: AbortSignal;
  readonly #commit: () => Promise<void>;

  constructor(taken: TakenBatch, commit: () => Promise<void>) {
    this.topic = taken.reader.topic;
    this.partition = taken.reader.partition;
    this.records = taken.records;
    this.nextOffset = taken.nextOffset;
    this.highWatermark = taken.highWatermark;
    this.signal = taken.reader.abort.signal;
    this.#commit = commit;
  }

  get firstOffset(): number {
    return (this.records[0] as FetchedRecord).offset;
  }

  get lastOffset(): number {
    return (this.records[this.records.length - 1] as FetchedRecord).offset;
  }

  commit(): Promise<void> {
    return this.#commit();
  }
}

/** What a turn of a loop over rounds gets. */
export class FetchedRound {
  readonly batches: readonly FetchedBatch[];
  readonly #commit: () => Promise<void>;

  constructor(batches: readonly FetchedBatch[], commit: () => Promise<void>) {
    this.batches = batches;
    this.#commit = commit;
  }

  commit(): Promise<void> {
    return this.#commit();
  }
}
