/**
 * What is known of the cluster: brokers, topics, leaders. Pure. Only ever moves forward: a leader with an older epoch than
 * the known one is not taken over, since it comes from a broker that lags behind.
 */
import { ErrorCode, ZERO_UUID, type apis, type ResponseOf } from '@seatlog/kafka-protocol';

export type MetadataResponse = ResponseOf<typeof apis.metadata>;

export interface BrokerNode {
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly rack: string | null;
}

export interface PartitionState {
  /** -1 while there is none. */
  readonly leader: number;
  /** -1 if the broker does not tell. */
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
  readonly offlineReplicas: readonly number[];
}

export interface TopicState {
  readonly name: string;
  /** null if the broker speaks no topic ids. */
  readonly topicId: string | null;
  readonly internal: boolean;
  /** Of the last answer about this topic. Partitions known before are kept beside it. */
  readonly errorCode: number;
  /** Indexed by partition. */
  readonly partitions: readonly PartitionState[];
  /** Partitions that have a leader, rising. */
  readonly available: readonly number[];
}

const NO_PARTITION: PartitionState = {
  leader: -1,
  leaderEpoch: -1,
  replicas: [],
  isr: [],
  offlineReplicas: [],
};

export class MetadataCache {
  #brokers: ReadonlyMap<number, BrokerNode> = new Map();
  readonly #topics = new Map<string, TopicState>();
  #clusterId: string | null = null;
  #controllerId = -1;

  get brokers(): ReadonlyMap<number, BrokerNode> {
    return this.#brokers;
  }

  get clusterId(): string | null {
    return this.#clusterId;
  }

  get controllerId(): number {
    return this.#controllerId;
  }

  topic(name: string): TopicState | undefined {
    return this.#topics.get(name);
  }

  /** -1 if the partition is unknown or has none. */
  leaderOf(topic: string, partition: number): number {
    return this.#topics.get(topic)?.partitions[partition]?.leader ?? -1;
  }

  nameOf(topicId: string): string | null {
    for (const topic of this.#topics.values()) if (topic.topicId === topicId) return topic.name;
    return null;
  }

  apply(response: MetadataResponse): void {
    this.#brokers = new Map(
      response.brokers.map(({ nodeId, host, port, rack }) => [nodeId, { id: nodeId, host, port, rack }]),
    );
    this.#clusterId = response.clusterId ?? this.#clusterId;
    this.#controllerId = response.controllerId;
    for (const answer of response.topics) if (answer.name !== null) this.#applyTopic(answer.name, answer);
  }

  /** A leader told beside an error of another request. Ignored unless it is the later one. */
  learnLeader(topic: string, partition: number, leader: number, leaderEpoch: number): boolean {
    const known = this.#topics.get(topic);
    const old = known?.partitions[partition];
    if (known === undefined || old === undefined || leader < 0 || leaderEpoch <= old.leaderEpoch)
      return false;
    if (!this.#brokers.has(leader)) return false;
    const partitions = known.partitions.with(partition, { ...old, leader, leaderEpoch });
    this.#topics.set(topic, { ...known, partitions, available: withLeader(partitions) });
    return true;
  }

  /** An address told beside another answer. */
  learnBroker(node: BrokerNode): void {
    this.#brokers = new Map([...this.#brokers, [node.id, node]]);
  }

  #applyTopic(name: string, answer: MetadataResponse['topics'][number]): void {
    const topicId = answer.topicId === ZERO_UUID ? null : answer.topicId;
    const known = this.#topics.get(name);
    if (answer.errorCode !== ErrorCode.NONE && answer.partitions.length === 0 && known !== undefined) {
      this.#topics.set(name, { ...known, errorCode: answer.errorCode });
      return;
    }
    const comparable = known !== undefined && (known.topicId === topicId || topicId === null) ? known : null;
    const partitions: PartitionState[] = [];
    for (const partition of answer.partitions) {
      while (partitions.length <= partition.partitionIndex) partitions.push(NO_PARTITION);
      const old = comparable?.partitions[partition.partitionIndex];
      partitions[partition.partitionIndex] =
        old !== undefined && partition.leaderEpoch < old.leaderEpoch
          ? old
          : {
              leader: partition.leaderId,
              leaderEpoch: partition.leaderEpoch,
              replicas: partition.replicaNodes,
              isr: partition.isrNodes,
              offlineReplicas: partition.offlineReplicas,
            };
    }
    this.#topics.set(name, {
      name,
      topicId,
      internal: answer.isInternal,
      errorCode: answer.errorCode,
      partitions,
      available: withLeader(partitions),
    });
  }
}

function withLeader(partitions: readonly PartitionState[]): number[] {
  return partitions.flatMap((partition, index) => (partition.leader >= 0 ? [index] : []));
}
