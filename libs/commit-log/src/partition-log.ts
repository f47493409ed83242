import type { LogConfig } from './log-config.ts';
import type { LogError } from './log-error.ts';

/**
 * The log of one partition: append, read, truncate, retain.
 *
 * What it promises
 * - Offsets are assigned in the order of `append` calls, at once. What was appended within one turn of the event
 *   loop goes to the file in one vectored write. The log end offset moves when that write is done, and with
 *   `flushMessages` 1 only when it is synced as well: nobody reads, replicates or acknowledges what is less
 *   durable than was asked for.
 * - Reads give whole batches, the bytes that were appended, checked against their CRC when they come off the disk.
 * - A failed write leaves no trace; a failed sync fences the log for good. No error stops the process.
 *
 * What it expects
 * - Batches were checked (`checkBatch`) and fit the topic's limits; `append` looks at headers only.
 * - The bytes given to `append` are stamped in place and copied: they are the caller's again when it returns.
 * - The owner tells the high watermark; retention and deleteRecords never pass it.
 * - Called from one thread. Callbacks come from within calls (`append` never calls back before it returns).
 */
export interface PartitionLog {
  readonly topic: string;
  readonly partition: number;
  /** The topic's id as `partition.metadata` holds it; null when it has none. */
  readonly topicId: string | null;
  readonly config: LogConfig;

  /** The first offset that can be read. */
  readonly logStartOffset: number;
  /** The next offset after all that is in the log: a reader's and a follower's end. */
  readonly logEndOffset: number;
  /** The next offset to be assigned; beyond the log end offset by what is still queued. */
  readonly nextAppendOffset: number;
  /** As told by the owner; at the start what the checkpoint says, bounded by log start and end. */
  readonly highWatermark: number;
  /** The end for `read_committed`: the high watermark, bounded by the first open transaction. */
  readonly lastStableOffset: number;
  /** Everything below is synced. */
  readonly recoveryPoint: number;
  /** Bytes on disk of all segments. */
  readonly sizeBytes: number;
  /** Bytes of appends that are not written yet: what back-pressure goes by. */
  readonly queuedBytes: number;
  /** Why the log takes no appends any more; null while it is well. */
  readonly failure: LogError | null;

  /**
   * Appends a leader's batches (one or more, whole), stamping offsets and the epoch into the bytes. `done` is
   * called once for an accepted append, when the log end offset has passed it or when it failed; never for a
   * refused one.
   */
  append(
    batches: Uint8Array,
    leaderEpoch: number,
    done: AppendCompletion,
    options?: AppendOptions,
  ): AppendResult;
  /** Appends what a leader sent, as it is. Refused unless it continues the log. */
  appendAsFollower(
    batches: Uint8Array,
    done: AppendCompletion,
    options?: FollowerAppendOptions,
  ): AppendResult;
  /** Writes now what is queued, without waiting for the end of the turn. */
  writeQueued(): void;
  /** Syncs all that is written so far. One sync serves all who wait; the recovery point follows. */
  flush(done: FlushCompletion): void;

  /** Whole batches from the one that holds `offset`; throws `OFFSET_OUT_OF_RANGE` or `LOG_CORRUPT`. */
  read(offset: number, options: ReadOptions): LogRead;
  /**
   * The first batch with a record of that time or later, for the caller to look inside: the log may start in the middle of
   * it. Null when there is none. Batches that end below the lower bound are not looked at.
   */
  findByTimestamp(timestamp: number, upperBound?: number, lowerBound?: number): BatchFound | null;
  /** The first batch with the greatest timestamp between the bounds, for the caller to look inside as well; null for an empty log. */
  findMaxTimestamp(upperBound?: number, lowerBound?: number): BatchFound | null;

  /** Rises and falls as told, within log start and log end. */
  updateHighWatermark(offset: number): void;
  /** Configuration takes effect with the next append, roll or retention run. */
  updateConfig(config: LogConfig): void;

  /** Notes where a leader epoch begins: for a leader its log end offset, on becoming one. */
  assignLeaderEpoch(epoch: number, startOffset: number): void;
  /** The latest epoch known, -1 for none. */
  readonly latestLeaderEpoch: number;
  readonly leaderEpochs: readonly LeaderEpochEntry[];
  /**
   * The end of the greatest epoch not above the one asked for, as OffsetForLeaderEpoch answers it: (-1, -1) when
   * the epoch is later than any known; the epoch asked for and the first start when it is earlier than all.
   */
  endOffsetForEpoch(epoch: number): EpochEndOffset;

  /** What a producer's next batch would meet, without appending it. */
  checkSequence(batch: ProducerBatch): SequenceCheck;
  /** Forgets producers that have been silent longer. */
  removeExpiredProducers(expirationMs: number): void;
  readonly producers: readonly ProducerDescription[];

  /**
   * Cuts everything from the offset on (a batch that holds it goes as a whole), synced when `done` is called: before
   * this returns, unless a write or sync is in flight. Queued appends fail, and further ones are refused until it is
   * done. The high watermark falls with the end; later epochs leave the cache even when the log stays.
   */
  truncateTo(offset: number, done: FlushCompletion): void;
  /** Drops the whole log and begins at the offset. */
  truncateFullyAndStartAt(offset: number, done: FlushCompletion): void;
  /**
   * Others hold what is here: the next start looks at all from the rot on that a read came upon, which it would trust
   * else, and ends the log there. Nothing is done where no rot was read.
   */
  distrust(): void;
  /** Whether the disk has room for an append, tried beside the log; LOG_OUT_OF_SPACE if it has none. */
  probeRoom(done: FlushCompletion): void;
  /** Raises the log start offset, not above the high watermark, and deletes segments wholly below it. */
  deleteRecordsBefore(offset: number): void;
  /** Deletes what time, size and log start allow; gives the number of segments. */
  applyRetention(now: number): number;
  /** Closes the active segment, if it holds anything, and begins another. */
  roll(): void;

  /** Segments in order, for tools and consoles. */
  describeSegments(): readonly SegmentDescription[];
  /** Writes what is queued, syncs, leaves indexes and a producer snapshot, and closes the files. */
  close(done: FlushCompletion): void;
}

/** Null when the append is in the log, as durable as the configuration asks. */
export type AppendCompletion = (error: LogError | null) => void;
export type FlushCompletion = (error: LogError | null) => void;

export interface AppendOptions {
  /** Batches of the broker itself (coordinators, metadata) bear no sequence that must be checked. Default `client`. */
  readonly origin?: 'client' | 'broker';
}

export interface FollowerAppendOptions {
  /** Compaction on the leader leaves gaps between batches. Default: whether the topic is compacted. */
  readonly allowGaps?: boolean;
}

export type AppendResult = AcceptedAppend | RefusedAppend;

export interface AcceptedAppend {
  readonly accepted: true;
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** The time stamped into the batches, or -1 where producers' timestamps are kept. */
  readonly logAppendTime: number;
  /** The batch was in the log before: these are its original offsets, and nothing was appended. */
  readonly duplicate: boolean;
}

export interface RefusedAppend {
  readonly accepted: false;
  readonly error: LogError;
}

export interface ReadOptions {
  readonly maxBytes: number;
  /** Reads stop before this offset: the high watermark, the last stable offset or the log end offset. */
  readonly upperBound: number;
  /** Give the first batch even when it is larger than `maxBytes`. Default true. */
  readonly minOneBatch?: boolean;
}

export interface LogRead {
  /** Whole batches, in order; views that stay good until `release`. */
  readonly records: readonly Uint8Array[];
  readonly sizeBytes: number;
  /** The offset after the last batch given; the offset asked for when there is none. */
  readonly nextOffset: number;
  /** Bytes that came from memory; the others were read from files. */
  readonly cachedBytes: number;
  /** Gives pooled buffers back, once. Not calling it costs a later allocation, nothing else. */
  release(): void;
}

/** A batch located by time. `batch` is a copy of its own. */
export interface BatchFound {
  readonly batch: Uint8Array;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly maxTimestamp: number;
  readonly leaderEpoch: number;
}

export interface LeaderEpochEntry {
  readonly epoch: number;
  readonly startOffset: number;
}

export interface EpochEndOffset {
  readonly epoch: number;
  readonly endOffset: number;
}

export interface ProducerBatch {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
}

export type SequenceCheck =
  | { readonly outcome: 'next' }
  | {
      readonly outcome: 'duplicate';
      readonly firstOffset: number;
      readonly lastOffset: number;
      readonly timestamp: number;
    }
  | { readonly outcome: 'refused'; readonly error: LogError };

/** As DescribeProducers tells it. */
export interface ProducerDescription {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly lastSequence: number;
  readonly lastOffset: number;
  readonly lastTimestamp: number;
  readonly coordinatorEpoch: number;
  /** -1 outside a transaction. */
  readonly currentTransactionFirstOffset: number;
}

export interface SegmentDescription {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  readonly maxTimestamp: number;
  readonly active: boolean;
  readonly synced: boolean;
}
