/**
 * DescribeTopicPartitions 0: topics in the order of their names, page by page; without names all of them. A page has as many
 * partitions as the client and this broker allow, and a cursor where something is left. Names that no topic has get
 * UNKNOWN_TOPIC_OR_PARTITION; with a cursor below zero all are INVALID_REQUEST.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput, ZERO_UUID } from '@seatlog/kafka-protocol';
import {
  type ClusterImage,
  isInternalTopic,
  type TopicImage,
  topicNameProblem,
} from '@seatlog/metadata-quorum';
import { topicOperations } from '../metadata/authorized-operations.ts';
import { reachableBrokers } from '../metadata/listener-endpoints.ts';
import { partitionMetadata, type TopicView } from '../metadata/topic-metadata.ts';
import { defineHandler } from './handler.ts';

/** Kafka's default of `max.request.partition.size.limit`. */
const MAX_PARTITIONS_PER_PAGE = 2000;
/** A view with all that later versions of Metadata tell. */
const METADATA_VERSION = 12;

type Request = RequestOf<typeof apis.describeTopicPartitions>;
type Response = ResponseInput<typeof apis.describeTopicPartitions>;
type DescribedTopic = Response['topics'][number];

export const describeTopicPartitions = defineHandler(
  apis.describeTopicPartitions,
  ({ metadata }) =>
    (request, { listenerName }, respond) => {
      const { image } = metadata;
      const view: TopicView = {
        image,
        apiVersion: METADATA_VERSION,
        reachable: new Set(reachableBrokers(image, listenerName).map(({ id }) => id)),
        includeOperations: true,
      };
      const isBelowZero = (request.cursor?.partitionIndex ?? 0) < 0;
      respond(isBelowZero ? refusal(request) : page(request, view));
    },
);

function page(request: Request, view: TopicView): Response {
  const topics: DescribedTopic[] = [];
  let room = Math.max(1, Math.min(request.responsePartitionLimit, MAX_PARTITIONS_PER_PAGE));
  for (const name of namesFrom(request, view.image)) {
    const first = request.cursor?.topicName === name ? request.cursor.partitionIndex : 0;
    if (room === 0) return { topics, nextCursor: { topicName: name, partitionIndex: first } };
    const topic = view.image.topics.get(name);
    if (topic === undefined) {
      topics.push(unknownTopic(name));
      continue;
    }
    const end = Math.min(topic.partitions.length, first + room);
    topics.push(describedTopic(topic, first, end, view));
    room -= Math.max(0, end - first);
    if (end < topic.partitions.length) {
      return { topics, nextCursor: { topicName: name, partitionIndex: end } };
    }
  }
  return { topics };
}

/** In order, each once, from the cursor on. */
function namesFrom({ topics, cursor }: Request, image: ClusterImage): readonly string[] {
  const names = topics.length === 0 ? image.topics.keys() : new Set(topics.map(({ name }) => name));
  const from = cursor?.topicName ?? '';
  return [...names].filter((name) => name >= from).sort((one, other) => (one < other ? -1 : 1));
}

function describedTopic(topic: TopicImage, first: number, end: number, view: TopicView): DescribedTopic {
  return {
    errorCode: ErrorCode.NONE,
    name: topic.name,
    topicId: topic.id,
    isInternal: isInternalTopic(topic.name),
    partitions: topic.partitions.slice(first, end).map((partition) => ({
      ...partitionMetadata(partition, view),
      eligibleLeaderReplicas: partition.elr,
      lastKnownElr: partition.lastKnownElr,
    })),
    topicAuthorizedOperations: topicOperations,
  };
}

function unknownTopic(name: string): DescribedTopic {
  const isLegal = topicNameProblem(name) === null;
  return {
    errorCode: isLegal ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION : ErrorCode.INVALID_TOPIC_EXCEPTION,
    name,
    topicId: ZERO_UUID,
    isInternal: isInternalTopic(name),
    partitions: [],
    topicAuthorizedOperations: topicOperations,
  };
}

function refusal({ topics }: Request): Response {
  return {
    topics: topics.map(({ name }) => ({
      errorCode: ErrorCode.INVALID_REQUEST,
      name,
      topicId: ZERO_UUID,
      partitions: [],
    })),
  };
}
