/**
 * What of a quorum's node outlives its processes: its metadata log, of which only the synced part is sure, and its
 * quorum-state file.
 */
import { LeaderEpochCache } from '@seatlog/commit-log/testing';
import type { QuorumLog, QuorumState, StoredSnapshot } from '@seatlog/metadata-quorum';
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedBatch } from './metadata-batch.ts';

export class MetadataDisk implements QuorumLog {
  readonly logStartOffset = 0;
  readonly latestSnapshot: StoredSnapshot | null = null;
  quorumState: QuorumState | null = null;
  #batches: SimulatedBatch[] = [];
  #epochs = new LeaderEpochCache();
  #syncedEnd = 0;

  get logEndOffset(): number {
    return this.#syncedEnd;
  }

  get nextAppendOffset(): number {
    return (this.#batches.at(-1)?.lastOffset ?? -1) + 1;
  }

  get latestLeaderEpoch(): number {
    return this.#epochs.latestEpoch;
  }

  get batches(): readonly SimulatedBatch[] {
    return this.#batches;
  }

  endOffsetForEpoch(epoch: number): { readonly epoch: number; readonly endOffset: number } {
    return this.#epochs.endOffsetFor(epoch, this.#syncedEnd);
  }

  assignEpoch(epoch: number, startOffset: number): void {
    this.#epochs.assign(epoch, startOffset);
  }

  append(batch: SimulatedBatch): void {
    if (batch.baseOffset !== this.nextAppendOffset) {
      throw new Error(
        `metadata offset ${batch.baseOffset} does not continue a log that ends at ${this.nextAppendOffset}`,
      );
    }
    if (batch.epoch > this.latestLeaderEpoch) this.#epochs.assign(batch.epoch, batch.baseOffset);
    this.#batches.push(batch);
  }

  sync(): void {
    this.#syncedEnd = this.nextAppendOffset;
  }

  truncate(endOffset: number): void {
    let size = this.#batches.length;
    while (size > 0 && (this.#batches[size - 1] as SimulatedBatch).lastOffset >= endOffset) size -= 1;
    this.#batches.length = size;
    this.#epochs.truncateFromEnd(this.nextAppendOffset);
    this.#syncedEnd = this.nextAppendOffset;
  }

  /** The process is gone, or the power: of what was not synced a beginning may be there. */
  crash(random: SeededRandom): void {
    const unsynced = this.#batches.filter(({ lastOffset }) => lastOffset >= this.#syncedEnd);
    const lost = unsynced[random.below(unsynced.length + 1)];
    this.truncate(lost?.baseOffset ?? this.nextAppendOffset);
  }

  wipe(): void {
    this.#batches = [];
    this.#epochs = new LeaderEpochCache();
    this.#syncedEnd = 0;
    this.quorumState = null;
  }

  /** Whole batches from the one that holds the offset, up to a bound; the first even if it is larger. */
  read(fromOffset: number, toOffset: number, maxBytes: number): readonly SimulatedBatch[] {
    const found: SimulatedBatch[] = [];
    let sizeInBytes = 0;
    for (let place = this.#placeOf(fromOffset); place < this.#batches.length; place++) {
      const batch = this.#batches[place] as SimulatedBatch;
      sizeInBytes += batch.sizeInBytes;
      if (batch.lastOffset >= toOffset || (found.length > 0 && sizeInBytes > maxBytes)) break;
      found.push(batch);
    }
    return found;
  }

  #placeOf(offset: number): number {
    let place = this.#batches.length;
    while (place > 0 && (this.#batches[place - 1] as SimulatedBatch).lastOffset >= offset) place -= 1;
    return place;
  }
}
