/**
 * Metadata 0-12: brokers, controller, topics with their leaders.
 *
 * - All topics: null, and in version 0 the empty list. From version 1 on the empty list asks for no topic.
 * - Addresses are those of the listener that the request came in on.
 * - Clients do not reach controllers: the controller that they are told of is a broker, which passes on what is for it.
 * - A topic that does not exist is UNKNOWN_TOPIC_OR_PARTITION; one asked for by an id (from version 12 on) that no
 *   topic has is UNKNOWN_TOPIC_ID. If the client and this broker allow it, and the client named it, it is created, and
 *   the answer waits until its leaders serve.
 * - A partition without a leader has leader -1 and LEADER_NOT_AVAILABLE.
 */
import { apis, ErrorCode, errorByCode, type RequestOf, ZERO_UUID } from '@seatlog/kafka-protocol';
import { type ClusterImage, topicById, topicNameProblem } from '@seatlog/metadata-quorum';
import { clusterOperations, OPERATIONS_NOT_ASKED } from '../metadata/authorized-operations.ts';
import { topicAskedFor } from '../metadata/internal-topics.ts';
import { controllerFor, reachableBrokers } from '../metadata/listener-endpoints.ts';
import { type TopicMetadata, type TopicView, topicError, topicMetadata } from '../metadata/topic-metadata.ts';
import type { BrokerServices } from '../services.ts';
import { defineHandler } from './handler.ts';

type MetadataRequest = RequestOf<typeof apis.metadata>;
type RequestedTopic = NonNullable<MetadataRequest['topics']>[number];

const IDS_FROM = 12;

/** Why topics could not be created, by name. */
type CreationErrors = ReadonlyMap<string, number>;

export const metadata = defineHandler(apis.metadata, (services) => (request, context, respond) => {
  const { apiVersion, listenerName } = context;
  const answer = (creationErrors: CreationErrors): void => {
    const { image, clusterId, nodeId } = services.metadata;
    const brokers = reachableBrokers(image, listenerName);
    const view: TopicView = {
      image,
      apiVersion,
      reachable: new Set(brokers.map(({ id }) => id)),
      includeOperations: request.includeTopicAuthorizedOperations,
    };
    respond({
      brokers: brokers.map(({ id, ...address }) => ({ nodeId: id, ...address })),
      clusterId,
      controllerId: controllerFor(nodeId, brokers),
      topics: topics(request, view, creationErrors),
      clusterAuthorizedOperations: request.includeClusterAuthorizedOperations
        ? clusterOperations
        : OPERATIONS_NOT_ASKED,
    });
  };
  if (namesBadly(request, apiVersion)) {
    const refused = (request.topics ?? []).map(({ name, topicId }) =>
      topicError(ErrorCode.INVALID_REQUEST, name ?? '', topicId),
    );
    respond({ brokers: [], clusterId: services.metadata.clusterId, topics: refused });
    return;
  }
  const missing = topicsToCreate(services, request, apiVersion);
  if (missing.length === 0) answer(new Map());
  else create(services, missing, answer);
});

function asksForAll(request: MetadataRequest, apiVersion: number): boolean {
  return request.topics === null || (apiVersion === 0 && request.topics.length === 0);
}

/** Ids before the version that knows what to do with them, and topics with neither name nor id. */
function namesBadly(request: MetadataRequest, apiVersion: number): boolean {
  return (request.topics ?? []).some(({ name, topicId }) =>
    apiVersion < IDS_FROM ? name === null || topicId !== ZERO_UUID : name === null && topicId === ZERO_UUID,
  );
}

function topics(
  request: MetadataRequest,
  view: TopicView,
  creationErrors: CreationErrors,
): readonly TopicMetadata[] {
  const { image } = view;
  if (asksForAll(request, view.apiVersion)) {
    return [...image.topics.values()].map((topic) => topicMetadata(topic, view));
  }
  // A topic that is named by its name and by its id is told once.
  const told = new Map<string, TopicMetadata>();
  for (const asked of request.topics ?? []) {
    const found = find(image, asked);
    const key = found?.id ?? `${asked.name} ${asked.topicId}`;
    if (told.has(key)) continue;
    told.set(key, found === undefined ? notFound(asked, creationErrors) : topicMetadata(found, view));
  }
  return [...told.values()];
}

function find(image: ClusterImage, { name, topicId }: RequestedTopic) {
  return topicId === ZERO_UUID ? image.topics.get(name ?? '') : topicById(image, topicId);
}

function notFound({ name, topicId }: RequestedTopic, creationErrors: CreationErrors): TopicMetadata {
  if (topicId !== ZERO_UUID) return topicError(ErrorCode.UNKNOWN_TOPIC_ID, null, topicId);
  if (topicNameProblem(name ?? '') !== null) return topicError(ErrorCode.INVALID_TOPIC_EXCEPTION, name);
  return topicError(creationErrors.get(name ?? '') ?? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name);
}

function topicsToCreate(
  { config, metadata: { image } }: BrokerServices,
  request: MetadataRequest,
  apiVersion: number,
): readonly string[] {
  const allowed = request.allowAutoTopicCreation && config.values['auto.create.topics.enable'];
  if (!allowed || asksForAll(request, apiVersion)) return [];
  return (request.topics ?? [])
    .filter(({ topicId }) => topicId === ZERO_UUID)
    .map(({ name }) => name ?? '')
    .filter((name) => !image.topics.has(name) && topicNameProblem(name) === null);
}

function create(
  { config, automaticTopics }: BrokerServices,
  names: readonly string[],
  done: (errors: CreationErrors) => void,
): void {
  const topics = names.map((name) => topicAskedFor(name, config));
  automaticTopics.create(topics, (failures) => {
    const errors = [...failures].map(([name, { errorCode }]): [string, number] => [name, errorCode]);
    // What may pass is no answer to give: the topic does not exist, and the client asks again.
    done(new Map(errors.filter(([, errorCode]) => !errorByCode(errorCode).retriable)));
  });
}
