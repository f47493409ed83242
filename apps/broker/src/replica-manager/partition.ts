/**
 * One local replica: its log, its part in the cluster, and the requests that wait on it.
 */
import type { LogRead, PartitionLog } from '@seatlog/commit-log';
import type { FetchLook, FetchVerdict, ReadBound } from '@seatlog/replication';
import type { TopicConfig } from '../config/topic-config.ts';
import type { WaitingReads } from './waiting-reads.ts';

export type { ReadBound } from '@seatlog/replication';

export interface PartitionReadOptions {
  readonly maxBytes: number;
  readonly bound: ReadBound;
  /** Give the first batch even when it is larger than `maxBytes`. Default true. */
  readonly minOneBatch?: boolean;
}

/** A follower as its leader knows it. */
export interface FollowerDescription {
  readonly brokerId: number;
  /** -1: it has not fetched since this leader was elected. */
  readonly logEndOffset: number;
  readonly logStartOffset: number;
  /** Milliseconds since 1970; null: never. */
  readonly lastCaughtUpTimeMs: number | null;
  readonly brokerEpoch: number;
}

export interface ReplicationDescription {
  readonly role: 'idle' | 'leading' | 'electing' | 'following';
  /** The ISR with a pending expansion, and without a pending shrink. Of a leader; else empty. */
  readonly maximalIsr: readonly number[];
  readonly isrState: string | null;
  readonly followers: readonly FollowerDescription[];
  /** Of a follower: what it is at, and how many records it lacks. */
  readonly fetchState: string | null;
  readonly lag: number | null;
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
  readonly isUnderMinIsr: boolean;

  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;

  /**
   * What to answer to a fetch of this partition: refuse, tell where histories part, or read up to a bound. The fetch of
   * a follower is its report of what it holds, at its first look.
   */
  lookAtFetch(look: FetchLook, when: 'first' | 'again'): FetchVerdict;

  /**
   * Whole batches from the one that holds `offset` on, below the bound, up to `maxBytes`. Empty at the bound. Throws
   * `LogError` with `OFFSET_OUT_OF_RANGE` below the log start or past the log end. `release` the result when its
   * bytes are no longer looked at.
   */
  read(offset: number, options: PartitionReadOptions): LogRead;

  describeReplication(): ReplicationDescription;
}
