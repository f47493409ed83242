/**
 * A metadata log in memory whose writes are synced when the test says so, and lost where it crashes before that. A batch
 * is what its `content` says; records are counted, not encoded.
 */
import type { SnapshotId } from '../../quorum/snapshot.ts';
import type { LogBatch, QuorumLog, StoredSnapshot } from '../quorum-log.ts';

export interface ContentBatch extends LogBatch {
  readonly content: string;
}

export const BATCH_BYTES = 100;

export function contentBatch(baseOffset: number, epoch: number, content: string, records = 1): ContentBatch {
  return { baseOffset, lastOffset: baseOffset + records - 1, epoch, sizeInBytes: BATCH_BYTES, content };
}

export class MemoryQuorumLog implements QuorumLog {
  #batches: ContentBatch[] = [];
  #logStartOffset = 0;
  #syncedEnd = 0;
  #epochs: { readonly epoch: number; readonly startOffset: number }[] = [];
  latestSnapshot: StoredSnapshot | null = null;

  /** `epochs`: of one-record batches from offset 0 on. */
  static of(epochs: readonly number[]): MemoryQuorumLog {
    const log = new MemoryQuorumLog();
    for (const [offset, epoch] of epochs.entries())
      log.append(contentBatch(offset, epoch, `${epoch}/${offset}`));
    log.sync();
    return log;
  }

  get logStartOffset(): number {
    return this.#logStartOffset;
  }

  get logEndOffset(): number {
    return this.#syncedEnd;
  }

  get nextAppendOffset(): number {
    const last = this.#batches.at(-1);
    return last === undefined ? this.#logStartOffset : last.lastOffset + 1;
  }

  get latestLeaderEpoch(): number {
    return this.#epochs.at(-1)?.epoch ?? -1;
  }

  /** What is synced. */
  get batches(): readonly ContentBatch[] {
    return this.#batches.filter(({ lastOffset }) => lastOffset < this.#syncedEnd);
  }

  endOffsetForEpoch(epoch: number): { readonly epoch: number; readonly endOffset: number } {
    if (epoch < 0 || epoch > this.latestLeaderEpoch) return { epoch: -1, endOffset: -1 };
    if (epoch === this.latestLeaderEpoch) return { epoch, endOffset: this.logEndOffset };
    const higher = this.#epochs.findIndex((entry) => entry.epoch > epoch);
    const endOffset = this.#epochs[higher]?.startOffset ?? this.logEndOffset;
    return { epoch: this.#epochs[higher - 1]?.epoch ?? epoch, endOffset };
  }

  /** As a leader does, before its epoch's first batch is written. */
  assignEpoch(epoch: number, startOffset: number): void {
    this.#epochs = this.#epochs.filter((entry) => entry.epoch < epoch && entry.startOffset < startOffset);
    this.#epochs.push({ epoch, startOffset });
  }

  append(batch: ContentBatch): void {
    if (batch.baseOffset !== this.nextAppendOffset) {
      throw new Error(
        `offset ${batch.baseOffset} does not continue a log that ends at ${this.nextAppendOffset}`,
      );
    }
    if (batch.epoch > this.latestLeaderEpoch) this.assignEpoch(batch.epoch, batch.baseOffset);
    this.#batches.push(batch);
  }

  /** Up to the offset; it does not fall. */
  sync(end = this.nextAppendOffset): void {
    this.#syncedEnd = Math.max(this.#syncedEnd, Math.min(end, this.nextAppendOffset));
  }

  truncate(endOffset: number): void {
    this.#batches = this.#batches.filter(({ lastOffset }) => lastOffset < endOffset);
    this.#epochs = this.#epochs.filter(({ startOffset }) => startOffset < this.nextAppendOffset);
    this.#syncedEnd = this.nextAppendOffset;
  }

  /** What a power cut leaves: all that was synced. */
  crash(): void {
    this.truncate(this.#syncedEnd);
  }

  /** Whole batches from the one that holds the offset, up to a bound; the first even if it is larger. */
  read(fromOffset: number, toOffset: number, maxBytes: number): readonly ContentBatch[] {
    const found: ContentBatch[] = [];
    let sizeInBytes = 0;
    for (const batch of this.batches) {
      if (batch.lastOffset < fromOffset || batch.lastOffset >= toOffset) continue;
      sizeInBytes += batch.sizeInBytes;
      if (found.length > 0 && sizeInBytes > maxBytes) break;
      found.push(batch);
    }
    return found;
  }

  /** A snapshot of all below the offset, which must be the end of a batch; the log before it goes if `cut`. */
  takeSnapshot(endOffset: number, sizeInBytes: number, cut = true): SnapshotId {
    const epoch = this.#epochs.findLast(({ startOffset }) => startOffset < endOffset)?.epoch ?? 0;
    const id = { endOffset, epoch };
    this.latestSnapshot = { id, sizeInBytes };
    if (cut) this.#cutBefore(endOffset);
    return id;
  }

  installSnapshot(id: SnapshotId, sizeInBytes: number): void {
    this.latestSnapshot = { id, sizeInBytes };
    this.#batches = [];
    this.#epochs = [];
    this.#logStartOffset = id.endOffset;
    this.#syncedEnd = id.endOffset;
  }

  #cutBefore(offset: number): void {
    const inForce = this.#epochs.findLast(({ startOffset }) => startOffset <= offset);
    const later = this.#epochs.filter(({ startOffset }) => startOffset > offset);
    this.#epochs = inForce === undefined ? later : [{ epoch: inForce.epoch, startOffset: offset }, ...later];
    this.#batches = this.#batches.filter(({ lastOffset }) => lastOffset >= offset);
    this.#logStartOffset = offset;
  }
}
