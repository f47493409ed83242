/** The admin: its calls are grouped by what they are about, one file each. */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { brokerError } from '../broker-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { EARLIEST_TIMESTAMP, LATEST_TIMESTAMP, lookUpOffsets } from '../cluster/offset-lookup.ts';
import type { TopicPartition, TopicPartitionOffset } from '../consumer/types.ts';
import { alterConfigs, describeConfigs } from './config-admin.ts';
import { commitOffsets, deleteGroups, describeGroups, fetchOffsets, listGroups } from './group-admin.ts';
import { inRounds } from './item-rounds.ts';
import {
  createPartitions,
  createTopics,
  deleteRecords,
  deleteTopics,
  describeTopics,
  listTopics,
} from './topic-admin.ts';
import type {
  Admin,
  ClusterDescription,
  ConfigAlteration,
  ConfigResource,
  CreateTopicsOptions,
  ListedOffset,
  OffsetSpec,
  RequestOptions,
  TopicToCreate,
} from './types.ts';

export class KafkaAdmin implements Admin {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  createTopics(topics: readonly TopicToCreate[], options: CreateTopicsOptions = {}) {
    return createTopics(this.#cluster, topics, options);
  }

  deleteTopics(names: readonly string[], options: RequestOptions = {}) {
    return deleteTopics(this.#cluster, names, options);
  }

  listTopics(options: RequestOptions = {}) {
    return listTopics(this.#cluster, options);
  }

  describeTopics(names: readonly string[], options: RequestOptions = {}) {
    return describeTopics(this.#cluster, names, options);
  }

  createPartitions(totals: Readonly<Record<string, number>>, options: RequestOptions = {}) {
    return createPartitions(this.#cluster, totals, options);
  }

  deleteRecords(before: readonly TopicPartitionOffset[], options: RequestOptions = {}) {
    return deleteRecords(this.#cluster, before, options);
  }

  describeConfigs(
    resources: readonly (ConfigResource & { readonly names?: readonly string[] })[],
    options: RequestOptions = {},
  ) {
    return describeConfigs(this.#cluster, resources, options);
  }

  alterConfigs(
    alterations: readonly ConfigAlteration[],
    options: RequestOptions & { readonly validateOnly?: boolean } = {},
  ) {
    return alterConfigs(this.#cluster, alterations, options);
  }

  listGroups(options: RequestOptions = {}) {
    return listGroups(this.#cluster, options);
  }

  describeGroups(groupIds: readonly string[], options: RequestOptions = {}) {
    return describeGroups(this.#cluster, groupIds, options);
  }

  deleteGroups(groupIds: readonly string[], options: RequestOptions = {}) {
    return deleteGroups(this.#cluster, groupIds, options);
  }

  fetchOffsets(
    groupId: string,
    options: RequestOptions & { readonly partitions?: readonly TopicPartition[] } = {},
  ) {
    return fetchOffsets(this.#cluster, groupId, options);
  }

  commitOffsets(groupId: string, offsets: readonly TopicPartitionOffset[], options: RequestOptions = {}) {
    return commitOffsets(this.#cluster, groupId, offsets, options);
  }

  async listOffsets(
    partitions: readonly TopicPartition[],
    spec: OffsetSpec,
    options: RequestOptions & { readonly isolationLevel?: 'read_uncommitted' | 'read_committed' } = {},
  ): Promise<ListedOffset[]> {
    const timestamp = spec === 'earliest' ? EARLIEST_TIMESTAMP : spec === 'latest' ? LATEST_TIMESTAMP : spec;
    const { ports, requestTimeoutMs } = this.#cluster.settings;
    const answers = await lookUpOffsets(
      this.#cluster,
      partitions.map(({ topic, partition }) => ({ topic, partition, timestamp })),
      options.isolationLevel === 'read_committed',
      { deadline: ports.clock.monotonic() + (options.timeoutMs ?? requestTimeoutMs), signal: options.signal },
    );
    return partitions.map(({ topic, partition }) => {
      const answer = answers.find((one) => one.topic === topic && one.partition === partition);
      const orNull = (value: number | undefined): number | null =>
        value === undefined || value < 0 ? null : value;
      return {
        topic,
        partition,
        offset: orNull(answer?.offset),
        timestamp: orNull(answer?.timestamp),
        leaderEpoch: orNull(answer?.leaderEpoch),
      };
    });
  }

  async describeCluster(options: RequestOptions = {}): Promise<ClusterDescription> {
    const [found] = await inRounds(
      this.#cluster,
      ['the cluster'],
      options,
      (name) => name,
      async (_, context) => [await this.#describeCluster(context.deadline)],
    );
    return found as ClusterDescription;
  }

  async #describeCluster(deadline: number) {
    const connection = await this.#cluster.anyConnection();
    if (connection.versions.choose(apis.describeCluster) === null) {
      await this.#cluster.refresh({ deadline });
      const { clusterId, controllerId, brokers } = this.#cluster.metadata;
      const controller = brokers.get(controllerId) ?? null;
      return { result: { clusterId, controller, brokers: [...brokers.values()] } };
    }
    const response = await connection.request(apis.describeCluster, {
      includeClusterAuthorizedOperations: false,
    });
    if (response.errorCode !== ErrorCode.NONE) {
      return {
        error: brokerError(response.errorCode, { what: 'the cluster', message: response.errorMessage }),
      };
    }
    const brokers = response.brokers.map(({ brokerId, host, port, rack }) => ({
      id: brokerId,
      host,
      port,
      rack,
    }));
    const controller = brokers.find(({ id }) => id === response.controllerId) ?? null;
    return { result: { clusterId: response.clusterId, controller, brokers } };
  }

  /** Its connections belong to the client. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
