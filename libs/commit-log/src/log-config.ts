/** What of a topic's configuration governs its logs, under Kafka's names in camel case. It may change at run time. */
export interface LogConfig {
  /** A segment is closed before it would grow beyond this. 14 bytes up; a larger batch gets a segment of its own. */
  readonly segmentBytes: number;
  /** A segment is closed once its first batch is this much older than the one to be appended. */
  readonly segmentMs: number;
  /** Bytes that an index may take; a full one closes the segment. */
  readonly segmentIndexBytes: number;
  /** At most this much of a segment lies between two index entries, batches being whole. */
  readonly indexIntervalBytes: number;
  /** Segments whose records are all older are deleted; -1 keeps them. */
  readonly retentionMs: number;
  /** Oldest segments are deleted while the log is larger without them; -1 keeps them. */
  readonly retentionBytes: number;
  readonly cleanupPolicy: CleanupPolicy;
  /**
   * So many messages at most are acknowledged and not yet synced, plus one: 1 acknowledges nothing before it is
   * synced. Infinity leaves syncing to the system.
   */
  readonly flushMessages: number;
  /** A sync follows an append within this time; Infinity leaves it to the system. */
  readonly flushMs: number;
  /** Deleted segments are unlinked this much later, so that readers can finish. */
  readonly fileDeleteDelayMs: number;
  readonly messageTimestampType: 'CreateTime' | 'LogAppendTime';
}

export type CleanupPolicy = 'delete' | 'compact' | 'compact,delete';

const HOUR_MS = 3_600_000;

/** Kafka's defaults. */
export const DEFAULT_LOG_CONFIG: LogConfig = {
  segmentBytes: 1_073_741_824,
  segmentMs: 168 * HOUR_MS,
  segmentIndexBytes: 10_485_760,
  indexIntervalBytes: 4096,
  retentionMs: 168 * HOUR_MS,
  retentionBytes: -1,
  cleanupPolicy: 'delete',
  flushMessages: Number.POSITIVE_INFINITY,
  flushMs: Number.POSITIVE_INFINITY,
  fileDeleteDelayMs: 60_000,
  messageTimestampType: 'CreateTime',
};

export const SMALLEST_SEGMENT_BYTES = 14;
