import type { Clock, FileSystem, Random, Timers, Turns } from '@seatlog/runtime';
import type { LogConfig } from './log-config.ts';
import type { LogError } from './log-error.ts';
import type { FlushCompletion, PartitionLog } from './partition-log.ts';

/**
 * All partitions of one `log.dir`, in Kafka's layout, held by one process.
 *
 * `openLogDirectory` takes the directory (lock, `meta.properties`, clean-stop marker) and loads nothing yet:
 * the owner loads the metadata log first, learns the topics' configurations from it, then loads the rest.
 * A partition that cannot be loaded stands in `failures`; the others work.
 */
export interface LogDirectory {
  readonly path: string;
  readonly clusterId: string;
  readonly nodeId: number;
  /** Kafka's `directory.id`. */
  readonly directoryId: string;
  /** Whether the last run stopped cleanly; then logs open without being scanned. */
  readonly cleanStart: boolean;
  /**
   * The broker epoch that the clean-stop marker carries; null without one, and where partitions are gone that were there
   * at that stop: whoever registers with that epoch says that nothing is lost (F24).
   */
  readonly previousBrokerEpoch: number | null;
  /** Partitions, by name, that were loaded after a clean stop and ended before where that stop left them. */
  readonly shortened: ReadonlySet<string>;

  /** Partitions found on disk that are neither loaded nor failed. */
  notLoaded(): readonly PartitionOnDisk[];
  /** Loads one partition from disk; null when there is none. Throws when it cannot be served. */
  load(topic: string, partition: number, config: LogConfig): PartitionLog | null;
  /** Loads all that is found, with the configuration that the owner names; failures are kept, not thrown. */
  loadAll(configOf: (found: PartitionOnDisk) => LogConfig): void;
  /**
   * The same in turns of the process, of some milliseconds each, in which others have theirs; until `done` nothing else is
   * asked of the directory but `notLoaded`, which tells how far it is, and `close`, after which `done` does not come.
   */
  loadAllInTurns(configOf: (found: PartitionOnDisk) => LogConfig, done: () => void): void;
  /** Partitions that could not be loaded, by `<topic>-<partition>`. */
  readonly failures: ReadonlyMap<string, LogError>;

  get(topic: string, partition: number): PartitionLog | undefined;
  partitions(): Iterable<PartitionLog>;
  /**
   * Makes a partition, empty. Nothing is synced: its files and its name last from its first sync on, and until then there
   * is nothing in it to be lost. Throws when it exists.
   */
  create(topic: string, partition: number, options: CreatePartitionOptions): PartitionLog;
  /**
   * Removes a partition, loaded or failed: its directory is renamed at once and unlinked later. An unknown one is
   * no error.
   */
  delete(topic: string, partition: number): void;
  /** Sets a directory aside (`-stray`) that the metadata knows nothing of; nothing in it is lost. */
  moveAside(topic: string, partition: number): void;

  /** Bytes that wait to be written, over all partitions. */
  readonly queuedBytes: number;
  /** Writes the three checkpoint files now. They are also written at their intervals and at close. */
  checkpoint(done?: FlushCompletion): void;
  /** Runs retention over all partitions now; gives the number of segments deleted. It also runs at its interval. */
  applyRetention(): number;
  /**
   * Stops: writes what is queued, syncs, closes; then checkpoints and the clean-stop marker. If any partition
   * failed or was shortened there is no marker. The lock is released in any case.
   */
  close(options: CloseOptions, done: FlushCompletion): void;
}

export interface PartitionOnDisk {
  readonly topic: string;
  readonly partition: number;
  readonly topicId: string | null;
}

export interface CreatePartitionOptions {
  readonly topicId: string | null;
  readonly config: LogConfig;
}

export interface CloseOptions {
  /** Kept in the clean-stop marker, to be compared at the next registration; -1 when the broker has none. */
  readonly brokerEpoch: number;
}

export interface LogDirectoryOptions {
  readonly path: string;
  readonly clusterId: string;
  readonly nodeId: number;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly random: Random;
  readonly listener?: LogListener;
  readonly limits?: Partial<LogLimits>;
  readonly intervals?: Partial<LogIntervals>;
}

/** What the owner of the logs hears of them, as events. Each comes outside of any state change in progress. */
export interface LogListener {
  /** More can be read: wake followers, try to raise the high watermark. Once per completed write or sync. */
  logEndOffsetAdvanced?(log: PartitionLog): void;
  logStartOffsetRaised?(log: PartitionLog): void;
  /** The log is fenced or out of room: leadership should move. */
  failed?(log: PartitionLog, error: LogError): void;
  /** Something a person may want to read. */
  report?(event: LogEvent): void;
}

export interface LogEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  /** `<topic>-<partition>`, where it is about one. */
  readonly partition?: string;
}

export interface LogLimits {
  /** Appended buffers kept for readers that are caught up, over all partitions. */
  readonly tailCacheBytes: number;
  /** Appends of one partition that wait to be written; more is refused with LOG_QUEUE_FULL. */
  readonly queuedBytesPerPartition: number;
  /** Sealed segments whose files and indexes are kept open. */
  readonly openSegments: number;
  /** Memory for the indexes of sealed segments. */
  readonly indexBytes: number;
  /** Read buffers kept for reuse. */
  readonly pooledReadBytes: number;
}

export const DEFAULT_LOG_LIMITS: LogLimits = {
  tailCacheBytes: 32 * 1024 * 1024,
  queuedBytesPerPartition: 64 * 1024 * 1024,
  openSegments: 512,
  indexBytes: 64 * 1024 * 1024,
  pooledReadBytes: 16 * 1024 * 1024,
};

/** Kafka's names: log.retention.check.interval.ms, log.flush.offset.checkpoint.interval.ms and so on. */
export interface LogIntervals {
  readonly retentionCheckMs: number;
  readonly recoveryPointCheckpointMs: number;
  readonly logStartOffsetCheckpointMs: number;
  readonly highWatermarkCheckpointMs: number;
  readonly producerIdExpirationMs: number;
}

export const DEFAULT_LOG_INTERVALS: LogIntervals = {
  retentionCheckMs: 300_000,
  recoveryPointCheckpointMs: 60_000,
  logStartOffsetCheckpointMs: 60_000,
  highWatermarkCheckpointMs: 5_000,
  producerIdExpirationMs: 86_400_000,
};
