/** Partitions on disk in Kafka's format: append, read, recover, retain. */
export {
  type CleanupPolicy,
  DEFAULT_LOG_CONFIG,
  type LogConfig,
  SMALLEST_SEGMENT_BYTES,
} from './log-config.ts';
export {
  type CloseOptions,
  type CreatePartitionOptions,
  DEFAULT_LOG_INTERVALS,
  DEFAULT_LOG_LIMITS,
  type LogDirectory,
  type LogDirectoryOptions,
  type LogEvent,
  type LogIntervals,
  type LogLimits,
  type LogListener,
  type PartitionOnDisk,
} from './log-directory.ts';
export { openLogDirectory } from './disk-log-directory.ts';
export { LogError, type LogErrorCode } from './log-error.ts';
export type {
  AcceptedAppend,
  AppendCompletion,
  AppendOptions,
  AppendResult,
  BatchFound,
  EpochEndOffset,
  FlushCompletion,
  FollowerAppendOptions,
  LeaderEpochEntry,
  LogRead,
  PartitionLog,
  ProducerBatch,
  ProducerDescription,
  ReadOptions,
  RefusedAppend,
  SegmentDescription,
  SequenceCheck,
} from './partition-log.ts';
