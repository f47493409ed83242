/**
 * Creating topics: Kafka's checks, defaults and placement.
 *
 * Topics of one request are decided one after another; a refused one takes nothing from the others. Each created
 * topic becomes a TopicRecord, its configs, and its partitions.
 */
import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import type { Random } from '@seatlog/runtime';
import type { ClusterImage, ConfigMap } from '../image/cluster-image.ts';
import { ResourceType } from '../image/cluster-image.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import type { ConfigSchema } from './config-schema.ts';
import type { Decision } from './decision.ts';
import { orRefusal, Refusal, repeated } from './decision.ts';
import { checkReplicas } from './manual-assignment.ts';
import { createdPartition } from './partition-creation.ts';
import { placeReplicas } from './replica-placement.ts';
import { randomUuid } from './random-uuid.ts';
import { CollisionIndex, METADATA_TOPIC, topicNameProblem } from './topic-name.ts';

/** So many partitions may one request create: its records must fit one batch of the metadata log. */
export const MAX_PARTITIONS_PER_REQUEST = 10_000;
/** Replicas of one request, for the same reason. */
export const MAX_REPLICAS_PER_REQUEST = 100_000;

export interface TopicToCreate {
  readonly name: string;
  /** -1: the default. */
  readonly numPartitions: number;
  /** -1: the default. */
  readonly replicationFactor: number;
  readonly assignments: readonly { readonly partitionIndex: number; readonly brokerIds: readonly number[] }[];
  readonly configs: readonly { readonly name: string; readonly value: string | null }[];
}

export interface CreateTopicsRequest {
  readonly topics: readonly TopicToCreate[];
  readonly validateOnly: boolean;
}

export interface TopicDefaults {
  readonly numPartitions: number;
  readonly replicationFactor: number;
}

export interface CreateTopicsContext {
  readonly defaults: TopicDefaults;
  readonly schema: ConfigSchema;
  readonly random: Random;
}

/** The result for one topic. Counts are -1 and configs empty if it was refused. */
export interface CreatedTopic {
  readonly name: string;
  readonly topicId: string;
  readonly errorCode: number;
  readonly errorMessage: string | null;
  readonly numPartitions: number;
  readonly replicationFactor: number;
  /** What the topic itself sets. */
  readonly configs: ConfigMap;
}

/** What the topics of one request have taken so far. */
interface Spent {
  partitions: number;
  replicas: number;
  readonly names: CollisionIndex;
}

/** One result for each topic of the request, in its order; a name that stands there twice has one result. */
export function createTopics(
  image: ClusterImage,
  request: CreateTopicsRequest,
  context: CreateTopicsContext,
): Decision<readonly CreatedTopic[]> {
  const twice = repeated(request.topics.map((topic) => topic.name));
  const answer = new Map<string, CreatedTopic>();
  const records: MetadataRecord[] = [];
  const spent: Spent = { partitions: 0, replicas: 0, names: new CollisionIndex(image) };
  for (const topic of request.topics) {
    if (answer.has(topic.name)) continue;
    const result = orRefusal(
      () => {
        if (twice.has(topic.name)) {
          throw new Refusal(
            ErrorCode.INVALID_REQUEST,
            `The request names topic ${topic.name} more than once.`,
          );
        }
        const decided = createTopic(image, topic, context, spent);
        records.push(...decided.records);
        spent.names.add(topic.name);
        return decided.answer;
      },
      (refusal) => refusedTopic(topic.name, refusal),
    );
    answer.set(topic.name, result);
  }
  return { records: request.validateOnly ? [] : records, answer: [...answer.values()] };
}

function createTopic(
  image: ClusterImage,
  topic: TopicToCreate,
  context: CreateTopicsContext,
  spent: Spent,
): Decision<CreatedTopic> {
  checkName(image, topic.name, spent.names);
  const configs = topicConfigs(topic, context.schema);
  const placement =
    topic.assignments.length === 0
      ? automaticPlacement(image, topic, context)
      : manualPlacement(image, topic);
  spend(spent, placement);
  const topicId = randomUuid(context.random);
  return {
    records: [
      { type: 'TopicRecord', name: topic.name, topicId },
      ...[...configs].map(
        ([name, value]): MetadataRecord => ({
          type: 'ConfigRecord',
          resourceType: ResourceType.TOPIC,
          resourceName: topic.name,
          name,
          value,
        }),
      ),
      ...placement.map((replicas, index) => createdPartition(image, topicId, index, replicas)),
    ],
    answer: {
      name: topic.name,
      topicId,
      errorCode: ErrorCode.NONE,
      errorMessage: null,
      numPartitions: placement.length,
      replicationFactor: placement[0]?.length ?? -1,
      configs,
    },
  };
}

function checkName(image: ClusterImage, name: string, names: CollisionIndex): void {
  const problem = topicNameProblem(name);
  if (problem !== null) throw new Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, problem);
  if (name === METADATA_TOPIC) {
    throw new Refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED, `${METADATA_TOPIC} is the cluster's own log.`);
  }
  if (image.topics.has(name))
    throw new Refusal(ErrorCode.TOPIC_ALREADY_EXISTS, `Topic ${name} exists already.`);
  const colliding = names.colliding(name);
  if (colliding !== undefined) {
    throw new Refusal(
      ErrorCode.INVALID_TOPIC_EXCEPTION,
      `Topic ${name} collides with topic ${colliding}: names must differ in more than "." and "_".`,
    );
  }
}

function topicConfigs(topic: TopicToCreate, schema: ConfigSchema): ConfigMap {
  const configs = new Map<string, string>();
  for (const { name, value } of topic.configs) {
    if (value === null) throw new Refusal(ErrorCode.INVALID_CONFIG, `Config ${name} has no value.`);
    configs.set(name, value);
  }
  const problem = schema.problem(ResourceType.TOPIC, topic.name, configs);
  if (problem !== null) throw new Refusal(ErrorCode.INVALID_CONFIG, problem);
  return configs;
}

function automaticPlacement(
  image: ClusterImage,
  topic: TopicToCreate,
  { defaults, random }: CreateTopicsContext,
): readonly (readonly number[])[] {
  if (topic.replicationFactor < -1 || topic.replicationFactor === 0) {
    throw new Refusal(
      ErrorCode.INVALID_REPLICATION_FACTOR,
      `Replication factor ${topic.replicationFactor}: it must be at least 1, or -1 for the default.`,
    );
  }
  if (topic.numPartitions < -1 || topic.numPartitions === 0) {
    throw new Refusal(
      ErrorCode.INVALID_PARTITIONS,
      `Number of partitions ${topic.numPartitions}: it must be at least 1, or -1 for the default.`,
    );
  }
  const partitions = topic.numPartitions === -1 ? defaults.numPartitions : topic.numPartitions;
  const replicationFactor =
    topic.replicationFactor === -1 ? defaults.replicationFactor : topic.replicationFactor;
  if (partitions > MAX_PARTITIONS_PER_REQUEST) throw tooLarge();
  return placeReplicas(image, { partitions, replicationFactor }, random);
}

function manualPlacement(image: ClusterImage, topic: TopicToCreate): readonly (readonly number[])[] {
  if (topic.replicationFactor !== -1 || topic.numPartitions !== -1) {
    throw new Refusal(
      ErrorCode.INVALID_REQUEST,
      'With replica assignments, replication factor and number of partitions must be -1.',
    );
  }
  const placement: (readonly number[])[] = [];
  const ordered = [...topic.assignments].sort((a, b) => a.partitionIndex - b.partitionIndex);
  for (const [index, { partitionIndex, brokerIds }] of ordered.entries()) {
    if (partitionIndex !== index) {
      throw new Refusal(
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        'Replica assignments must be for partitions 0, 1, 2 and so on, one for each.',
      );
    }
    checkReplicas(image, brokerIds, placement[0]?.length);
    placement.push(brokerIds);
  }
  return placement;
}

function spend(spent: Spent, placement: readonly (readonly number[])[]): void {
  const partitions = spent.partitions + placement.length;
  const replicas = spent.replicas + placement.length * (placement[0]?.length ?? 0);
  if (partitions > MAX_PARTITIONS_PER_REQUEST || replicas > MAX_REPLICAS_PER_REQUEST) throw tooLarge();
  spent.partitions = partitions;
  spent.replicas = replicas;
}

function tooLarge(): Refusal {
  return new Refusal(
    ErrorCode.POLICY_VIOLATION,
    `One request may create ${MAX_PARTITIONS_PER_REQUEST} partitions with ${MAX_REPLICAS_PER_REQUEST} replicas.`,
  );
}

function refusedTopic(name: string, refusal: Refusal): CreatedTopic {
  return {
    name,
    topicId: ZERO_UUID,
    errorCode: refusal.errorCode,
    errorMessage: refusal.message,
    numPartitions: -1,
    replicationFactor: -1,
    configs: new Map(),
  };
}
