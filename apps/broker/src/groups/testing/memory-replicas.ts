/**
 * Replicas of the offsets topic in memory: what is appended is stamped and kept as batches, and is replicated at once,
 * or when the test says so. Leadership is given and taken by the test.
 */
import type { LogRead } from '@seatlog/commit-log';
import { batchLastOffset, ErrorCode, stampBaseOffset } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '@seatlog/metadata-quorum';
import type { BrokerConfig } from '../../config/broker-config.ts';
import { topicConfigOf } from '../../config/topic-config.ts';
import type { Partition } from '../../replica-manager/partition.ts';
import type {
  AppendOutcome,
  AppendRequest,
  LeadershipChange,
  LedPartition,
  ReplicaManager,
} from '../../replica-manager/replica-manager.ts';
import { WaitingReads } from '../../replica-manager/waiting-reads.ts';

const outcome = (errorCode: number, baseOffset = -1): AppendOutcome => ({
  errorCode,
  errorMessage: null,
  baseOffset,
  logAppendTime: -1,
  logStartOffset: 0,
});

type PartitionParts = Pick<
  Partition,
  | 'topic'
  | 'index'
  | 'config'
  | 'isLeader'
  | 'leaderEpoch'
  | 'logStartOffset'
  | 'logEndOffset'
  | 'highWatermark'
  | 'waitingReads'
  | 'read'
>;

export class MemoryPartition implements PartitionParts {
  readonly topic: string;
  readonly index: number;
  readonly config: Partition['config'];
  readonly waitingReads = new WaitingReads();
  readonly batches: Uint8Array[] = [];
  readonly logStartOffset = 0;
  leaderEpoch = 0;
  isLeader = true;
  logEndOffset = 0;
  highWatermark = 0;
  /** The batches cannot be read. */
  isBroken = false;
  #waiting: { readonly end: number; readonly done: (outcome: AppendOutcome) => void }[] = [];

  constructor(topic: string, index: number, config: BrokerConfig) {
    this.topic = topic;
    this.index = index;
    this.config = topicConfigOf(config, new Map());
  }

  read(offset: number): LogRead {
    if (this.isBroken) throw new Error('the disk is gone');
    const next = this.batches.find((batch) => batchLastOffset(batch, 0) >= offset);
    return {
      records: next === undefined ? [] : [next],
      sizeBytes: next?.length ?? 0,
      nextOffset: next === undefined ? offset : batchLastOffset(next, 0) + 1,
      cachedBytes: 0,
      release: () => {},
    };
  }

  append(batch: Uint8Array, isReplicated: boolean, done: (outcome: AppendOutcome) => void): void {
    stampBaseOffset(batch, 0, this.logEndOffset);
    this.batches.push(batch);
    this.logEndOffset = batchLastOffset(batch, 0) + 1;
    this.#waiting.push({ end: this.logEndOffset, done });
    if (isReplicated) this.replicate();
  }

  replicate(): void {
    this.highWatermark = this.logEndOffset;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { end, done } of waiting) done(outcome(ErrorCode.NONE, end - 1));
    this.waitingReads.highWatermarkRaised();
  }

  loseLeadership(): void {
    this.isLeader = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { done } of waiting) done(outcome(ErrorCode.NOT_LEADER_OR_FOLLOWER));
  }
}

export class MemoryReplicas implements ReplicaManager {
  /** Whether appends are replicated at once. */
  replicates = true;
  readonly #config: BrokerConfig;
  readonly #partitions = new Map<string, MemoryPartition>();
  readonly #listeners = new Set<(change: LeadershipChange) => void>();

  constructor(config: BrokerConfig) {
    this.#config = config;
  }

  /** Opens the partitions that the image has and leads them all. */
  apply(image: ClusterImage): void {
    for (const { name, partitions } of image.topics.values()) {
      for (const { index } of partitions) {
        if (this.#partitions.has(`${name}-${index}`)) continue;
        this.#partitions.set(`${name}-${index}`, new MemoryPartition(name, index, this.#config));
        this.elect(name, index);
      }
    }
  }

  memory(topic: string, index: number): MemoryPartition {
    const partition = this.#partitions.get(`${topic}-${index}`);
    if (partition === undefined) throw new Error(`there is no ${topic}-${index}`);
    return partition;
  }

  elect(topic: string, index: number, leaderEpoch = 0): void {
    const partition = this.memory(topic, index);
    partition.isLeader = true;
    partition.leaderEpoch = leaderEpoch;
    this.#tell({ kind: 'elected', topic, partition: index, leaderEpoch });
  }

  resign(topic: string, index: number): void {
    const partition = this.memory(topic, index);
    partition.loseLeadership();
    this.#tell({ kind: 'resigned', topic, partition: index, leaderEpoch: partition.leaderEpoch });
  }

  delete(topic: string, index: number): void {
    this.memory(topic, index).loseLeadership();
    this.#partitions.delete(`${topic}-${index}`);
    this.#tell({ kind: 'deleted', topic, partition: index });
  }

  partition(topic: string, index: number): Partition | undefined {
    // Coordinators use no more of a partition than these parts.
    return this.#partitions.get(`${topic}-${index}`) as Partition | undefined;
  }

  *partitions(): Iterable<Partition> {
    for (const { topic, index } of this.#partitions.values()) {
      const partition = this.partition(topic, index);
      if (partition !== undefined) yield partition;
    }
  }

  led(topic: string, index: number): LedPartition {
    const partition = this.partition(topic, index);
    return partition === undefined
      ? { partition, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION }
      : { partition, errorCode: 0 };
  }

  append(request: AppendRequest, done: (outcome: AppendOutcome) => void): void {
    const partition = this.#partitions.get(`${request.topic}-${request.partition}`);
    if (partition?.isLeader !== true) done(outcome(ErrorCode.NOT_LEADER_OR_FOLLOWER));
    else partition.append(request.batch, this.replicates, done);
  }

  readonly fetchers = [];
  readonly maxLag = 0;

  produce(): void {
    throw new Error('coordinators append one batch at a time');
  }

  deleteRecords(): void {
    throw new Error('coordinators delete no records');
  }

  onLeadership(listener: (change: LeadershipChange) => void): () => void {
    this.#listeners.add(listener);
    for (const { topic, index, isLeader, leaderEpoch } of this.#partitions.values()) {
      if (isLeader) listener({ kind: 'elected', topic, partition: index, leaderEpoch });
    }
    return () => this.#listeners.delete(listener);
  }

  #tell(change: LeadershipChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
