/** What the scripted brokers answer, for the APIs that producers and assigned consumers need. */
import { apis, ErrorCode, ZERO_UUID, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import type { ScriptedCluster, ScriptedTopic, SeenRequest } from './scripted-cluster.ts';

export type Respond = (response: unknown) => void;

export interface ScriptedHandlers {
  handle(request: SeenRequest, respond: Respond): void;
}

const SERVED = [
  apis.apiVersions,
  apis.metadata,
  apis.initProducerId,
  apis.produce,
  apis.fetch,
  apis.listOffsets,
  apis.offsetForLeaderEpoch,
];

export function scriptedHandlers(cluster: ScriptedCluster): ScriptedHandlers {
  let nextProducerId = 1000;
  return {
    handle(request, respond) {
      switch (request.api.key) {
        case apis.apiVersions.key:
          return respond(versions());
        case apis.metadata.key:
          return respond(metadata(cluster, request.body as RequestOf<typeof apis.metadata>));
        case apis.initProducerId.key:
          return respond({ errorCode: 0, producerId: nextProducerId++, producerEpoch: 0 });
        case apis.produce.key:
          return respond(produce(cluster, request));
        case apis.fetch.key:
          return fetch(cluster, request, respond);
        case apis.listOffsets.key:
          return respond(listOffsets(cluster, request));
        case apis.offsetForLeaderEpoch.key:
          return respond(epochEnds(cluster, request));
        default:
          throw new Error(`the script does not serve ${request.api.name}`);
      }
    },
  };
}

function versions(): ResponseInput<typeof apis.apiVersions> {
  return {
    errorCode: 0,
    apiKeys: SERVED.map(({ key, minVersion, maxVersion }) => ({ apiKey: key, minVersion, maxVersion })),
  };
}

function metadata(
  cluster: ScriptedCluster,
  request: RequestOf<typeof apis.metadata>,
): ResponseInput<typeof apis.metadata> {
  const names =
    request.topics === null ? [...cluster.topics.keys()] : request.topics.map(({ name }) => name ?? '');
  const brokers = cluster.brokerIds.filter((id) => !cluster.down.has(id));
  return {
    brokers: brokers.map((nodeId) => ({ nodeId, host: `broker-${nodeId}`, port: 9092 })),
    clusterId: 'scripted',
    controllerId: brokers[0] ?? -1,
    topics: names.map((name) => {
      const topic = cluster.topics.get(name);
      if (topic === undefined) {
        return { errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name, topicId: ZERO_UUID, partitions: [] };
      }
      return {
        errorCode: 0,
        name,
        topicId: topic.topicId,
        isInternal: topic.internal,
        partitions: topic.partitions.map((partition, partitionIndex) => ({
          errorCode: cluster.down.has(partition.leader) ? ErrorCode.LEADER_NOT_AVAILABLE : 0,
          partitionIndex,
          leaderId: cluster.down.has(partition.leader) ? -1 : partition.leader,
          leaderEpoch: partition.leaderEpoch,
          replicaNodes: [...cluster.brokerIds],
          isrNodes: [...cluster.brokerIds],
        })),
      };
    }),
  };
}

function produce(cluster: ScriptedCluster, request: SeenRequest): ResponseInput<typeof apis.produce> | null {
  const body = request.body as RequestOf<typeof apis.produce>;
  const responses = body.topicData.map(({ name, partitionData }) => ({
    name,
    partitionResponses: partitionData.map(({ index, records }) => {
      const partition = cluster.topics.get(name)?.partitions[index];
      if (partition === undefined)
        return { index, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, baseOffset: -1 };
      if (partition.leader !== request.brokerId) {
        return { index, errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER, baseOffset: -1 };
      }
      return {
        index,
        ...partition.append(records ?? new Uint8Array()),
        logStartOffset: partition.logStartOffset,
      };
    }),
  }));
  return body.acks === 0 ? null : { responses };
}

function topicOf(cluster: ScriptedCluster, name: string, topicId: string): ScriptedTopic | undefined {
  if (topicId === ZERO_UUID) return cluster.topics.get(name);
  return [...cluster.topics.values()].find((topic) => topic.topicId === topicId);
}

/** Waits in small steps: virtual time costs nothing. */
function fetch(cluster: ScriptedCluster, request: SeenRequest, respond: Respond): void {
  const body = request.body as RequestOf<typeof apis.fetch>;
  const until = cluster.world.monotonic() + body.maxWaitMs;
  const look = (): void => {
    const response = fetchOnce(cluster, request, body);
    const hasNews = (response.responses ?? []).some(({ partitions }) =>
      (partitions ?? []).some(
        ({ errorCode, records, preferredReadReplica = -1 }) =>
          errorCode !== 0 || preferredReadReplica >= 0 || (records as Uint8Array).length > 0,
      ),
    );
    if (hasNews || cluster.world.monotonic() >= until) respond(response);
    else cluster.world.schedule(5, look);
  };
  look();
}

function fetchOnce(
  cluster: ScriptedCluster,
  request: SeenRequest,
  body: RequestOf<typeof apis.fetch>,
): ResponseInput<typeof apis.fetch> {
  return {
    responses: body.topics.map(({ topic, topicId, partitions }) => ({
      topic,
      topicId,
      partitions: partitions.map((asked) => {
        const partition = topicOf(cluster, topic, topicId)?.partitions[asked.partition];
        const answer = {
          partitionIndex: asked.partition,
          highWatermark: -1,
          records: new Uint8Array(),
          abortedTransactions: null,
        };
        if (partition === undefined) return { ...answer, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
        const nearby = partition.replicaInRack.get(body.rackId);
        const isNearby = nearby?.node === request.brokerId;
        if (partition.leader !== request.brokerId && !isNearby)
          return { ...answer, errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER };
        if (nearby !== undefined && !isNearby && asked.fetchOffset <= nearby.end) {
          return {
            ...answer,
            errorCode: 0,
            highWatermark: partition.endOffset,
            preferredReadReplica: nearby.node,
          };
        }
        if (asked.currentLeaderEpoch >= 0 && asked.currentLeaderEpoch < partition.leaderEpoch) {
          return { ...answer, errorCode: ErrorCode.FENCED_LEADER_EPOCH };
        }
        const end = isNearby ? nearby.end : partition.endOffset;
        if (asked.fetchOffset < partition.logStartOffset || asked.fetchOffset > end) {
          return { ...answer, errorCode: ErrorCode.OFFSET_OUT_OF_RANGE };
        }
        const there = isNearby
          ? partition.batches.filter(({ baseOffset }) => baseOffset < end)
          : partition.batches;
        const records = readFrom(there, asked.fetchOffset, asked.partitionMaxBytes);
        return {
          ...answer,
          errorCode: 0,
          highWatermark: end,
          lastStableOffset: end,
          logStartOffset: partition.logStartOffset,
          records,
        };
      }),
    })),
  };
}

function readFrom(
  batches: readonly { readonly baseOffset: number; readonly count: number; readonly bytes: Uint8Array }[],
  offset: number,
  maxBytes: number,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const batch of batches) {
    if (batch.baseOffset + batch.count <= offset) continue;
    if (parts.length > 0 && size + batch.bytes.length > maxBytes) break;
    parts.push(batch.bytes);
    size += batch.bytes.length;
  }
  return Buffer.concat(parts);
}

function listOffsets(cluster: ScriptedCluster, request: SeenRequest): ResponseInput<typeof apis.listOffsets> {
  const body = request.body as RequestOf<typeof apis.listOffsets>;
  return {
    topics: body.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, timestamp }) => {
        const partition = cluster.partition(name, partitionIndex);
        if (partition.leader !== request.brokerId)
          return { partitionIndex, errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER };
        const offset = timestamp === -2 ? partition.logStartOffset : partition.endOffset;
        return { partitionIndex, errorCode: 0, offset, leaderEpoch: partition.leaderEpoch };
      }),
    })),
  };
}

function epochEnds(
  cluster: ScriptedCluster,
  request: SeenRequest,
): ResponseInput<typeof apis.offsetForLeaderEpoch> {
  const body = request.body as RequestOf<typeof apis.offsetForLeaderEpoch>;
  return {
    topics: body.topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map(({ partition, leaderEpoch }) => ({
        errorCode: 0,
        partition,
        leaderEpoch,
        endOffset: cluster.partition(topic, partition).endOfEpoch(leaderEpoch),
      })),
    })),
  };
}
