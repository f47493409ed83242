/**
 * `__cluster_metadata-0` on disk: its partition log, its snapshots, and the quorum state beside them.
 *
 * Everything is synced before it counts: records before they are committed, the quorum state before its epoch is used,
 * a snapshot before the log that it stands for is deleted.
 */
import {
  DEFAULT_LOG_CONFIG,
  type LogConfig,
  type LogDirectory,
  type PartitionLog,
} from '@seatlog/commit-log';
import {
  decodeMetadataBatches,
  electOnlyVoter,
  encodeControlBatch,
  encodeMetadataBatch,
  METADATA_TOPIC,
  MetadataError,
  MetadataReplay,
  parseQuorumState,
  QUORUM_STATE_FILE,
  type QuorumState,
  quorumStateText,
  type RecordsToAppend,
} from '@seatlog/metadata-quorum';
import { type Clock, type FileSystem, FileSystemError } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import { SnapshotFiles } from './snapshot-files.ts';

/** Kafka's fixed id of the metadata log. */
const METADATA_TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAQ';
/** Bytes of the log that are read at a time when it is replayed. */
const REPLAY_CHUNK_BYTES = 4 * 1024 * 1024;

/** Kept until a snapshot stands for it, and synced before anything is acknowledged. */
const logConfig: LogConfig = {
  ...DEFAULT_LOG_CONFIG,
  retentionMs: -1,
  retentionBytes: -1,
  flushMessages: 1,
};

export interface MetadataLogOptions {
  readonly directory: LogDirectory;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly log: Logger;
  /** `metadata.log.max.record.bytes.between.snapshots`. */
  readonly bytesBetweenSnapshots: number;
}

export type AppendDone = (error: Error | null) => void;

export class MetadataLog {
  readonly #options: MetadataLogOptions;
  readonly #partition: PartitionLog;
  readonly #path: string;
  readonly #snapshots: SnapshotFiles;
  readonly #replay: MetadataReplay;
  #bytesSinceSnapshot = 0;

  /** Loads the latest snapshot and replays the log after it. Throws if they do not fit together. */
  constructor(options: MetadataLogOptions) {
    this.#options = options;
    const { directory, fileSystem, log } = options;
    this.#partition =
      directory.load(METADATA_TOPIC, 0, logConfig) ??
      directory.create(METADATA_TOPIC, 0, { topicId: METADATA_TOPIC_ID, config: logConfig });
    this.#path = `${directory.path}/${METADATA_TOPIC}-0`;
    this.#snapshots = new SnapshotFiles(this.#path, fileSystem, log);
    const snapshot = this.#snapshots.loadLatest();
    this.#replay = new MetadataReplay(snapshot?.image, snapshot?.lastTimestamp);
    this.#checkStart();
    this.#replayToEnd();
  }

  /** All records that are in the log, applied; `apply` moves it on. */
  get replay(): MetadataReplay {
    return this.#replay;
  }

  /** Why the log takes nothing any more; null while it is well. */
  get failure(): Error | null {
    return this.#partition.failure;
  }

  get nextOffset(): number {
    return this.#partition.nextAppendOffset;
  }

  /**
   * Makes this node, the only voter, leader in an epoch of its own. What was in the log is synced first, so that
   * nothing is built on records that a power cut could still take away. `done` gets the epoch.
   */
  claim(nodeId: number, done: (error: Error | null, epoch: number) => void): void {
    const elect = (error: Error | null): void => {
      if (error !== null) return done(error, -1);
      this.#elect(nodeId, done);
    };
    const { nextOffset } = this.#replay;
    const { logEndOffset } = this.#partition;
    if (logEndOffset >= nextOffset) return this.#partition.flush(elect);
    // Only what the snapshot holds can be missing: the log is synced before a snapshot of it is written.
    this.#options.log.warn('The metadata log ends before its snapshot; it goes on from there', {
      logEndOffset,
      snapshotEndOffset: nextOffset,
    });
    this.#partition.truncateFullyAndStartAt(nextOffset, elect);
  }

  /** Appends a decision's records; `done` is called when they are synced, or surely are not in the log. */
  append(append: RecordsToAppend, done: AppendDone): void {
    const timestamp = this.#options.clock.now();
    const { baseOffset, lastOffset, epoch, records } = append;
    const batch = encodeMetadataBatch(records, { baseOffset, epoch, timestamp });
    this.#append(batch, baseOffset, epoch, (error) => {
      if (error !== null) return done(error);
      if (this.#replay.nextOffset !== baseOffset) {
        return done(
          new MetadataError('FOLD_MISMATCH', `the metadata log took offset ${baseOffset} after a gap`),
        );
      }
      this.#replay.apply({ kind: 'metadata', baseOffset, lastOffset, epoch, timestamp, records });
      this.#snapshotIfDue();
      done(null);
    });
  }

  #elect(nodeId: number, done: (error: Error | null, epoch: number) => void): void {
    const lastEpoch = Math.max(this.#partition.latestLeaderEpoch, this.#replay.image.lastEpoch);
    const elected = electOnlyVoter(nodeId, this.#readQuorumState(), lastEpoch);
    const epoch = elected.leaderEpoch;
    const text = quorumStateText(elected, [nodeId]);
    try {
      this.#options.fileSystem.replaceFile(this.#statePath(), Buffer.from(text));
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      return done(error, -1);
    }
    const baseOffset = this.#replay.nextOffset;
    this.#partition.assignLeaderEpoch(epoch, baseOffset);
    const timestamp = this.#options.clock.now();
    const records = [
      { type: 'LeaderChange', leaderId: nodeId, voters: [nodeId], grantingVoters: [nodeId] },
    ] as const;
    const batch = encodeControlBatch(records, { baseOffset, epoch, timestamp });
    this.#append(batch, baseOffset, epoch, (error) => {
      if (error !== null) return done(error, -1);
      this.#replay.apply({ kind: 'control', baseOffset, lastOffset: baseOffset, epoch, timestamp, records });
      done(null, epoch);
    });
  }

  #append(batch: Uint8Array, baseOffset: number, epoch: number, done: AppendDone): void {
    const result = this.#partition.append(
      batch,
      epoch,
      (error) => {
        if (error === null) this.#partition.updateHighWatermark(this.#partition.logEndOffset);
        done(error);
      },
      { origin: 'broker' },
    );
    if (!result.accepted) return done(result.error);
    if (result.firstOffset !== baseOffset) {
      throw new MetadataError(
        'FOLD_MISMATCH',
        `records for offset ${baseOffset} of the metadata log were given offset ${result.firstOffset}`,
      );
    }
    this.#bytesSinceSnapshot += batch.length;
  }

  #readQuorumState(): QuorumState | null {
    const { fileSystem, log } = this.#options;
    const path = this.#statePath();
    if (fileSystem.stat(path) === null) return null;
    const state = parseQuorumState(Buffer.from(fileSystem.readFile(path)).toString('utf8'));
    if (state === null)
      log.warn('The quorum state cannot be read; the epochs of the log are gone by', { path });
    return state;
  }

  #statePath(): string {
    return `${this.#path}/${QUORUM_STATE_FILE}`;
  }

  /** Nothing may be missing between the snapshot's end and the log's beginning. */
  #checkStart(): void {
    const { nextOffset } = this.#replay;
    const { logStartOffset } = this.#partition;
    if (logStartOffset <= nextOffset) return;
    throw new MetadataError(
      'FOLD_MISMATCH',
      `the metadata log begins at offset ${logStartOffset}, and no snapshot reaches beyond ${nextOffset - 1}`,
    );
  }

  #replayToEnd(): void {
    const end = this.#partition.logEndOffset;
    while (this.#replay.nextOffset < end) {
      const read = this.#partition.read(this.#replay.nextOffset, {
        maxBytes: REPLAY_CHUNK_BYTES,
        upperBound: end,
      });
      const before = this.#replay.nextOffset;
      for (const bytes of read.records) {
        for (const batch of decodeMetadataBatches(bytes)) this.#replay.apply(batch);
      }
      this.#bytesSinceSnapshot += read.sizeBytes;
      read.release();
      if (this.#replay.nextOffset === before) {
        throw new MetadataError('MALFORMED_RECORD', `the metadata log cannot be read at offset ${before}`);
      }
    }
    this.#partition.updateHighWatermark(end);
  }

  #snapshotIfDue(): void {
    const { image, lastTimestamp } = this.#replay;
    if (this.#bytesSinceSnapshot < this.#options.bytesBetweenSnapshots || this.#snapshots.writing) return;
    this.#bytesSinceSnapshot = 0;
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
