/**
 * One local replica: its log, its leader epoch, its high watermark, and the requests that wait on it.
 */
import type { LogRead, PartitionLog } from '@seatlog/commit-log';
import type { TopicConfig } from '../config/topic-config.ts';
import type { WaitingReads } from './waiting-reads.ts';

/** How far a read may go: followers read to the end, consumers to the high watermark or the last stable offset. */
export type ReadBound = 'log-end' | 'high-watermark' | 'last-stable';

export interface PartitionReadOptions {
  readonly maxBytes: number;
  readonly bound: ReadBound;
  /** Give the first batch even when it is larger than `maxBytes`. Default true. */
  readonly minOneBatch?: boolean;
}

export interface Partition {
  readonly topic: string;
  readonly index: number;
  /** 22 characters of base64. */
  readonly topicId: string;
  readonly log: PartitionLog;
  readonly config: TopicConfig;
  /** Who waits for more to read, or for a change of leadership. */
  readonly waitingReads: WaitingReads;

  readonly isLeader: boolean;
  /** The node that leads, -1 if none. */
  readonly leaderId: number;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];

  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;

  /**
   * Whole batches from the one that holds `offset` on, below the bound, up to `maxBytes`. Empty at the bound. Throws
   * `LogError` with `OFFSET_OUT_OF_RANGE` below the log start or past the log end. `release` the result when its
   * bytes are no longer looked at.
   */
  read(offset: number, options: PartitionReadOptions): LogRead;
}
