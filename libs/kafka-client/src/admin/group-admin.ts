/** Groups and their offsets, each asked of its coordinator. */
import {
  apis,
  CONSUMER_PROTOCOL_TYPE,
  decodeAssignment,
  ErrorCode,
  type ResponseOf,
} from '@seatlog/kafka-protocol';
import { brokerError } from '../broker-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { Coordinator, coordinatorMoved } from '../consumer/coordinator.ts';
import { OffsetStore } from '../consumer/offset-store.ts';
import type { TopicPartition, TopicPartitionOffset } from '../consumer/types.ts';
import type { BrokerConnection } from '../network/broker-connection.ts';
import { inRounds, type ItemOutcome } from './item-rounds.ts';
import type {
  CommittedOffset,
  GroupDescription,
  GroupListing,
  NodeDescription,
  RequestOptions,
} from './types.ts';

/** Purpose of the lanes that serve short requests. */
const CONTROL = 'control';
const NO_MEMBER = { memberId: '', generation: -1, groupInstanceId: null };

/** Every broker lists the groups that it coordinates. */
export async function listGroups(cluster: Cluster, options: RequestOptions): Promise<GroupListing[]> {
  const { ports, requestTimeoutMs } = cluster.settings;
  const timeoutMs = options.timeoutMs ?? requestTimeoutMs;
  const deadline = ports.clock.monotonic() + timeoutMs;
  await cluster.refresh({ deadline, signal: options.signal });
  const brokers = [...cluster.metadata.brokers.keys()];
  const lists = await inRounds(
    cluster,
    brokers,
    options,
    (id) => `broker ${id}`,
    (open) =>
      Promise.all(
        open.map(async (id): Promise<ItemOutcome<GroupListing[]>> => {
          const connection = await cluster.controlConnection(id);
          const response = await connection.request(apis.listGroups, {}, { timeoutMs });
          if (response.errorCode !== ErrorCode.NONE) {
            return { error: brokerError(response.errorCode, { what: `broker ${id} lists no groups` }) };
          }
          return {
            result: response.groups.map(({ groupId, protocolType, groupState }) => ({
              groupId,
              protocolType,
              state: groupState === '' ? null : groupState,
            })),
          };
        }),
      ),
  );
  return lists.flat().sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
}

export function describeGroups(
  cluster: Cluster,
  groupIds: readonly string[],
  options: RequestOptions,
): Promise<GroupDescription[]> {
  return inRounds(
    cluster,
    groupIds,
    options,
    (groupId) => groupId,
    (open, { timeoutMs }) =>
      Promise.all(
        open.map((groupId) =>
          atCoordinator(
            cluster,
            groupId,
            async (connection, brokerId): Promise<ItemOutcome<GroupDescription>> => {
              const response = await connection.request(
                apis.describeGroups,
                { groups: [groupId] },
                { timeoutMs },
              );
              const group = response.groups[0];
              const errorCode = group?.errorCode ?? ErrorCode.UNKNOWN_SERVER_ERROR;
              if (group === undefined || errorCode !== ErrorCode.NONE) {
                return { error: brokerError(errorCode, { what: `group ${groupId} cannot be described` }) };
              }
              return { result: groupDescription(group, nodeOf(cluster, brokerId)) };
            },
          ),
        ),
      ),
  );
}

export async function deleteGroups(
  cluster: Cluster,
  groupIds: readonly string[],
  options: RequestOptions,
): Promise<void> {
  await inRounds(
    cluster,
    groupIds,
    options,
    (groupId) => groupId,
    (open, { timeoutMs }) =>
      Promise.all(
        open.map((groupId) =>
          atCoordinator(cluster, groupId, async (connection): Promise<ItemOutcome<null>> => {
            const response = await connection.request(
              apis.deleteGroups,
              { groupsNames: [groupId] },
              { timeoutMs },
            );
            const errorCode = response.results[0]?.errorCode ?? ErrorCode.UNKNOWN_SERVER_ERROR;
            if (errorCode === ErrorCode.NONE) return { result: null };
            return { error: brokerError(errorCode, { what: `group ${groupId} was not deleted` }) };
          }),
        ),
      ),
  );
}

export async function fetchOffsets(
  cluster: Cluster,
  groupId: string,
  options: RequestOptions & { readonly partitions?: readonly TopicPartition[] },
): Promise<CommittedOffset[]> {
  const stored = await storeOf(cluster, groupId).fetch(
    options.partitions ?? null,
    deadlineOf(cluster, options),
  );
  return stored.map(({ topic, partition, offset, leaderEpoch, metadata }) => ({
    topic,
    partition,
    offset: offset < 0 ? null : offset,
    leaderEpoch: leaderEpoch < 0 ? null : leaderEpoch,
    metadata,
  }));
}

export function commitOffsets(
  cluster: Cluster,
  groupId: string,
  offsets: readonly TopicPartitionOffset[],
  options: RequestOptions,
): Promise<void> {
  const toCommit = offsets.map(({ topic, partition, offset }) => ({
    topic,
    partition,
    offset,
    leaderEpoch: -1,
  }));
  return storeOf(cluster, groupId).commit(toCommit, () => NO_MEMBER, deadlineOf(cluster, options));
}

function storeOf(cluster: Cluster, groupId: string): OffsetStore {
  return new OffsetStore(cluster, new Coordinator(cluster, groupId), groupId, CONTROL);
}

function deadlineOf(cluster: Cluster, options: RequestOptions): number {
  const { ports, requestTimeoutMs } = cluster.settings;
  return ports.clock.monotonic() + (options.timeoutMs ?? requestTimeoutMs);
}

/** One attempt; a refusal that only says that the coordinator is elsewhere may be repeated. */
async function atCoordinator<Result>(
  cluster: Cluster,
  groupId: string,
  ask: (connection: BrokerConnection, brokerId: number) => Promise<ItemOutcome<Result>>,
): Promise<ItemOutcome<Result>> {
  const coordinator = new Coordinator(cluster, groupId);
  const brokerId = await coordinator.find();
  const outcome = await ask(await coordinator.connection(CONTROL), brokerId);
  if (
    outcome.error !== undefined &&
    coordinatorMoved(ErrorCode[outcome.error.code as keyof typeof ErrorCode])
  ) {
    coordinator.forget();
  }
  return outcome;
}

function nodeOf(cluster: Cluster, id: number): NodeDescription {
  return cluster.metadata.brokers.get(id) ?? { id, host: '', port: -1, rack: null };
}

function groupDescription(
  group: ResponseOf<typeof apis.describeGroups>['groups'][number],
  coordinator: NodeDescription,
): GroupDescription {
  const isConsumerGroup = group.protocolType === CONSUMER_PROTOCOL_TYPE;
  return {
    groupId: group.groupId,
    state: group.groupState,
    protocolType: group.protocolType,
    protocol: group.protocolData,
    coordinator,
    members: group.members.map(({ memberId, groupInstanceId, clientId, clientHost, memberAssignment }) => ({
      memberId,
      groupInstanceId,
      clientId,
      clientHost,
      assignment: isConsumerGroup
        ? decodeAssignment(memberAssignment).assignedPartitions.flatMap(({ topic, partitions }) =>
            partitions.map((partition) => ({ topic, partition })),
          )
        : [],
    })),
  };
}
