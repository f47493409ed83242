/** Topics and partitions: create, delete, list, describe, grow, cut. */
import { apis, ErrorCode, ZERO_UUID, type ResponseOf } from '@seatlog/kafka-protocol';
import { brokerError } from '../broker-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { KafkaClientError } from '../errors.ts';
import { partitionKey } from '../consumer/partition-sets.ts';
import type { TopicPartitionOffset } from '../consumer/types.ts';
import { controllerConnection } from './controller.ts';
import { inRounds, type ItemOutcome } from './item-rounds.ts';
import type {
  CreatedTopic,
  CreateTopicsOptions,
  RecordsDeleted,
  RequestOptions,
  TopicDescription,
  TopicListing,
  TopicToCreate,
} from './types.ts';

type MetadataTopic = ResponseOf<typeof apis.metadata>['topics'][number];
const DEFAULT_COUNT = -1;

export function createTopics(
  cluster: Cluster,
  topics: readonly TopicToCreate[],
  options: CreateTopicsOptions,
): Promise<CreatedTopic[]> {
  return inRounds(
    cluster,
    topics,
    options,
    ({ name }) => name,
    async (open, { deadline, timeoutMs }) => {
      const connection = await controllerConnection(cluster, deadline);
      const response = await connection.request(
        apis.createTopics,
        {
          topics: open.map(topicToCreate),
          timeoutMs: Math.ceil(timeoutMs),
          validateOnly: options.validateOnly === true,
        },
        { timeoutMs },
      );
      return open.map(({ name }) => {
        const answer = response.topics.find((topic) => topic.name === name);
        if (answer === undefined) return { error: missing(name) };
        const exists = answer.errorCode === ErrorCode.TOPIC_ALREADY_EXISTS && options.ifNotExists === true;
        if (answer.errorCode === ErrorCode.NONE || exists) return { result: createdTopic(answer, !exists) };
        return refused(answer.errorCode, `topic ${name} was not created`, answer.errorMessage);
      });
    },
  );
}

function topicToCreate(topic: TopicToCreate) {
  const { name, replicaAssignment, configs = {} } = topic;
  return {
    name,
    numPartitions: replicaAssignment === undefined ? (topic.partitions ?? DEFAULT_COUNT) : -1,
    replicationFactor: replicaAssignment === undefined ? (topic.replicationFactor ?? DEFAULT_COUNT) : -1,
    assignments: (replicaAssignment ?? []).map((brokerIds, partitionIndex) => ({
      partitionIndex,
      brokerIds,
    })),
    configs: Object.entries(configs).map(([configName, value]) => ({ name: configName, value })),
  };
}

function createdTopic(
  answer: ResponseOf<typeof apis.createTopics>['topics'][number],
  created: boolean,
): CreatedTopic {
  const { name, topicId, numPartitions, replicationFactor } = answer;
  return {
    name,
    topicId: topicId === ZERO_UUID ? null : topicId,
    partitions: numPartitions < 0 ? null : numPartitions,
    replicationFactor: replicationFactor < 0 ? null : replicationFactor,
    created,
  };
}

export async function deleteTopics(
  cluster: Cluster,
  names: readonly string[],
  options: RequestOptions,
): Promise<void> {
  await inRounds(
    cluster,
    names,
    options,
    (name) => name,
    async (open, { deadline, timeoutMs }) => {
      const connection = await controllerConnection(cluster, deadline);
      const response = await connection.request(
        apis.deleteTopics,
        (version) => ({
          ...(version >= 6 ? { topics: open.map((name) => ({ name })) } : { topicNames: [...open] }),
          timeoutMs: Math.ceil(timeoutMs),
        }),
        { timeoutMs },
      );
      return open.map((name): ItemOutcome<null> => {
        const answer = response.responses.find((topic) => topic.name === name);
        if (answer === undefined) return { error: missing(name) };
        if (answer.errorCode === ErrorCode.NONE) return { result: null };
        // A topic that is not there may appear on no other broker either: that is an answer, not a passing fault.
        return forGood(refused(answer.errorCode, `topic ${name} was not deleted`, answer.errorMessage));
      });
    },
  );
}

export async function listTopics(cluster: Cluster, options: RequestOptions): Promise<TopicListing[]> {
  const [topics] = await inRounds(
    cluster,
    ['topics'],
    options,
    (what) => what,
    async (_, { timeoutMs }) => {
      const connection = await cluster.anyConnection();
      const response = await connection.request(apis.metadata, { topics: null }, { timeoutMs });
      return [{ result: response.topics }];
    },
  );
  return (topics ?? [])
    .map((topic) => ({
      name: topic.name ?? '',
      topicId: topic.topicId === ZERO_UUID ? null : topic.topicId,
      internal: topic.isInternal,
      partitionCount: topic.partitions.length,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function describeTopics(
  cluster: Cluster,
  names: readonly string[],
  options: RequestOptions,
): Promise<TopicDescription[]> {
  return inRounds(
    cluster,
    names,
    options,
    (name) => name,
    async (open, { timeoutMs }) => {
      const connection = await cluster.anyConnection();
      const response = await connection.request(
        apis.metadata,
        (version) => ({
          topics: open.map((name) => ({ name })),
          ...(version >= 4 ? { allowAutoTopicCreation: false } : {}),
        }),
        { timeoutMs },
      );
      return open.map((name): ItemOutcome<TopicDescription> => {
        const answer = response.topics.find((topic) => topic.name === name);
        if (answer === undefined) return { error: missing(name) };
        if (answer.errorCode === ErrorCode.NONE) return { result: topicDescription(name, answer) };
        return forGood(refused(answer.errorCode, `topic ${name} cannot be described`, null));
      });
    },
  );
}

function topicDescription(name: string, answer: MetadataTopic): TopicDescription {
  return {
    name,
    topicId: answer.topicId === ZERO_UUID ? null : answer.topicId,
    internal: answer.isInternal,
    partitions: answer.partitions
      .map((partition) => ({
        partition: partition.partitionIndex,
        leader: partition.leaderId < 0 ? null : partition.leaderId,
        leaderEpoch: partition.leaderEpoch < 0 ? null : partition.leaderEpoch,
        replicas: partition.replicaNodes,
        isr: partition.isrNodes,
        offlineReplicas: partition.offlineReplicas,
      }))
      .sort((a, b) => a.partition - b.partition),
  };
}

export async function createPartitions(
  cluster: Cluster,
  totals: Readonly<Record<string, number>>,
  options: RequestOptions,
): Promise<void> {
  const items = Object.entries(totals);
  await inRounds(
    cluster,
    items,
    options,
    ([name]) => name,
    async (open, { deadline, timeoutMs }) => {
      const connection = await controllerConnection(cluster, deadline);
      const response = await connection.request(
        apis.createPartitions,
        {
          topics: open.map(([name, count]) => ({ name, count, assignments: null })),
          timeoutMs: Math.ceil(timeoutMs),
          validateOnly: false,
        },
        { timeoutMs },
      );
      return open.map(([name]): ItemOutcome<null> => {
        const answer = response.results.find((topic) => topic.name === name);
        if (answer === undefined) return { error: missing(name) };
        if (answer.errorCode === ErrorCode.NONE) return { result: null };
        return refused(answer.errorCode, `topic ${name} got no more partitions`, answer.errorMessage);
      });
    },
  );
  cluster.requestRefresh();
}

export function deleteRecords(
  cluster: Cluster,
  before: readonly TopicPartitionOffset[],
  options: RequestOptions,
): Promise<RecordsDeleted[]> {
  return inRounds(cluster, before, options, partitionKey, async (open, { deadline, timeoutMs }) => {
    await cluster.awaitTopics([...new Set(open.map(({ topic }) => topic))], {
      deadline,
      signal: options.signal,
    });
    return Promise.all(
      open.map(async ({ topic, partition, offset }): Promise<ItemOutcome<RecordsDeleted>> => {
        const leader = cluster.metadata.leaderOf(topic, partition);
        if (leader < 0)
          return refused(ErrorCode.LEADER_NOT_AVAILABLE, `${topic}-${partition} was not cut`, null);
        const connection = await cluster.controlConnection(leader);
        const topics = [{ name: topic, partitions: [{ partitionIndex: partition, offset }] }];
        const body = { topics, timeoutMs: Math.ceil(timeoutMs) };
        const response = await connection.request(apis.deleteRecords, body, { timeoutMs });
        const answer = response.topics[0]?.partitions[0];
        if (answer === undefined) return { error: missing(`${topic}-${partition}`) };
        if (answer.errorCode !== ErrorCode.NONE) {
          return refused(answer.errorCode, `${topic}-${partition} was not cut`, null);
        }
        return { result: { topic, partition, lowWatermark: answer.lowWatermark } };
      }),
    );
  });
}

function refused(errorCode: number, what: string, message: string | null): { error: KafkaClientError } {
  return { error: brokerError(errorCode, { what, message }) };
}

function forGood(outcome: { error: KafkaClientError }): { error: KafkaClientError } {
  const { error } = outcome;
  if (error.code !== 'UNKNOWN_TOPIC_OR_PARTITION') return outcome;
  const { code, message, hint } = error;
  return { error: new KafkaClientError(code, message, { retriable: false, hint }) };
}

function missing(name: string): KafkaClientError {
  return new KafkaClientError('MALFORMED_RESPONSE', `the answer leaves ${name} out`, {
    retriable: false,
    hint: 'look whether it was done all the same',
  });
}
