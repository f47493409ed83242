/**
 * The cluster's metadata at one offset of the metadata log: what all committed records up to it say.
 *
 * An image is never changed. Folding records gives another image that shares every part the records did not touch,
 * so two images are compared by comparing references (`changesBetween`).
 */
import type { Endpoint, FeatureRange } from '../records/metadata-record.ts';

/** Kafka's codes of the things that have configs. */
export const ResourceType = {
  TOPIC: 2,
  BROKER: 4,
  BROKER_LOGGER: 8,
  CLIENT_METRICS: 16,
  GROUP: 32,
} as const;

export const NO_LEADER = -1;

export const LeaderRecoveryState = {
  RECOVERED: 0,
  /** The leader was elected from outside of the ISR: records that were acknowledged may be missing. */
  RECOVERING: 1,
} as const;

/** Kafka's id of a directory that is lost: a replica there takes no appends. */
export const LOST_DIRECTORY = 'AAAAAAAAAAAAAAAAAAAAAg';

export interface BrokerRegistration {
  readonly id: number;
  /** The offset of the record that registered this incarnation. */
  readonly epoch: number;
  readonly incarnationId: string;
  readonly endpoints: readonly Endpoint[];
  readonly features: readonly FeatureRange[];
  readonly rack: string | null;
  /** A fenced broker leads nothing, is in no ISR and is not shown to clients. */
  readonly fenced: boolean;
  readonly inControlledShutdown: boolean;
  readonly logDirs: readonly string[];
}

export interface ControllerRegistration {
  readonly id: number;
  readonly incarnationId: string;
  readonly endpoints: readonly Endpoint[];
  readonly features: readonly FeatureRange[];
}

export interface PartitionImage {
  readonly index: number;
  /** In order of preference. */
  readonly replicas: readonly number[];
  readonly directories: readonly string[];
  readonly isr: readonly number[];
  readonly removingReplicas: readonly number[];
  readonly addingReplicas: readonly number[];
  /** Out of the ISR, and yet sure to hold everything below the high watermark. */
  readonly elr: readonly number[];
  readonly lastKnownElr: readonly number[];
  /** -1 if none. */
  readonly leader: number;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
  readonly leaderRecoveryState: number;
}

export interface TopicImage {
  readonly name: string;
  readonly id: string;
  /** Dense: the partition with index i stands at place i. */
  readonly partitions: readonly PartitionImage[];
}

/** The configs set on one resource; what is not in it has its default. */
export type ConfigMap = ReadonlyMap<string, string>;

export interface ClusterImage {
  /** The offset and epoch of the last record that is in the image; -1 when it is empty. */
  readonly lastOffset: number;
  readonly lastEpoch: number;
  readonly brokers: ReadonlyMap<number, BrokerRegistration>;
  readonly controllers: ReadonlyMap<number, ControllerRegistration>;
  /** By name. */
  readonly topics: ReadonlyMap<string, TopicImage>;
  readonly topicNamesById: ReadonlyMap<string, string>;
  /** By `configKey`. */
  readonly configs: ReadonlyMap<string, ConfigMap>;
  readonly features: ReadonlyMap<string, number>;
  /** The first producer id that no block contains yet. */
  readonly nextProducerId: number;
}

export const emptyImage: ClusterImage = {
  lastOffset: -1,
  lastEpoch: -1,
  brokers: new Map(),
  controllers: new Map(),
  topics: new Map(),
  topicNamesById: new Map(),
  configs: new Map(),
  features: new Map(),
  nextProducerId: 0,
};

const noConfigs: ConfigMap = new Map();

export function configKey(resourceType: number, resourceName: string): string {
  return `${resourceType}:${resourceName}`;
}

/** What `configKey` was made of. */
export function configResource(key: string): {
  readonly resourceType: number;
  readonly resourceName: string;
} {
  const colon = key.indexOf(':');
  return { resourceType: Number(key.slice(0, colon)), resourceName: key.slice(colon + 1) };
}

/** The configs set on a resource; the name of the cluster-wide broker configs is the empty string. */
export function configsOf(image: ClusterImage, resourceType: number, resourceName: string): ConfigMap {
  return image.configs.get(configKey(resourceType, resourceName)) ?? noConfigs;
}

export function topicById(image: ClusterImage, topicId: string): TopicImage | undefined {
  const name = image.topicNamesById.get(topicId);
  return name === undefined ? undefined : image.topics.get(name);
}

export function partitionOf(image: ClusterImage, topic: string, index: number): PartitionImage | undefined {
  return image.topics.get(topic)?.partitions[index];
}

/** True for a broker that may lead and be in an ISR. */
export function isActive(broker: BrokerRegistration | undefined): boolean {
  return broker !== undefined && !broker.fenced && !broker.inControlledShutdown;
}

/** The brokers that clients may see, in order of id. */
export function liveBrokers(image: ClusterImage): readonly BrokerRegistration[] {
  return [...image.brokers.values()].filter((broker) => !broker.fenced).sort((a, b) => a.id - b.id);
}

/** Whether its broker has said that a replica takes no appends. */
export function isLost(
  { replicas, directories }: Pick<PartitionImage, 'replicas' | 'directories'>,
  brokerId: number,
): boolean {
  return directories[replicas.indexOf(brokerId)] === LOST_DIRECTORY;
}

/** Whether a replica is in sync, and others could go on without it. */
export function isInSyncBesideOthers({ isr }: Pick<PartitionImage, 'isr'>, brokerId: number): boolean {
  return isr.length > 1 && isr.includes(brokerId);
}
