/** What the recording broker answers, by API key. Bodies are complete for the version asked, and made up. */
import { apis, type RequestOf } from '../src/index.ts';

export interface AnswerContext {
  readonly host: string;
  port: number;
  readonly cap: (apiKey: number) => number;
  /** The last batch that was produced, to be fetched once. */
  produced: Uint8Array | null;
  fetched: boolean;
}

type Answer = (request: never, version: number, context: AnswerContext) => object | null;

const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAQ';
const MEMBER_ID = 'recorded-member';
const NO_RECORDS = new Uint8Array(0);

function forTopics<Topic extends { name: string }>(
  topics: readonly Topic[],
  result: (topic: Topic) => object,
): object[] {
  return topics.map((topic) => ({ name: topic.name, ...result(topic) }));
}

const nothing: Answer = () => ({ errorCode: 0 });

export const answers: Readonly<Record<number, Answer>> = {
  [apis.produce.key]: (request: RequestOf<typeof apis.produce>, _version, context) => {
    context.produced = request.topicData[0]?.partitionData[0]?.records ?? null;
    context.fetched = false;
    if (request.acks === 0) return null;
    return {
      responses: forTopics(request.topicData, (topic) => ({
        partitionResponses: topic.partitionData.map(({ index }) => ({ index, errorCode: 0, baseOffset: 0 })),
      })),
    };
  },
  [apis.fetch.key]: (request: RequestOf<typeof apis.fetch>, _version, context) => {
    const records = context.fetched ? NO_RECORDS : (context.produced ?? NO_RECORDS);
    context.fetched = true;
    return {
      responses: request.topics.map(({ topic, topicId, partitions }) => ({
        topic,
        topicId,
        partitions: partitions.map(({ partition }) => ({
          partitionIndex: partition,
          errorCode: 0,
          highWatermark: 1,
          lastStableOffset: 1,
          logStartOffset: 0,
          records,
        })),
      })),
    };
  },
  [apis.listOffsets.key]: (request: RequestOf<typeof apis.listOffsets>) => ({
    topics: forTopics(request.topics, (topic) => ({
      partitions: topic.partitions.map(({ partitionIndex, timestamp }) => ({
        partitionIndex,
        errorCode: 0,
        offset: timestamp === -1 ? 1 : 0,
      })),
    })),
  }),
  [apis.metadata.key]: (request: RequestOf<typeof apis.metadata>, _version, context) => ({
    brokers: [{ nodeId: 1, host: context.host, port: context.port }],
    clusterId: 'recording-cluster',
    controllerId: 1,
    topics: (request.topics ?? []).map(({ name }) => ({
      errorCode: 0,
      name: name ?? 'vector-topic',
      topicId: TOPIC_ID,
      partitions: [
        { errorCode: 0, partitionIndex: 0, leaderId: 1, leaderEpoch: 0, replicaNodes: [1], isrNodes: [1] },
      ],
    })),
  }),
  [apis.offsetCommit.key]: (request: RequestOf<typeof apis.offsetCommit>) => ({
    topics: forTopics(request.topics, (topic) => ({
      partitions: topic.partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: 0 })),
    })),
  }),
  [apis.offsetFetch.key]: (request: RequestOf<typeof apis.offsetFetch>, version) => {
    const uncommitted = (topics: RequestOf<typeof apis.offsetFetch>['topics']): object[] =>
      forTopics(topics ?? [], (topic) => ({
        partitions: topic.partitionIndexes.map((partitionIndex) => ({
          partitionIndex,
          committedOffset: -1,
          metadata: '',
          errorCode: 0,
        })),
      }));
    if (version < 8) return { topics: uncommitted(request.topics) };
    return {
      groups: request.groups.map(({ groupId, topics }) => ({ groupId, topics: uncommitted(topics) })),
    };
  },
  [apis.findCoordinator.key]: (request: RequestOf<typeof apis.findCoordinator>, version, context) => {
    const node = { nodeId: 1, host: context.host, port: context.port };
    if (version < 4) return node;
    return {
      coordinators: request.coordinatorKeys.map((key) => ({ key, ...node, errorCode: 0, errorMessage: '' })),
    };
  },
  [apis.joinGroup.key]: (request: RequestOf<typeof apis.joinGroup>, version) => {
    if (version >= 4 && request.memberId === '') {
      return {
        errorCode: 79,
        generationId: -1,
        protocolName: '',
        leader: '',
        memberId: MEMBER_ID,
        members: [],
      };
    }
    return {
      errorCode: 0,
      generationId: 1,
      protocolType: version >= 7 ? request.protocolType : null,
      protocolName: request.protocols[0]?.name ?? '',
      leader: MEMBER_ID,
      memberId: MEMBER_ID,
      members: [{ memberId: MEMBER_ID, metadata: request.protocols[0]?.metadata ?? NO_RECORDS }],
    };
  },
  [apis.heartbeat.key]: nothing,
  [apis.leaveGroup.key]: (request: RequestOf<typeof apis.leaveGroup>, version) =>
    version < 3
      ? { errorCode: 0 }
      : {
          errorCode: 0,
          members: request.members.map(({ memberId }) => ({ memberId, groupInstanceId: null, errorCode: 0 })),
        },
  [apis.syncGroup.key]: (request: RequestOf<typeof apis.syncGroup>, version) => ({
    errorCode: 0,
    protocolType: version >= 5 ? request.protocolType : null,
    protocolName: version >= 5 ? request.protocolName : null,
    assignment: request.assignments[0]?.assignment ?? NO_RECORDS,
  }),
  [apis.describeGroups.key]: (request: RequestOf<typeof apis.describeGroups>) => ({
    groups: request.groups.map((groupId) => ({
      errorCode: 0,
      groupId,
      groupState: 'Empty',
      protocolType: 'consumer',
      protocolData: '',
      members: [],
    })),
  }),
  [apis.listGroups.key]: () => ({
    errorCode: 0,
    groups: [
      { groupId: 'vector-group', protocolType: 'consumer', groupState: 'Stable', groupType: 'classic' },
    ],
  }),
  [apis.apiVersions.key]: (_request, _version, { cap }) => ({
    errorCode: 0,
    apiKeys: Object.values(apis).map((api) => ({
      apiKey: api.key,
      minVersion: api.advertisedMinVersion,
      maxVersion: Math.max(api.minVersion, Math.min(api.maxVersion, cap(api.key))),
    })),
  }),
  [apis.createTopics.key]: (request: RequestOf<typeof apis.createTopics>, version) => ({
    topics: forTopics(request.topics, () => ({
      errorCode: 0,
      errorMessage: null,
      topicId: version >= 7 ? TOPIC_ID : undefined,
      numPartitions: 1,
      replicationFactor: 1,
    })),
  }),
  [apis.deleteTopics.key]: (request: RequestOf<typeof apis.deleteTopics>, version) => ({
    responses:
      version >= 6
        ? request.topics.map(({ name, topicId }) => ({ name, topicId, errorCode: 0 }))
        : request.topicNames.map((name) => ({ name, errorCode: 0 })),
  }),
  [apis.deleteRecords.key]: (request: RequestOf<typeof apis.deleteRecords>) => ({
    topics: forTopics(request.topics, (topic) => ({
      partitions: topic.partitions.map(({ partitionIndex, offset }) => ({
        partitionIndex,
        lowWatermark: offset,
        errorCode: 0,
      })),
    })),
  }),
  [apis.initProducerId.key]: () => ({ errorCode: 0, producerId: 4000, producerEpoch: 3 }),
  [apis.describeConfigs.key]: (request: RequestOf<typeof apis.describeConfigs>) => ({
    results: request.resources.map(({ resourceType, resourceName }) => ({
      errorCode: 0,
      errorMessage: null,
      resourceType,
      resourceName,
      configs: [
        { name: 'retention.ms', value: '604800000', readOnly: false, isSensitive: false, configSource: 5 },
      ],
    })),
  }),
  [apis.createPartitions.key]: (request: RequestOf<typeof apis.createPartitions>) => ({
    results: forTopics(request.topics, () => ({ errorCode: 0, errorMessage: null })),
  }),
  [apis.deleteGroups.key]: (request: RequestOf<typeof apis.deleteGroups>) => ({
    results: request.groupsNames.map((groupId) => ({ groupId, errorCode: 0 })),
  }),
  [apis.incrementalAlterConfigs.key]: (request: RequestOf<typeof apis.incrementalAlterConfigs>) => ({
    responses: request.resources.map(({ resourceType, resourceName }) => ({
      errorCode: 0,
      errorMessage: null,
      resourceType,
      resourceName,
    })),
  }),
  [apis.addPartitionsToTxn.key]: (request: RequestOf<typeof apis.addPartitionsToTxn>) => ({
    resultsByTopicV3AndBelow: request.v3AndBelowTopics.map(({ name, partitions }) => ({
      name,
      resultsByPartition: partitions.map((partitionIndex) => ({ partitionIndex, partitionErrorCode: 0 })),
    })),
  }),
  [apis.addOffsetsToTxn.key]: nothing,
  [apis.endTxn.key]: nothing,
  [apis.txnOffsetCommit.key]: (request: RequestOf<typeof apis.txnOffsetCommit>) => ({
    topics: forTopics(request.topics, (topic) => ({
      partitions: topic.partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: 0 })),
    })),
  }),
  [apis.offsetDelete.key]: (request: RequestOf<typeof apis.offsetDelete>) => ({
    errorCode: 0,
    topics: forTopics(request.topics, (topic) => ({
      partitions: topic.partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: 0 })),
    })),
  }),
};
