/** The bodies of a member's requests, version by version. Pure. */
import {
  CONSUMER_PROTOCOL_TYPE,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
  type apis,
  type RequestInput,
} from '@seatlog/kafka-protocol';
import type { Assignor, AssignorMember } from './assignors/assignor.ts';
import type { ConsumerSettings } from './consumer-options.ts';
import type { JoinedMember, MemberAssignment } from './group-events.ts';
import type { TopicPartition } from './types.ts';

export function joinRequest(
  groupId: string,
  settings: ConsumerSettings,
  topics: readonly string[],
  member: {
    readonly memberId: string;
    readonly owned: readonly TopicPartition[];
    readonly generation: number;
  },
  version: number,
): RequestInput<typeof apis.joinGroup> {
  const metadata = encodeSubscription({
    topics: [...topics].sort(),
    userData: null,
    ownedPartitions: partitionsByTopic(member.owned),
    generationId: member.generation,
  });
  return {
    groupId,
    sessionTimeoutMs: settings.sessionTimeoutMs,
    rebalanceTimeoutMs: settings.maxPollIntervalMs,
    memberId: member.memberId,
    ...(version >= 5 ? { groupInstanceId: settings.groupInstanceId } : {}),
    protocolType: CONSUMER_PROTOCOL_TYPE,
    protocols: settings.assignors.map(({ name }) => ({ name, metadata })),
  };
}

export function syncRequest(
  groupId: string,
  groupInstanceId: string | null,
  protocolName: string,
  member: { readonly memberId: string; readonly generation: number },
  assignments: readonly MemberAssignment[],
  version: number,
): RequestInput<typeof apis.syncGroup> {
  return {
    groupId,
    generationId: member.generation,
    memberId: member.memberId,
    ...(version >= 3 ? { groupInstanceId } : {}),
    ...(version >= 5 ? { protocolType: CONSUMER_PROTOCOL_TYPE, protocolName } : {}),
    assignments,
  };
}

export function leaveRequest(
  groupId: string,
  memberId: string,
  version: number,
): RequestInput<typeof apis.leaveGroup> {
  return version >= 3 ? { groupId, members: [{ memberId }] } : { groupId, memberId };
}

/** What the leader has been told of the members. */
export function assignorMembers(members: readonly JoinedMember[]): AssignorMember[] {
  return members.map(({ memberId, groupInstanceId, metadata }) => {
    const { topics, ownedPartitions, generationId } = decodeSubscription(metadata);
    return {
      memberId,
      groupInstanceId,
      topics,
      owned: ownedPartitions.flatMap(({ topic, partitions }) =>
        partitions.map((partition) => ({ topic, partition })),
      ),
      generation: generationId,
    };
  });
}

export function dealOut(
  assignor: Assignor,
  members: readonly AssignorMember[],
  partitionCounts: ReadonlyMap<string, number>,
): MemberAssignment[] {
  return Array.from(assignor.assign(members, partitionCounts), ([memberId, partitions]) => ({
    memberId,
    assignment: encodeAssignment({ assignedPartitions: partitionsByTopic(partitions) }),
  }));
}

function partitionsByTopic(partitions: readonly TopicPartition[]): { topic: string; partitions: number[] }[] {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of partitions) {
    const list = topics.get(topic);
    if (list === undefined) topics.set(topic, [partition]);
    else list.push(partition);
  }
  return Array.from(topics, ([topic, list]) => ({ topic, partitions: list }));
}
