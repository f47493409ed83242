/** One client of a group on whole nodes: it looks for the coordinator, joins, commits and reads what is committed. */
import { apis, encodeSubscription, ErrorCode } from '@seatlog/kafka-protocol';
import type { MemoryCluster } from '../../testing/memory-cluster.ts';
import { assignmentOf, GROUP } from './wire-member.ts';

/** Few sessions and delays, so that little has to be waited for. One partition holds all groups. */
export const GROUP_CLUSTER_SETTINGS = {
  'offsets.topic.num.partitions': '1',
  'group.initial.rebalance.delay.ms': '0',
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
};
export const SESSION_MS = 30_000;

/** Commits without being a member. */
export const NOBODY: GroupClientMember = { memberId: '', generationId: -1, groupInstanceId: null };

export interface GroupClientMember {
  readonly memberId: string;
  readonly generationId: number;
  readonly groupInstanceId: string | null;
}

/** Speaks the group APIs to nodes of its choice. */
export class GroupClient {
  readonly cluster: MemoryCluster;

  constructor(cluster: MemoryCluster) {
    this.cluster = cluster;
  }

  /** What a node says: the coordinator's id, or an error code below zero. */
  async coordinatorSeenBy(id: number): Promise<number> {
    const request = { key: '', keyType: 0, coordinatorKeys: [GROUP] };
    const { coordinators } = await this.cluster.ask(id, apis.findCoordinator, 4, request);
    const [found] = coordinators;
    return found?.errorCode === ErrorCode.NONE ? found.nodeId : -(found?.errorCode ?? 0);
  }

  /** Asks until a coordinator is named that serves the group. */
  async coordinator(asked: number): Promise<number> {
    for (;;) {
      const id = await this.coordinatorSeenBy(asked);
      if (id > 0 && this.cluster.node(id).running !== null) {
        const { groups } = await this.cluster.ask(id, apis.describeGroups, 4, {
          groups: [GROUP],
          includeAuthorizedOperations: false,
        });
        if (groups[0]?.errorCode === ErrorCode.NONE) return id;
      }
      await this.cluster.pass(50);
    }
  }

  async join(node: number, groupInstanceId: string): Promise<GroupClientMember> {
    const joined = await this.cluster.ask(node, apis.joinGroup, 9, {
      groupId: GROUP,
      sessionTimeoutMs: SESSION_MS,
      rebalanceTimeoutMs: SESSION_MS,
      memberId: '',
      groupInstanceId,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: encodeSubscription({ topics: ['seats'] }) }],
      reason: null,
    });
    if (joined.errorCode !== ErrorCode.NONE) throw new Error(`the join was refused with ${joined.errorCode}`);
    const { memberId, generationId } = joined;
    await this.cluster.ask(node, apis.syncGroup, 5, {
      groupId: GROUP,
      generationId,
      memberId,
      groupInstanceId,
      protocolType: 'consumer',
      protocolName: 'range',
      assignments: joined.leader === memberId ? [{ memberId, assignment: assignmentOf(0) }] : [],
    });
    return { memberId, generationId, groupInstanceId };
  }

  async commit(node: number, committedOffset: number, member: GroupClientMember): Promise<number> {
    const { memberId, generationId, groupInstanceId } = member;
    const partitions = [
      {
        partitionIndex: 0,
        committedOffset,
        committedLeaderEpoch: -1,
        committedMetadata: '',
        commitTimestamp: -1,
      },
    ];
    const { topics } = await this.cluster.ask(node, apis.offsetCommit, 8, {
      groupId: GROUP,
      generationIdOrMemberEpoch: generationId,
      memberId,
      groupInstanceId,
      retentionTimeMs: -1,
      topics: [{ name: 'seats', partitions }],
    });
    return topics[0]?.partitions[0]?.errorCode ?? -1;
  }

  /** -1: nothing is committed; null: not served here. */
  async committed(node: number): Promise<number | null> {
    const { topics, errorCode } = await this.cluster.ask(node, apis.offsetFetch, 7, {
      groupId: GROUP,
      topics: [{ name: 'seats', partitionIndexes: [0] }],
      groups: [],
      requireStable: false,
    });
    const [partition] = topics[0]?.partitions ?? [];
    const isServed = errorCode === ErrorCode.NONE && partition?.errorCode === ErrorCode.NONE;
    return isServed ? partition.committedOffset : null;
  }

  async heartbeat(
    node: number,
    { memberId, generationId, groupInstanceId }: GroupClientMember,
  ): Promise<number> {
    const request = { groupId: GROUP, generationId, memberId, groupInstanceId };
    return (await this.cluster.ask(node, apis.heartbeat, 4, request)).errorCode;
  }
}
