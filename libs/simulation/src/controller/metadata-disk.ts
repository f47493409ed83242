/**
 * What of a quorum's node outlives its processes: its metadata log, of which only the synced part is sure, its latest
 * snapshot, which is put in place as a whole and before what it stands for is deleted, and its quorum-state file.
 */
import { LeaderEpochCache } from '@seatlog/commit-log/testing';
import type { QuorumLog, QuorumState, SnapshotId, StoredSnapshot } from '@seatlog/metadata-quorum';
import type { SeededRandom } from '@seatlog/runtime/testing';
import { DiskCondition } from '../disk/disk-condition.ts';
import type { SimulatedBatch } from './metadata-batch.ts';

export interface SnapshotOnDisk {
  readonly id: SnapshotId;
  readonly bytes: Uint8Array;
}

export class MetadataDisk implements QuorumLog {
  readonly condition = new DiskCondition();
  quorumState: QuorumState | null = null;
  snapshot: SnapshotOnDisk | null = null;
  #batches: SimulatedBatch[] = [];
  #epochs = new LeaderEpochCache();
  #start = 0;
  #syncedEnd = 0;

  get latestSnapshot(): StoredSnapshot | null {
    const { snapshot } = this;
    return snapshot === null ? null : { id: snapshot.id, sizeInBytes: snapshot.bytes.length };
  }

  get logStartOffset(): number {
    return this.#start;
  }

  get logEndOffset(): number {
    return this.#syncedEnd;
  }

  get nextAppendOffset(): number {
    return (this.#batches.at(-1)?.lastOffset ?? this.#start - 1) + 1;
  }

  get latestLeaderEpoch(): number {
    return this.#epochs.latestEpoch;
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

  /** The latest counts. */
  place(snapshot: SnapshotOnDisk): void {
    if (snapshot.id.endOffset > (this.snapshot?.id.endOffset ?? -1)) this.snapshot = snapshot;
  }

  /** What the snapshot stands for is deleted. */
  trim(): void {
    const end = this.snapshot?.id.endOffset ?? 0;
    if (end <= this.#start || end > this.#syncedEnd) return;
    this.#start = end;
    this.#batches = this.#batches.filter(({ lastOffset }) => lastOffset >= end);
    this.#epochs.truncateFromStart(end);
  }

  /** The log is dropped, and begins where the snapshot ends. */
  beginAnew(): void {
    const end = this.snapshot?.id.endOffset ?? 0;
    this.#batches = [];
    this.#epochs.clear();
    this.#start = end;
    this.#syncedEnd = end;
  }

  /** The process is gone, or the power: of what was not synced a beginning may be there. */
  crash(random: SeededRandom): void {
    const unsynced = this.#batches.filter(({ lastOffset }) => lastOffset >= this.#syncedEnd);
    const lost = unsynced[random.below(unsynced.length + 1)];
    this.truncate(lost?.baseOffset ?? this.nextAppendOffset);
    if (!this.#goesOnFromSnapshot()) this.beginAnew();
  }

  wipe(): void {
    this.snapshot = null;
    this.beginAnew();
    this.quorumState = null;
  }

  /** Whether the log holds the batch, or a snapshot stands for it. */
  holds(batch: SimulatedBatch): boolean {
    const { baseOffset } = batch;
    return baseOffset < this.#start || this.#batches[this.#placeOf(baseOffset)] === batch;
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

  /** A snapshot of the leader's is in place before the log that it takes the place of is dropped. */
  #goesOnFromSnapshot(): boolean {
    if (this.snapshot === null) return true;
    const { endOffset, epoch } = this.snapshot.id;
    if (this.logEndOffset < endOffset) return false;
    if (this.#start === endOffset) return true;
    const held = this.endOffsetForEpoch(epoch);
    return held.epoch === epoch && held.endOffset >= endOffset;
  }

  #placeOf(offset: number): number {
    let place = this.#batches.length;
    while (place > 0 && (this.#batches[place - 1] as SimulatedBatch).lastOffset >= offset) place -= 1;
    return place;
  }
}
