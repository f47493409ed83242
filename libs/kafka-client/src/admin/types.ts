import type { TopicPartition, TopicPartitionOffset } from '../consumer/types.ts';

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** The broker's and the client's patience. Default: the client's `requestTimeoutMs`. */
  readonly timeoutMs?: number;
}

export interface TopicToCreate {
  readonly name: string;
  /** Default: the broker's `num.partitions`. */
  readonly partitions?: number;
  /** Default: the broker's `default.replication.factor`. */
  readonly replicationFactor?: number;
  /** Partition by partition, the brokers of its replicas; instead of the two above. */
  readonly replicaAssignment?: readonly (readonly number[])[];
  readonly configs?: Readonly<Record<string, string>>;
}

export interface CreateTopicsOptions extends RequestOptions {
  readonly validateOnly?: boolean;
  /** A topic that exists already is no failure. */
  readonly ifNotExists?: boolean;
}

export interface CreatedTopic {
  readonly name: string;
  readonly topicId: string | null;
  readonly partitions: number | null;
  readonly replicationFactor: number | null;
  /** False if it was there before (`ifNotExists`). */
  readonly created: boolean;
}

export interface PartitionDescription {
  readonly partition: number;
  /** null while there is none. */
  readonly leader: number | null;
  readonly leaderEpoch: number | null;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
  readonly offlineReplicas: readonly number[];
}

export interface TopicDescription {
  readonly name: string;
  readonly topicId: string | null;
  readonly internal: boolean;
  readonly partitions: readonly PartitionDescription[];
}

export interface TopicListing {
  readonly name: string;
  readonly topicId: string | null;
  readonly internal: boolean;
  readonly partitionCount: number;
}

export interface NodeDescription {
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly rack: string | null;
}

export interface ClusterDescription {
  readonly clusterId: string | null;
  readonly controller: NodeDescription | null;
  readonly brokers: readonly NodeDescription[];
}

export interface ConfigResource {
  readonly type: 'topic' | 'broker';
  readonly name: string;
}

export interface ConfigEntry {
  readonly name: string;
  readonly value: string | null;
  readonly source: string;
  readonly readOnly: boolean;
  readonly sensitive: boolean;
  readonly synonyms: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly source: string;
  }[];
}

export interface ConfigDescription {
  readonly resource: ConfigResource;
  readonly entries: readonly ConfigEntry[];
}

export interface ConfigAlteration {
  readonly resource: ConfigResource;
  /** null goes back to the default. */
  readonly set?: Readonly<Record<string, string | null>>;
  /** For list-valued configs. */
  readonly append?: Readonly<Record<string, string>>;
  readonly subtract?: Readonly<Record<string, string>>;
}

export interface GroupListing {
  readonly groupId: string;
  readonly protocolType: string;
  readonly state: string | null;
}

export interface GroupMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly assignment: readonly TopicPartition[];
}

export interface GroupDescription {
  readonly groupId: string;
  readonly state: string;
  readonly protocolType: string;
  readonly protocol: string;
  readonly coordinator: NodeDescription;
  readonly members: readonly GroupMember[];
}

export interface CommittedOffset extends TopicPartition {
  /** The next offset to read; null if none was committed. */
  readonly offset: number | null;
  readonly leaderEpoch: number | null;
  readonly metadata: string;
}

/** Which offset is asked for; a number is a time in milliseconds since the epoch. */
export type OffsetSpec = 'earliest' | 'latest' | number;

export interface ListedOffset extends TopicPartition {
  /** null: no record at or past that time. */
  readonly offset: number | null;
  readonly timestamp: number | null;
  readonly leaderEpoch: number | null;
}

export interface RecordsDeleted extends TopicPartition {
  readonly lowWatermark: number;
}

/**
 * Administration. Every call is one unit: if any item fails the promise rejects with an AdminError that names the failed
 * items; the others have been done.
 */
export interface Admin extends AsyncDisposable {
  createTopics(
    topics: readonly TopicToCreate[],
    options?: CreateTopicsOptions,
  ): Promise<readonly CreatedTopic[]>;
  deleteTopics(names: readonly string[], options?: RequestOptions): Promise<void>;
  listTopics(options?: RequestOptions): Promise<readonly TopicListing[]>;
  describeTopics(names: readonly string[], options?: RequestOptions): Promise<readonly TopicDescription[]>;
  /** Raises the partition count of topics to the given totals. */
  createPartitions(totals: Readonly<Record<string, number>>, options?: RequestOptions): Promise<void>;
  deleteRecords(
    before: readonly TopicPartitionOffset[],
    options?: RequestOptions,
  ): Promise<readonly RecordsDeleted[]>;
  describeConfigs(
    resources: readonly (ConfigResource & { readonly names?: readonly string[] })[],
    options?: RequestOptions,
  ): Promise<readonly ConfigDescription[]>;
  alterConfigs(
    alterations: readonly ConfigAlteration[],
    options?: RequestOptions & { readonly validateOnly?: boolean },
  ): Promise<void>;
  listGroups(options?: RequestOptions): Promise<readonly GroupListing[]>;
  describeGroups(groupIds: readonly string[], options?: RequestOptions): Promise<readonly GroupDescription[]>;
  deleteGroups(groupIds: readonly string[], options?: RequestOptions): Promise<void>;
  /** Committed offsets of a group; of all its partitions if none are named. */
  fetchOffsets(
    groupId: string,
    options?: RequestOptions & { readonly partitions?: readonly TopicPartition[] },
  ): Promise<readonly CommittedOffset[]>;
  /** Sets committed offsets of a group that has no members. */
  commitOffsets(
    groupId: string,
    offsets: readonly TopicPartitionOffset[],
    options?: RequestOptions,
  ): Promise<void>;
  listOffsets(
    partitions: readonly TopicPartition[],
    spec: OffsetSpec,
    options?: RequestOptions & { readonly isolationLevel?: 'read_uncommitted' | 'read_committed' },
  ): Promise<readonly ListedOffset[]>;
  describeCluster(options?: RequestOptions): Promise<ClusterDescription>;
  close(): Promise<void>;
}
