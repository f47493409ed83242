/**
 * Fetch: whole batches as they were appended, from the one that holds the offset. Consumers read up to the high
 * watermark (read_committed: the last stable offset), followers to the log's end. Waits up to maxWaitMs for minBytes.
 * A consumer that tells its rack may be sent to a replica there, and reads from it up to that one's high watermark.
 *
 * There are no fetch sessions: every answer is full and has session id 0, and who goes on in a session is told that it is
 * not known. Topics go by id from version 13 on.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '@seatlog/metadata-quorum';
import { CONSUMER, UNKNOWN_BROKER_EPOCH } from '@seatlog/replication';
import { RACK_AWARE_SELECTOR } from '../config/replication-definitions.ts';
import { FetchOperation, type FetchOutcome } from '../replica-manager/fetch-operation.ts';
import type { FetchTarget, PartitionFetch, Reader } from '../replica-manager/partition-fetch.ts';
import { replicaInRack } from '../replica-manager/preferred-replica.ts';
import type { BrokerServices } from '../services.ts';
import { defineHandler, type RequestContext } from './handler.ts';
import { leaderEndpoints } from './leader-endpoints.ts';

type FetchRequest = RequestOf<typeof apis.fetch>;
type FetchResponse = ResponseInput<typeof apis.fetch>;
type PartitionResponse = FetchResponse['responses'][number]['partitions'][number];

const TOPIC_IDS_FROM = 13;
const REPLICA_STATE_FROM = 15;
const LEADER_HINT_FROM = 12;
const ENDPOINTS_FROM = 16;
const RACK_FROM = 11;
const READ_COMMITTED = 1;
const EMPTY = new Uint8Array(0);

export const fetch = defineHandler(apis.fetch, (services) => (request, context, respond) => {
  services.metrics.fetchRequests += 1;
  if (request.sessionId !== 0 && request.sessionEpoch > 0) {
    respond({ errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND, sessionId: 0, responses: [] });
    return;
  }
  const names = topicNames(request, context.apiVersion, services.metadata.image);
  const reader = readerOf(request, context, services);
  const operation = new FetchOperation(
    services.replicas,
    services.timers,
    targetsOf(request, names),
    reader,
    {
      minBytes: request.minBytes,
      maxBytes: () => mayCarry(request, services),
      maxWaitMs: request.maxWaitMs,
    },
    (outcome) => {
      context.onSent(() => {
        for (const { read } of outcome.fetches) read?.release();
      });
      services.metrics.bytesOut += outcome.sizeBytes;
      respond(responseOf(request, names, outcome, context, services, reader.isReadCommitted));
    },
  );
  operation.start();
  if (operation.isWaiting) {
    context.onDisconnect(() => {
      operation.cancel();
      respond(null);
    });
  }
});

function readerOf(request: FetchRequest, context: RequestContext, services: BrokerServices): Reader {
  const { apiVersion, listenerName } = context;
  const { replicaId, replicaEpoch } =
    apiVersion >= REPLICA_STATE_FROM
      ? request.replicaState
      : { replicaId: request.replicaId, replicaEpoch: UNKNOWN_BROKER_EPOCH };
  const rack = apiVersion >= RACK_FROM ? request.rackId : '';
  const isRackAware = services.config.values['replica.selector.class'] === RACK_AWARE_SELECTOR;
  return {
    // All ids below zero are consumers'. One that debugs compares replicas, so it is not sent to the leader.
    replicaId: Math.max(replicaId, CONSUMER),
    brokerEpoch: replicaEpoch,
    isReadCommitted: request.isolationLevel === READ_COMMITTED,
    mayReadFromFollower: rack !== '' || replicaId < CONSUMER,
    preferredReplica: (partition, fetchOffset) =>
      isRackAware && rack !== ''
        ? replicaInRack({ rack, listenerName }, partition, fetchOffset, services.metadata.image)
        : null,
  };
}

/** Beyond the bound on what waits in all sockets nothing is carried, but for the one batch that always is. */
function mayCarry(request: FetchRequest, { config, unsentBytes }: BrokerServices): number {
  const room = config.values['seatlog.send.buffer.total.bytes'] - unsentBytes();
  return Math.max(0, Math.min(request.maxBytes, config.values['fetch.max.bytes'], room));
}

/** The name of each topic of the request; null for an id that is not known. */
function topicNames(
  request: FetchRequest,
  apiVersion: number,
  image: ClusterImage,
): readonly (string | null)[] {
  if (apiVersion < TOPIC_IDS_FROM) return request.topics.map(({ topic }) => topic);
  return request.topics.map(({ topicId }) => image.topicNamesById.get(topicId) ?? null);
}

function targetsOf(request: FetchRequest, names: readonly (string | null)[]): readonly FetchTarget[] {
  const targets: FetchTarget[] = [];
  request.topics.forEach(({ partitions }, place) => {
    const topic = names[place];
    if (topic === null || topic === undefined) return;
    for (const partition of partitions) {
      targets.push({
        topic,
        partition: partition.partition,
        fetchOffset: partition.fetchOffset,
        currentLeaderEpoch: partition.currentLeaderEpoch,
        lastFetchedEpoch: partition.lastFetchedEpoch,
        logStartOffset: partition.logStartOffset,
        maxBytes: partition.partitionMaxBytes,
      });
    }
  });
  return targets;
}

function responseOf(
  request: FetchRequest,
  names: readonly (string | null)[],
  outcome: FetchOutcome,
  context: RequestContext,
  services: BrokerServices,
  isCommitted: boolean,
): FetchResponse {
  let place = 0;
  const leaders: number[] = [];
  const responses = request.topics.map((topic, topicPlace) => ({
    topic: topic.topic,
    topicId: topic.topicId,
    partitions: topic.partitions.map(({ partition }): PartitionResponse => {
      const fetched = names[topicPlace] === null ? undefined : outcome.fetches[place++];
      if (fetched === undefined) return failure(partition, unknownTopic(context.apiVersion));
      if (fetched.errorCode !== ErrorCode.NONE) services.metrics.failedFetchRequests += 1;
      const response = partitionResponse(partition, fetched, isCommitted);
      if (!isAskedElsewhere(fetched.errorCode) || context.apiVersion < LEADER_HINT_FROM) return response;
      const known = services.metadata.image.topics.get(names[topicPlace] ?? '')?.partitions[partition];
      leaders.push(known?.leader ?? -1);
      return {
        ...response,
        currentLeader: { leaderId: known?.leader ?? -1, leaderEpoch: known?.leaderEpoch ?? -1 },
      };
    }),
  }));
  return {
    sessionId: 0,
    responses,
    ...(leaders.length === 0 || context.apiVersion < ENDPOINTS_FROM
      ? {}
      : { nodeEndpoints: leaderEndpoints(services.metadata.image, context.listenerName, leaders) }),
  };
}

function isAskedElsewhere(errorCode: number): boolean {
  return errorCode === ErrorCode.NOT_LEADER_OR_FOLLOWER || errorCode === ErrorCode.FENCED_LEADER_EPOCH;
}

function unknownTopic(apiVersion: number): number {
  return apiVersion >= TOPIC_IDS_FROM ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
}

function partitionResponse(index: number, fetch: PartitionFetch, isCommitted: boolean): PartitionResponse {
  const { partition, read, diverging, preferredReplica, errorCode } = fetch;
  if (errorCode !== ErrorCode.NONE || partition === undefined) return failure(index, errorCode);
  return {
    partitionIndex: index,
    errorCode,
    highWatermark: partition.highWatermark,
    lastStableOffset: partition.lastStableOffset,
    logStartOffset: partition.logStartOffset,
    abortedTransactions: isCommitted ? [] : null,
    records: read === null || read.sizeBytes === 0 ? EMPTY : read.records,
    ...(diverging === null ? {} : { divergingEpoch: diverging }),
    ...(preferredReplica === null ? {} : { preferredReadReplica: preferredReplica }),
  };
}

/** As Kafka tells it: what was looked up in vain has an empty list of transactions, what could not be read has none. */
function isUnknown(errorCode: number): boolean {
  return errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION || errorCode === ErrorCode.UNKNOWN_TOPIC_ID;
}

function failure(partitionIndex: number, errorCode: number): PartitionResponse {
  return {
    partitionIndex,
    errorCode,
    highWatermark: -1,
    lastStableOffset: -1,
    logStartOffset: -1,
    abortedTransactions: isUnknown(errorCode) ? [] : null,
    records: EMPTY,
  };
}
