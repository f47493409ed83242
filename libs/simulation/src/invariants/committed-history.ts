/**
 * What leaders had below their high watermarks, batch by batch in order, and in which epoch each was first committed.
 * It only grows, except where a loss is forgiven: then it goes back to what the new leader has.
 */
import { isSameBatch, type StoredBatch } from '../disk/stored-batch.ts';
import type { BrokerLog } from '../disk/log-store.ts';

export class CommittedHistory {
  readonly #batches: StoredBatch[] = [];
  readonly #epochs: number[] = [];
  /** All that was ever committed, by base offset, once something was lost. */
  #former = new Map<number, StoredBatch[]>();

  get end(): number {
    return (this.#batches.at(-1)?.lastOffset ?? -1) + 1;
  }

  get size(): number {
    return this.#batches.length;
  }

  get last(): StoredBatch | undefined {
    return this.#batches.at(-1);
  }

  get batches(): readonly StoredBatch[] {
    return this.#batches;
  }

  commit(batch: StoredBatch, epoch: number): void {
    this.#batches.push(batch);
    this.#epochs.push(epoch);
  }

  /** The place of the batch that begins at the offset; -1 if none does. */
  placeOf(baseOffset: number): number {
    let low = 0;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#batches[middle] as StoredBatch).baseOffset < baseOffset) low = middle + 1;
      else high = middle;
    }
    return this.#batches[low]?.baseOffset === baseOffset ? low : -1;
  }

  at(baseOffset: number): StoredBatch | undefined {
    return this.#batches[this.placeOf(baseOffset)];
  }

  /** Whether it was committed at any time, in a history that was lost as well. */
  wasEver(batch: StoredBatch): boolean {
    const now = this.at(batch.baseOffset);
    if (now !== undefined && isSameBatch(now, batch)) return true;
    return this.#former.get(batch.baseOffset)?.some((it) => isSameBatch(it, batch)) === true;
  }

  /**
   * The first batch, committed in an epoch before the one given, that the log lacks. A log may begin inside of a batch:
   * it holds that one as a whole, and so is it compared.
   */
  missingFrom(
    log: BrokerLog,
    beforeEpoch: number,
  ): { readonly batch: StoredBatch; readonly epoch: number } | null {
    const first = log.batches[log.placeOf(log.logStartOffset)];
    const start = Math.min(first?.baseOffset ?? log.logStartOffset, log.logStartOffset);
    for (let place = 0; place < this.#batches.length; place++) {
      const batch = this.#batches[place] as StoredBatch;
      const epoch = this.#epochs[place] as number;
      if (batch.lastOffset < start || epoch >= beforeEpoch) continue;
      const own = log.batches[log.placeOf(batch.baseOffset)];
      if (own === undefined || !isSameBatch(own, batch)) return { batch, epoch };
    }
    return null;
  }

  /** What stands from the offset on is lost and forgiven. */
  forgiveFrom(baseOffset: number): void {
    const place = this.placeOf(baseOffset);
    for (const batch of this.#batches.splice(place)) {
      const former = this.#former.get(batch.baseOffset) ?? [];
      former.push(batch);
      this.#former.set(batch.baseOffset, former);
    }
    this.#epochs.length = place;
  }
}
