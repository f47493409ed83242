/**
 * One local replica: its log, its leader epoch, its high watermark, and the requests that wait on it.
 */
import type { PartitionLog } from '@seatlog/commit-log';
import type { TopicConfig } from '../config/topic-config.ts';

/** How far a read may go: followers read to the end, consumers to the high watermark or the last stable offset. */
export type ReadBound = 'log-end' | 'high-watermark' | 'last-stable';

export interface Partition {
  readonly topic: string;
  readonly index: number;
  /** 22 characters of base64. */
  readonly topicId: string;
  readonly log: PartitionLog;
  readonly config: TopicConfig;

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
   * Whole batches from the one that holds `offset` on, below the bound, up to `maxBytes` but at least one batch.
   * Empty at the bound. Throws `OffsetOutOfRange` below the log start or past the log end.
   */
  read(offset: number, maxBytes: number, bound: ReadBound): readonly Uint8Array[];
}
