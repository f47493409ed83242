/**
 * This broker's replicas. Holds a `Partition` for each replica that the metadata image gives this broker, makes them
 * leader, follower or deletes them as the image changes, and does what needs more than one partition or a wait: appends
 * that wait for the high watermark, record deletion.
 */
import type { Partition } from './partition.ts';

/** Who appends. Only coordinators may write to internal topics and write control batches. */
export type AppendOrigin = 'client' | 'coordinator';

export interface AppendRequest {
  readonly topic: string;
  readonly partition: number;
  /** One record batch v2, base offset 0. The bytes are stamped in place and copied: the caller's again when `append` returns. */
  readonly batch: Uint8Array;
  /** -1: wait for the high watermark; 1: for the leader's own write; 0: as 1, the caller tells nobody. */
  readonly acks: number;
  readonly timeoutMs: number;
  readonly origin: AppendOrigin;
  /** False for Produce requests below version 7. Default true. */
  readonly allowZstd?: boolean;
}

export interface AppendOutcome {
  /** Kafka's error code, 0 when the records are written as far as `acks` asks. */
  readonly errorCode: number;
  readonly errorMessage: string | null;
  /** Offset of the first record; -1 on an error. */
  readonly baseOffset: number;
  /** -1 unless the topic stamps LogAppendTime. */
  readonly logAppendTime: number;
  readonly logStartOffset: number;
}

export type LedPartition =
  | { readonly partition: Partition; readonly errorCode: 0 }
  /** `partition` is the local replica, if there is one: it knows who leads. */
  | { readonly partition: Partition | undefined; readonly errorCode: number };

/** The batches of one request, each for another partition. Their bytes are the caller's again when `produce` returns. */
export interface ProduceRequest {
  readonly acks: number;
  readonly timeoutMs: number;
  readonly origin: AppendOrigin;
  readonly allowZstd: boolean;
  readonly batches: readonly PartitionBatch[];
}

export interface PartitionBatch {
  readonly topic: string;
  readonly partition: number;
  readonly batch: Uint8Array;
}

export type ProduceAnswer =
  /** One outcome for each batch, in their order. */
  | { readonly kind: 'answer'; readonly outcomes: readonly AppendOutcome[] }
  /** acks=0: nobody waits for an answer. */
  | { readonly kind: 'silence' }
  /** acks=0, and something was refused: the client learns it by the end of its connection. */
  | { readonly kind: 'closing'; readonly errorCode: number };

/** How leadership of a local replica changed. A higher epoch under the same leader is reported as `elected` again. */
export type LeadershipChange =
  | {
      readonly kind: 'elected';
      readonly topic: string;
      readonly partition: number;
      readonly leaderEpoch: number;
    }
  | {
      readonly kind: 'resigned';
      readonly topic: string;
      readonly partition: number;
      readonly leaderEpoch: number;
    }
  | { readonly kind: 'deleted'; readonly topic: string; readonly partition: number };

/** One of this broker's replica fetchers. */
export interface FetcherDescription {
  /** `ReplicaFetcherThread-<fetcher id>-<leader id>`. */
  readonly name: string;
  readonly leaderId: number;
  readonly partitions: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly state: string;
    readonly lag: number;
  }[];
}

export interface ReplicaManager {
  /** The local replica, leader or not; undefined if this broker holds none. */
  partition(topic: string, partition: number): Partition | undefined;
  /** This broker's fetchers: from whom it copies what. */
  readonly fetchers: readonly FetcherDescription[];
  /** The greatest number of committed records that a followed partition lacks. */
  readonly maxLag: number;
  /** All local replicas. */
  partitions(): Iterable<Partition>;

  /**
   * The partition if this broker leads it, in the epoch that the request names (-1: any); else Kafka's error code:
   * UNKNOWN_TOPIC_OR_PARTITION, FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, NOT_LEADER_OR_FOLLOWER.
   */
  led(topic: string, partition: number, currentLeaderEpoch?: number): LedPartition;

  /** Appends the batches of a request and waits as far as `acks` asks (R16). `done` is called once, maybe at once. */
  produce(request: ProduceRequest, done: (answer: ProduceAnswer) => void): void;

  /** Appends one batch to a partition this broker leads. `done` is called exactly once, at once for refusals. */
  append(request: AppendRequest, done: (outcome: AppendOutcome) => void): void;

  /**
   * Raises the log start offset of a led partition (-1: to the high watermark). `done` gets an error code and the
   * lowest log start of its live replicas (-1 on an error), once that is as far.
   */
  deleteRecords(
    topic: string,
    partition: number,
    beforeOffset: number,
    timeoutMs: number,
    done: (errorCode: number, lowWatermark: number) => void,
  ): void;

  /**
   * Tells about changes of leadership from now on, and at once about partitions led already. Called after the
   * partition can serve (elected) or has stopped serving (resigned, deleted).
   */
  onLeadership(listener: (change: LeadershipChange) => void): () => void;
}
