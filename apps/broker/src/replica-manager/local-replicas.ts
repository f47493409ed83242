/**
 * The replica manager of one broker: partitions by topic and index, appends with their waits, and the metadata
 * applied to them. `image-application.ts` decides which replicas there shall be; this file makes them so.
 */
import type { LogError, PartitionLog } from '@seatlog/commit-log';
import { batchRecordCount, ErrorCode } from '@seatlog/kafka-protocol';
import type { Clock, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { MetadataService } from '../metadata/metadata-service.ts';
import type { BrokerMetrics } from '../metrics.ts';
import { checkAcks, checkClientBatch, checkInSync, refused } from './append-check.ts';
import type { LocalPartition } from './local-partition.ts';
import type { WaitEnd } from './waiting-appends.ts';
import type {
  AppendOutcome,
  AppendRequest,
  LeadershipChange,
  LedPartition,
  ReplicaManager,
} from './replica-manager.ts';

export interface LocalReplicasOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
}

type Done = (outcome: AppendOutcome) => void;

export class LocalReplicas implements ReplicaManager {
  readonly #options: LocalReplicasOptions;
  readonly #byTopic = new Map<string, (LocalPartition | undefined)[]>();
  readonly #byLog = new Map<PartitionLog, LocalPartition>();
  readonly #listeners = new Set<(change: LeadershipChange) => void>();
  #metadata: MetadataService | null = null;

  constructor(options: LocalReplicasOptions) {
    this.#options = options;
  }

  /** Where partitions without a replica here are looked up. */
  knowTopicsOf(metadata: MetadataService): void {
    this.#metadata = metadata;
  }

  partition(topic: string, partition: number): LocalPartition | undefined {
    return this.#byTopic.get(topic)?.[partition];
  }

  *partitions(): Iterable<LocalPartition> {
    for (const partitions of this.#byTopic.values()) {
      for (const partition of partitions) if (partition !== undefined) yield partition;
    }
  }

  led(topic: string, index: number, currentLeaderEpoch = -1): LedPartition {
    const partition = this.partition(topic, index);
    if (partition === undefined) return { partition, errorCode: this.#absenceError(topic, index) };
    if (currentLeaderEpoch >= 0 && currentLeaderEpoch !== partition.leaderEpoch) {
      const isOld = currentLeaderEpoch < partition.leaderEpoch;
      return { partition, errorCode: isOld ? ErrorCode.FENCED_LEADER_EPOCH : ErrorCode.UNKNOWN_LEADER_EPOCH };
    }
    if (!partition.isLeader) return { partition, errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER };
    return { partition, errorCode: ErrorCode.NONE };
  }

  append(request: AppendRequest, done: Done): void {
    const partition = this.partition(request.topic, request.partition);
    const refusal = partition === undefined ? this.#absent(request) : this.#check(partition, request);
    if (refusal !== null || partition === undefined) {
      if (refusal !== null) done(refusal);
      return;
    }
    // Only a wait has a deadline, and only acks=all waits.
    const startedAt = request.acks === -1 ? this.#options.clock.monotonic() : 0;
    const records = batchRecordCount(request.batch);
    const size = request.batch.length;
    const result = partition.log.append(
      request.batch,
      partition.leaderEpoch,
      (error) => this.#written(partition, request, startedAt, appended, error, done),
      { origin: request.origin === 'client' ? 'client' : 'broker' },
    );
    if (!result.accepted) {
      done(refused(result.error.kafkaErrorCode, result.error.message));
      return;
    }
    // `append` never calls back before it returns, so this stands before `written` looks at it.
    const appended = result;
    if (result.duplicate) return;
    this.#options.metrics.messagesIn += records;
    this.#options.metrics.bytesIn += size;
  }

  deleteRecords(
    topic: string,
    index: number,
    beforeOffset: number,
    _timeoutMs: number,
    done: (errorCode: number, lowWatermark: number) => void,
  ): void {
    const partition = this.partition(topic, index);
    if (!partition?.isLeader) {
      done(this.#absenceError(topic, index), -1);
      return;
    }
    const target = beforeOffset === -1 ? partition.highWatermark : beforeOffset;
    if (target < 0 || target > partition.highWatermark) {
      done(ErrorCode.OFFSET_OUT_OF_RANGE, -1);
      return;
    }
    try {
      partition.log.deleteRecordsBefore(target);
    } catch (error) {
      this.#options.log.error('Records could not be deleted', { topic, partition: index, error });
      done(ErrorCode.KAFKA_STORAGE_ERROR, -1);
      return;
    }
    done(ErrorCode.NONE, partition.logStartOffset);
  }

  onLeadership(listener: (change: LeadershipChange) => void): () => void {
    this.#listeners.add(listener);
    for (const partition of this.partitions()) {
      if (partition.isLeader) listener(elected(partition));
    }
    return () => this.#listeners.delete(listener);
  }

  add(partition: LocalPartition): void {
    const partitions = this.#byTopic.get(partition.topic) ?? [];
    partitions[partition.index] = partition;
    this.#byTopic.set(partition.topic, partitions);
    this.#byLog.set(partition.log, partition);
  }

  /** Takes a replica out; whoever waits on it is answered. */
  remove(partition: LocalPartition): void {
    const partitions = this.#byTopic.get(partition.topic);
    if (partitions?.[partition.index] !== partition) return;
    partitions[partition.index] = undefined;
    if (partitions.every((other) => other === undefined)) this.#byTopic.delete(partition.topic);
    this.#byLog.delete(partition.log);
    partition.stop();
    this.tell({ kind: 'deleted', topic: partition.topic, partition: partition.index });
  }

  tell(change: LeadershipChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Events of the log directory. */
  logEndOffsetAdvanced(log: PartitionLog): void {
    this.#byLog.get(log)?.logEndAdvanced();
  }

  logStartOffsetRaised(log: PartitionLog): void {
    this.#byLog.get(log)?.logStartRaised();
  }

  /** The broker stops: fetches that wait are answered with what there is. */
  endWaitingReads(): void {
    for (const partition of this.partitions()) partition.waitingReads.partitionChanged();
  }

  /** The broker stops: waiting requests are answered, nothing more is appended. */
  stop(): void {
    for (const partition of this.partitions()) {
      const led = partition.isLeader;
      partition.stop();
      if (led) this.tell(resigned(partition));
    }
  }

  /** Kafka tells a replica that is elsewhere from a partition that is nowhere. */
  #absenceError(topic: string, partition: number): number {
    return this.#metadata?.image.topics.get(topic)?.partitions[partition] !== undefined
      ? ErrorCode.NOT_LEADER_OR_FOLLOWER
      : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  }

  #absent(request: AppendRequest): AppendOutcome {
    return checkAcks(request.acks) ?? refused(this.#absenceError(request.topic, request.partition), null);
  }

  #check(partition: LocalPartition, request: AppendRequest): AppendOutcome | null {
    const acks = checkAcks(request.acks);
    if (acks !== null) return acks;
    if (!partition.isLeader) return refused(ErrorCode.NOT_LEADER_OR_FOLLOWER, null);
    return (
      (request.origin === 'client'
        ? checkClientBatch(partition, request, this.#options.clock.now())
        : null) ?? checkInSync(partition, request.acks)
    );
  }

  /** The log has the batch, or could not take it. */
  #written(
    partition: LocalPartition,
    request: AppendRequest,
    startedAt: number,
    appended: { readonly firstOffset: number; readonly lastOffset: number; readonly logAppendTime: number },
    error: LogError | null,
    done: Done,
  ): void {
    if (error !== null) {
      done(refused(error.kafkaErrorCode, error.message));
      return;
    }
    const outcome: AppendOutcome = {
      errorCode: ErrorCode.NONE,
      errorMessage: null,
      baseOffset: appended.firstOffset,
      logAppendTime: appended.logAppendTime,
      logStartOffset: partition.logStartOffset,
    };
    if (request.acks !== -1) {
      done(outcome);
      return;
    }
    // The log's event may come after this call: the high watermark is raised before it is looked at.
    partition.logEndAdvanced();
    const required = appended.lastOffset + 1;
    if (partition.highWatermark >= required) {
      done(replicated(partition, outcome));
      return;
    }
    if (!partition.isLeader) {
      done(refused(ErrorCode.NOT_LEADER_OR_FOLLOWER, null));
      return;
    }
    const left = Math.max(0, request.timeoutMs - (this.#options.clock.monotonic() - startedAt));
    partition.waitingAppends.add(required, left, (how) => done(ended(partition, outcome, how)));
  }
}

/** R17: the high watermark has reached the append, but the ISR has become too small for acks=all meanwhile. */
function replicated(partition: LocalPartition, outcome: AppendOutcome): AppendOutcome {
  if (!partition.isUnderMinIsr) return outcome;
  return refused(
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    'Messages are written to the log, but to fewer in-sync replicas than required.',
  );
}

function ended(partition: LocalPartition, outcome: AppendOutcome, how: WaitEnd): AppendOutcome {
  switch (how) {
    case 'reached':
      return replicated(partition, outcome);
    case 'timed-out':
      return refused(ErrorCode.REQUEST_TIMED_OUT, null);
    case 'leadership-lost':
      return refused(ErrorCode.NOT_LEADER_OR_FOLLOWER, null);
  }
}

export function elected(partition: LocalPartition): LeadershipChange {
  return {
    kind: 'elected',
    topic: partition.topic,
    partition: partition.index,
    leaderEpoch: partition.leaderEpoch,
  };
}

export function resigned(partition: LocalPartition): LeadershipChange {
  return {
    kind: 'resigned',
    topic: partition.topic,
    partition: partition.index,
    leaderEpoch: partition.leaderEpoch,
  };
}
