/**
 * `__cluster_metadata-0` on disk: its partition log and its snapshots.
 *
 * Everything is synced before it counts: the log's end moves when records are synced, a snapshot is in place before the
 * log that it stands for is deleted. What of it is committed is not the log's to know, but its owner's to tell.
 */
import {
  DEFAULT_LOG_CONFIG,
  type EpochEndOffset,
  type LogConfig,
  type LogDirectory,
  type LogError,
  type LogRead,
  type PartitionLog,
} from '@seatlog/commit-log';
import {
  type ClusterImage,
  encodeControlBatch,
  encodeMetadataBatch,
  type LoadedSnapshot,
  type LogBatch,
  type LeaderChange,
  METADATA_TOPIC,
  METADATA_TOPIC_ID,
  MetadataError,
  type QuorumLog,
  type RecordsToAppend,
  type SnapshotId,
  type StoredSnapshot,
} from '@seatlog/metadata-quorum';
import type { Clock, FileSystem } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import { SnapshotFiles } from './snapshot-files.ts';

export interface MetadataLogOptions {
  readonly directory: LogDirectory;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly log: Logger;
  /** `metadata.log.segment.bytes`. */
  readonly segmentBytes: number;
}

export type AppendDone = (error: Error | null) => void;

/** A whole batch with its bytes. */
export interface EncodedBatch extends LogBatch {
  readonly bytes: Uint8Array;
}

export class MetadataLog implements QuorumLog {
  /** Where the log and what belongs to it lie. */
  readonly path: string;
  readonly #options: MetadataLogOptions;
  readonly #partition: PartitionLog;
  readonly #snapshots: SnapshotFiles;
  #loaded: LoadedSnapshot | null;

  /** Opens the log and its latest snapshot. Throws if they do not fit together. */
  constructor(options: MetadataLogOptions) {
    this.#options = options;
    const { directory, fileSystem, log, segmentBytes } = options;
    // Kept until a snapshot stands for it, and synced before anything is acknowledged.
    const config: LogConfig = {
      ...DEFAULT_LOG_CONFIG,
      segmentBytes,
      retentionMs: -1,
      retentionBytes: -1,
      flushMessages: 1,
    };
    this.#partition =
      directory.load(METADATA_TOPIC, 0, config) ??
      directory.create(METADATA_TOPIC, 0, { topicId: METADATA_TOPIC_ID, config });
    this.path = `${directory.path}/${METADATA_TOPIC}-0`;
    this.#snapshots = new SnapshotFiles(this.path, fileSystem, log);
    this.#loaded = this.#snapshots.loadLatest();
    this.#checkStart();
  }

  /** What was in the latest snapshot when the log was opened, for its first reader; null from then on. */
  takeLoadedSnapshot(): LoadedSnapshot | null {
    const loaded = this.#loaded;
    this.#loaded = null;
    return loaded;
  }

  /**
   * Brings the log to where it may be built upon: what is in it is synced, so that nothing rests on records that a power
   * cut could still take away, and it goes on from its snapshot.
   */
  prepare(done: AppendDone): void {
    const snapshot = this.latestSnapshot?.id;
    if (snapshot === undefined || this.#goesOnFrom(snapshot)) return this.#partition.flush(done);
    // Only what the snapshot holds can be missing: the log is synced before a snapshot of it is written. And a snapshot
    // of a leader's is in place before the log that it takes the place of is dropped.
    this.#options.log.warn('The metadata log does not hold the end of its snapshot; it goes on from there', {
      logEndOffset: this.logEndOffset,
      snapshotEndOffset: snapshot.endOffset,
    });
    this.#partition.truncateFullyAndStartAt(snapshot.endOffset, done);
  }

  get logStartOffset(): number {
    return this.#partition.logStartOffset;
  }

  get logEndOffset(): number {
    return this.#partition.logEndOffset;
  }

  get nextAppendOffset(): number {
    return this.#partition.nextAppendOffset;
  }

  get latestLeaderEpoch(): number {
    return this.#partition.latestLeaderEpoch;
  }

  get latestSnapshot(): StoredSnapshot | null {
    return this.#snapshots.latest;
  }

  get sizeBytes(): number {
    return this.#partition.sizeBytes;
  }

  /** Why the log takes nothing any more; null while it is well. */
  get failure(): LogError | null {
    return this.#partition.failure;
  }

  endOffsetForEpoch(epoch: number): EpochEndOffset {
    return this.#partition.endOffsetForEpoch(epoch);
  }

  /** Whole batches; the first even if it is larger than `maxBytes`. */
  read(offset: number, maxBytes: number, upperBound = this.logEndOffset): LogRead {
    return this.#partition.read(offset, { maxBytes, upperBound });
  }

  readSnapshot(id: SnapshotId, position: number, maxBytes: number): Uint8Array | null {
    return this.#snapshots.read(id, position, maxBytes);
  }

  /** A decision's records as a batch for the offset that they were decided for. */
  encode({ records, baseOffset, lastOffset, epoch }: RecordsToAppend): EncodedBatch {
    const timestamp = this.#options.clock.now();
    const bytes = encodeMetadataBatch(records, { baseOffset, epoch, timestamp });
    return { baseOffset, lastOffset, epoch, sizeInBytes: bytes.length, bytes };
  }

  /**
   * Appends batches as they are, this leader's own or another's. `done` is called for each once it is synced, or surely
   * is not in the log.
   */
  append(batches: readonly EncodedBatch[], done: AppendDone): void {
    for (const { bytes } of batches) {
      const result = this.#partition.appendAsFollower(bytes, done, { allowGaps: false });
      if (!result.accepted) done(result.error);
    }
  }

  /** The first record of an epoch, by its leader. */
  appendLeaderChange(record: LeaderChange, baseOffset: number, epoch: number, done: AppendDone): void {
    const timestamp = this.#options.clock.now();
    const bytes = encodeControlBatch([record], { baseOffset, epoch, timestamp });
    this.append([{ baseOffset, lastOffset: baseOffset, epoch, sizeInBytes: bytes.length, bytes }], done);
  }

  truncateTo(offset: number, done: AppendDone): void {
    this.#partition.truncateTo(offset, done);
  }

  /** All before the offset is committed: retention and snapshots may go so far. */
  committed(offset: number): void {
    this.#partition.updateHighWatermark(Math.min(offset, this.logEndOffset));
  }

  /** Begins to take in a snapshot of the leader's; what came of another is dropped. */
  beginSnapshot(id: SnapshotId): void {
    this.#snapshots.beginFetched(id);
  }

  writeSnapshot(position: number, bytes: Uint8Array): void {
    this.#snapshots.writeFetched(position, bytes);
  }

  /** The snapshot is whole: the log begins anew at its end. */
  completeSnapshot(done: (error: Error | null, snapshot: LoadedSnapshot | null) => void): void {
    let snapshot: LoadedSnapshot;
    try {
      snapshot = this.#snapshots.completeFetched();
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)), null);
    }
    this.#partition.truncateFullyAndStartAt(snapshot.image.lastOffset + 1, (error) => {
      const latest = this.latestSnapshot;
      if (error === null && latest !== null) this.#snapshots.removeBefore(latest.id);
      done(error, error === null ? snapshot : null);
    });
  }

  abandonSnapshot(): void {
    this.#snapshots.abandonFetched();
  }

  /** Writes a snapshot of a committed image unless one is being written, and deletes the log that it stands for. */
  writeSnapshotOf(image: ClusterImage, lastTimestamp: number): void {
    if (this.#snapshots.writing) return;
    this.#snapshots.write(image, lastTimestamp, (error, id) => {
      if (error !== null) {
        this.#options.log.error('A metadata snapshot could not be written; the log is kept', { error });
        return;
      }
      this.#options.log.info('Wrote a metadata snapshot', { ...id });
      this.#deleteLogBefore(id.endOffset);
      this.#snapshots.removeBefore(id);
    });
  }

  get isWritingSnapshot(): boolean {
    return this.#snapshots.writing;
  }

  #goesOnFrom({ endOffset, epoch }: SnapshotId): boolean {
    if (this.logEndOffset < endOffset) return false;
    if (this.logStartOffset === endOffset) return true;
    const held = this.endOffsetForEpoch(epoch);
    return held.epoch === epoch && held.endOffset >= endOffset;
  }

  /** Nothing may be missing between the snapshot's end and the log's beginning. */
  #checkStart(): void {
    const reached = this.latestSnapshot?.id.endOffset ?? 0;
    if (this.logStartOffset <= reached) return;
    throw new MetadataError(
      'FOLD_MISMATCH',
      `the metadata log begins at offset ${this.logStartOffset}, and no snapshot reaches beyond ${reached - 1}`,
    );
  }

  /** Whole segments go; the one that is being written to is closed first, or none ever would. */
  #deleteLogBefore(offset: number): void {
    try {
      this.#partition.roll();
      this.#partition.deleteRecordsBefore(offset);
    } catch (error) {
      this.#options.log.error('The metadata log before a snapshot could not be deleted', { error });
    }
  }
}
