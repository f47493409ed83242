/**
 * OffsetFetch: the offsets that groups have committed and that are replicated. `topics` null asks for all. Version 8
 * and later ask for several groups at once. `requireStable` is met by what is replicated: there are no transactions
 * that could be pending.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput, ZERO_UUID } from '@seatlog/kafka-protocol';
import type { BrokerServices } from '../services.ts';
import { defineHandler } from './handler.ts';

type FetchRequest = RequestOf<typeof apis.offsetFetch>;
type FetchResponse = ResponseInput<typeof apis.offsetFetch>;
type RequestTopics = FetchRequest['topics'];
type GroupResponse = NonNullable<FetchResponse['groups']>[number];

const SEVERAL_GROUPS_FROM = 8;
const GROUP_ERROR_FROM = 2;

export const offsetFetch = defineHandler(apis.offsetFetch, (services) => (request, context, respond) => {
  if (context.apiVersion >= SEVERAL_GROUPS_FROM) {
    const groups = request.groups.map(({ groupId, topics }) => fetchGroup(services, groupId, topics));
    respond({ groups });
    return;
  }
  const { errorCode, topics } = fetchGroup(services, request.groupId, request.topics);
  if (errorCode === ErrorCode.NONE) respond({ topics });
  else if (context.apiVersion >= GROUP_ERROR_FROM) respond({ errorCode, topics: [] });
  else respond({ topics: refused(request.topics, errorCode ?? ErrorCode.NONE) });
});

function fetchGroup(services: BrokerServices, groupId: string, topics: RequestTopics): GroupResponse {
  const { groups, metadata } = services;
  const asked =
    topics?.map(({ name, partitionIndexes }) => ({
      name,
      topicId: metadata.image.topics.get(name)?.id ?? ZERO_UUID,
      partitionIndexes,
    })) ?? null;
  const fetched = groups.fetchOffsets(groupId, asked);
  return {
    groupId,
    errorCode: fetched.errorCode,
    topics: fetched.topics.map(({ name, partitions }) => ({ name, partitions })),
  };
}

/** Version 1 has no place for the group's error: every partition bears it. */
function refused(topics: RequestTopics, errorCode: number): NonNullable<FetchResponse['topics']> {
  return (topics ?? []).map(({ name, partitionIndexes }) => ({
    name,
    partitions: partitionIndexes.map((partitionIndex) => ({
      partitionIndex,
      committedOffset: -1,
      committedLeaderEpoch: -1,
      metadata: '',
      errorCode,
    })),
  }));
}
