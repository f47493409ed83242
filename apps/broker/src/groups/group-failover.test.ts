/** Groups on whole nodes whose coordinator dies (F28): who comes back, and who is kept out. */
import { apis, encodeSubscription, ErrorCode } from '@seatlog/kafka-protocol';
import { GROUP_OFFSETS_TOPIC } from '@seatlog/metadata-quorum';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryCluster } from '../testing/memory-cluster.ts';
import { assignmentOf, GROUP } from './testing/wire-member.ts';

const SETTINGS = {
  'offsets.topic.num.partitions': '1',
  'group.initial.rebalance.delay.ms': '0',
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
};
const SESSION_MS = 30_000;

const clusters: MemoryCluster[] = [];

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster[Symbol.asyncDispose]();
});

interface Member {
  readonly memberId: string;
  readonly generationId: number;
  readonly groupInstanceId: string;
}

/** A cluster with a topic, seen by one client that looks for the coordinator itself. */
class GroupClient {
  readonly cluster: MemoryCluster;

  constructor(cluster: MemoryCluster) {
    this.cluster = cluster;
  }

  static async onThreeNodes(settings: Readonly<Record<string, string>> = {}): Promise<GroupClient> {
    const cluster = new MemoryCluster({ voters: [1, 2, 3], settings: { ...SETTINGS, ...settings } });
    clusters.push(cluster);
    await cluster.start([1, 2, 3]);
    expect(await cluster.createTopic(1, 'seats', 1, 3)).toBe(ErrorCode.NONE);
    return new GroupClient(cluster);
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

  async join(node: number, groupInstanceId: string): Promise<Member> {
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
    expect(joined.errorCode).toBe(ErrorCode.NONE);
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

  async commit(node: number, committedOffset: number, member: Member): Promise<number> {
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

  async committed(node: number): Promise<number> {
    const { topics } = await this.cluster.ask(node, apis.offsetFetch, 7, {
      groupId: GROUP,
      topics: [{ name: 'seats', partitionIndexes: [0] }],
      groups: [],
      requireStable: false,
    });
    return topics[0]?.partitions[0]?.committedOffset ?? -1;
  }

  async heartbeat(node: number, { memberId, generationId, groupInstanceId }: Member): Promise<number> {
    const request = { groupId: GROUP, generationId, memberId, groupInstanceId };
    return (await this.cluster.ask(node, apis.heartbeat, 4, request)).errorCode;
  }

  /** Kills the coordinator; another node then serves the group. */
  async failOver(dead: number): Promise<number> {
    this.cluster.kill(dead);
    const alive = this.cluster.running[0]?.id ?? -1;
    const next = await this.coordinator(alive);
    expect(next).not.toBe(dead);
    return next;
  }
}

describe('a group whose coordinator dies', () => {
  it('F28: keeps its commits, its members and its generation', async () => {
    const group = await GroupClient.onThreeNodes();
    const first = await group.coordinator(1);
    const member = await group.join(first, 'worker-1');
    expect(await group.commit(first, 5, member)).toBe(ErrorCode.NONE);
    const second = await group.failOver(first);
    expect(await group.committed(second)).toBe(5);
    expect(await group.heartbeat(second, member)).toBe(ErrorCode.NONE);
    expect(await group.commit(second, 6, member)).toBe(ErrorCode.NONE);
    await group.cluster.start([first]);
    expect(await group.commit(first, 7, member)).toBe(ErrorCode.NOT_COORDINATOR);
    expect(await group.committed(second)).toBe(6);
  });

  it('F28: fences members of a generation before, and those whose place is taken', async () => {
    const group = await GroupClient.onThreeNodes();
    const first = await group.coordinator(1);
    const replaced = await group.join(first, 'worker-1');
    const current = await group.join(first, 'worker-1');
    const second = await group.failOver(first);
    expect(await group.commit(second, 5, replaced)).toBe(ErrorCode.FENCED_INSTANCE_ID);
    const stale = { ...current, generationId: current.generationId - 1 };
    expect(await group.commit(second, 5, stale)).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(await group.commit(second, 5, { ...current, memberId: 'nobody', groupInstanceId: 'w' })).toBe(
      ErrorCode.UNKNOWN_MEMBER_ID,
    );
    expect(await group.heartbeat(second, replaced)).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(await group.commit(second, 5, current)).toBe(ErrorCode.NONE);
  });

  it('F28: gives a member a whole session at its next coordinator, and no more', async () => {
    const group = await GroupClient.onThreeNodes();
    const first = await group.coordinator(1);
    const member = await group.join(first, 'worker-1');
    const second = await group.failOver(first);
    await group.cluster.pass(SESSION_MS - 5000);
    expect(await group.heartbeat(second, member)).toBe(ErrorCode.NONE);
    await group.cluster.pass(SESSION_MS + 1000);
    expect(await group.heartbeat(second, member)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('F28: is led elsewhere before its coordinator stops, and loses nothing by that', async () => {
    const group = await GroupClient.onThreeNodes();
    const first = await group.coordinator(1);
    const member = await group.join(first, 'worker-1');
    expect(await group.commit(first, 5, member)).toBe(ErrorCode.NONE);
    await group.cluster.stop(first);
    const second = await group.coordinator(group.cluster.running[0]?.id ?? -1);
    expect(await group.committed(second)).toBe(5);
    expect(await group.commit(second, 6, member)).toBe(ErrorCode.NONE);
  });

  it('F28: is coordinated by whoever is preferred again, once that one is back in sync', async () => {
    const group = await GroupClient.onThreeNodes({ 'leader.imbalance.check.interval.seconds': '10' });
    const first = await group.coordinator(1);
    const member = await group.join(first, 'worker-1');
    const second = await group.failOver(first);
    expect(await group.commit(second, 5, member)).toBe(ErrorCode.NONE);
    await group.cluster.start([first]);
    const leads = (): boolean =>
      group.cluster.quorum(second).image.topics.get(GROUP_OFFSETS_TOPIC)?.partitions[0]?.leader === first;
    await group.cluster.until(leads, 'the preferred leader leads');
    expect(await group.coordinator(second)).toBe(first);
    expect(await group.committed(first)).toBe(5);
    expect(await group.commit(first, 6, member)).toBe(ErrorCode.NONE);
    expect(await group.commit(second, 7, member)).toBe(ErrorCode.NOT_COORDINATOR);
  });
});

describe('a cluster with too few brokers for the offsets topic', () => {
  it('F28: has no coordinator, until there are enough', async () => {
    const cluster = new MemoryCluster({ voters: [1], settings: SETTINGS });
    clusters.push(cluster);
    await cluster.start([1]);
    await cluster.start([2], 'broker');
    const group = new GroupClient(cluster);
    expect(await group.coordinatorSeenBy(2)).toBe(-ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(cluster.quorum(1).image.topics.has(GROUP_OFFSETS_TOPIC)).toBe(false);
    await cluster.start([3], 'broker');
    expect(await group.coordinator(2)).toBeGreaterThan(0);
    const [partition] = cluster.quorum(1).image.topics.get(GROUP_OFFSETS_TOPIC)?.partitions ?? [];
    expect(partition?.replicas).toHaveLength(3);
  });
});
