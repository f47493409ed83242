/**
 * The replica manager of one broker: partitions by topic and index, their fetchers and proposals, appends with their
 * waits. `image-application.ts` decides which replicas there shall be; this file makes them so.
 *
 * A broker makes it first, for its logs tell it their events; `begin` joins it to the cluster, `stop` ends all that waits
 * and all connections.
 */
import type { LogError, PartitionLog } from '@seatlog/commit-log';
import { batchRecordCount, ErrorCode } from '@seatlog/kafka-protocol';
import {
  type ClusterImage,
  isInSyncBesideOthers,
  isLost,
  type PartitionImage,
  type TopicImage,
} from '@seatlog/metadata-quorum';
import type { Cancel } from '@seatlog/runtime';
import type { TopicConfig } from '../config/topic-config.ts';
import type { MetadataService } from '../metadata/metadata-service.ts';
import { checkClientBatch, checkLeader, outcomeOf, refused } from './append-check.ts';
import type { ControllerRequests } from '../controller/controller-requests.ts';
import { LocalPartition } from './local-partition.ts';
import type { PartitionSurroundings } from './partition-surroundings.ts';
import { type BatchSink, ProduceOperation } from './produce-operation.ts';
import type {
  AppendOrigin,
  AppendOutcome,
  AppendRequest,
  FetcherDescription,
  LeadershipChange,
  LedPartition,
  PartitionBatch,
  ProduceAnswer,
  ProduceRequest,
  ReplicaManager,
} from './replica-manager.ts';
import { SingleProduce } from './single-produce.ts';
import { describeFetchers, replicationOf, type Replication, type ReplicationOptions } from './replication.ts';

const NO_BATCH = { topic: '', partition: -1, batch: new Uint8Array(0) };

/** What joins the replicas to the cluster. */
export interface ReplicaCluster {
  /** Where partitions without a replica here are looked up. */
  readonly metadata: MetadataService;
  /** Null: nobody takes proposals of ISRs, as nobody follows. */
  readonly controller: ControllerRequests | null;
  /** The epoch of this process's own registration; undefined: what the applied image says of this node. */
  readonly brokerEpoch?: () => number;
}

export class LocalReplicas implements ReplicaManager {
  readonly #options: ReplicationOptions;
  readonly #replication: Replication;
  readonly #surroundings: PartitionSurroundings;
  readonly #byTopic = new Map<string, (LocalPartition | undefined)[]>();
  readonly #byLog = new Map<PartitionLog, LocalPartition>();
  readonly #listeners = new Set<(change: LeadershipChange) => void>();
  #metadata: MetadataService | null = null;
  #cancelLagCheck: Cancel | null = null;

  constructor(options: ReplicationOptions) {
    this.#options = options;
    this.#replication = replicationOf(options, (topicId, index) => this.#byId(topicId, index));
    this.#surroundings = {
      ...this.#replication.surroundings,
      leadershipChanged: (change) => this.#tell(change),
    };
  }

  /** Before that nothing is known of the cluster. */
  begin({ metadata, controller, brokerEpoch }: ReplicaCluster): void {
    this.#metadata = metadata;
    if (controller !== null) {
      this.#replication.proposals.sendTo(controller);
      this.#replication.directories.sendTo(controller);
    }
    this.#replication.cluster.ownEpoch = brokerEpoch;
    this.#checkLagLater();
  }

  /** The brokers as replication sees them: told before the partitions of the same image. */
  clusterChanged(image: ClusterImage): void {
    const { cluster } = this.#replication;
    const haveBrokersChanged = cluster.image.brokers !== image.brokers;
    cluster.image = image;
    if (haveBrokersChanged) this.#tellLeaders({ type: 'brokers-changed' });
  }

  get fetchers(): readonly FetcherDescription[] {
    return describeFetchers(this.#replication.fetchers);
  }

  get maxLag(): number {
    return this.#replication.fetchers.maxLag;
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

  append(request: AppendRequest, done: (outcome: AppendOutcome) => void): void {
    const { acks, timeoutMs, origin, allowZstd = true } = request;
    if (acks === -1 || acks === 1 || acks === 0) {
      this.#append(acks, origin, allowZstd, request, new SingleProduce(this.#options, request, done));
      return;
    }
    this.produce({ acks, timeoutMs, origin, allowZstd, batches: [request] }, (answer) =>
      done(outcomeOf(answer)),
    );
  }

  produce(request: ProduceRequest, done: (answer: ProduceAnswer) => void): void {
    const { acks, origin, allowZstd, batches } = request;
    const append = (place: number, sink: BatchSink): void =>
      this.#append(acks, origin, allowZstd, batches[place] ?? NO_BATCH, sink);
    new ProduceOperation(this.#options, request, append, done).start();
  }

  deleteRecords(
    topic: string,
    index: number,
    beforeOffset: number,
    timeoutMs: number,
    done: (errorCode: number, lowWatermark: number) => void,
  ): void {
    const partition = this.partition(topic, index);
    if (!partition?.isLeader) {
      done(this.#absenceError(topic, index), -1);
      return;
    }
    if (!partition.config['cleanup.policy'].includes('delete')) {
      done(ErrorCode.POLICY_VIOLATION, -1);
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
    let cancelTimeout: Cancel = () => {};
    const token = partition.awaitDeletion(target, (errorCode, lowWatermark) => {
      cancelTimeout();
      done(errorCode, lowWatermark);
    });
    if (!partition.isWaiting(token)) return;
    cancelTimeout = this.#options.timers.schedule(Math.max(0, timeoutMs), () => partition.expireWait(token));
  }

  onLeadership(listener: (change: LeadershipChange) => void): () => void {
    this.#listeners.add(listener);
    for (const partition of this.partitions()) {
      if (!partition.isLeader) continue;
      const { topic, index, leaderEpoch } = partition;
      listener({ kind: 'elected', topic, partition: index, leaderEpoch });
    }
    return () => this.#listeners.delete(listener);
  }

  /** A replica that has no role yet. */
  open(topicId: string, log: PartitionLog, config: TopicConfig): LocalPartition {
    const partition = new LocalPartition(topicId, log, config, this.#surroundings);
    const partitions = this.#byTopic.get(partition.topic) ?? [];
    partitions[partition.index] = partition;
    this.#byTopic.set(partition.topic, partitions);
    this.#byLog.set(log, partition);
    return partition;
  }

  /** A replica that the metadata gives this broker and that is not there, for its log could not be opened. */
  unopened(topic: TopicImage, partition: PartitionImage): void {
    const { nodeId } = this.#surroundings;
    const replica = {
      topic: topic.name,
      topicId: topic.id,
      index: partition.index,
      isFailing: true,
      isFenced: true,
      isInSync: isInSyncBesideOthers(partition, nodeId),
      isMarkedLost: isLost(partition, nodeId),
      probeRoom: (done: () => void) => done(),
    };
    this.#replication.directories.lookAt(replica);
  }

  /** Takes a replica out; whoever waits on it is answered. */
  remove(partition: LocalPartition): void {
    const partitions = this.#byTopic.get(partition.topic);
    if (partitions?.[partition.index] !== partition) return;
    partitions[partition.index] = undefined;
    if (partitions.every((other) => other === undefined)) this.#byTopic.delete(partition.topic);
    this.#byLog.delete(partition.log);
    this.#replication.directories.forget(partition);
    partition.stop();
    this.#tell({ kind: 'deleted', topic: partition.topic, partition: partition.index });
  }

  /** Events of the log directory. */
  logEndOffsetAdvanced(log: PartitionLog): void {
    this.#byLog.get(log)?.logEndAdvanced();
  }

  failed(log: PartitionLog): void {
    this.#byLog.get(log)?.logFailed();
  }

  logStartOffsetRaised(log: PartitionLog): void {
    this.#byLog.get(log)?.logStartRaised();
  }

  /** The broker stops: fetches that wait are answered with what there is. */
  endWaitingReads(): void {
    for (const partition of this.partitions()) partition.waitingReads.partitionChanged();
  }

  /** The broker stops: waiting requests are answered, nothing more is appended, fetched or proposed. */
  stop(): void {
    this.#cancelLagCheck?.();
    this.#cancelLagCheck = null;
    for (const partition of this.partitions()) partition.stop();
    this.#replication.fetchers.stop();
    this.#replication.proposals.stop();
    this.#replication.directories.stop();
  }

  #tell(change: LeadershipChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #byId(topicId: string, index: number): LocalPartition | undefined {
    const name = this.#replication.cluster.image.topicNamesById.get(topicId);
    const partition = name === undefined ? undefined : this.partition(name, index);
    return partition?.topicId === topicId ? partition : undefined;
  }

  #tellLeaders(event: { readonly type: 'brokers-changed' | 'lag-check' }): void {
    for (const partition of this.partitions()) if (partition.isLeader) partition.tellLeader(event);
  }

  /** R11. */
  #checkLagLater(): void {
    this.#cancelLagCheck = this.#options.timers.schedule(this.#surroundings.replicaLagTimeMaxMs / 2, () => {
      this.#tellLeaders({ type: 'lag-check' });
      this.#checkLagLater();
    });
  }

  /** Kafka tells a replica that is elsewhere from a partition that is nowhere. */
  #absenceError(topic: string, partition: number): number {
    return this.#metadata?.image.topics.get(topic)?.partitions[partition] !== undefined
      ? ErrorCode.NOT_LEADER_OR_FOLLOWER
      : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  }

  #append(
    acks: number,
    origin: AppendOrigin,
    allowZstd: boolean,
    { topic, partition: index, batch }: PartitionBatch,
    sink: BatchSink,
  ): void {
    const partition = this.partition(topic, index);
    if (partition === undefined) {
      sink.refused(refused(this.#absenceError(topic, index), null));
      return;
    }
    const refusal =
      (partition.isLeader && origin === 'client'
        ? checkClientBatch(partition, batch, allowZstd, this.#options.clock.now())
        : null) ?? checkLeader(partition, acks);
    if (refusal !== null) {
      sink.refused(refusal);
      return;
    }
    const records = batchRecordCount(batch);
    const size = batch.length;
    const result = partition.append(batch, origin === 'client' ? 'client' : 'broker', (error) => {
      if (error === null) {
        const { firstOffset, lastOffset, logAppendTime } = appended;
        const { logStartOffset } = partition;
        sink.written(partition, { baseOffset: firstOffset, lastOffset, logAppendTime, logStartOffset });
      } else {
        partition.writeFailed();
        sink.refused(refusalOf(error));
      }
    });
    if (!result.accepted) {
      sink.refused(refusalOf(result.error));
      return;
    }
    // `append` never calls back before it returns, so this stands before the callback looks at it.
    const appended = result;
    if (result.duplicate) return;
    this.#options.metrics.messagesIn += records;
    this.#options.metrics.bytesIn += size;
  }
}

function refusalOf({ kafkaErrorCode, message }: LogError): AppendOutcome {
  return refused(kafkaErrorCode, message);
}
