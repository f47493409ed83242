/** Groups on whole nodes whose coordinator dies (F28): who comes back, and who is kept out. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { GROUP_OFFSETS_TOPIC } from '@seatlog/metadata-quorum';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryCluster } from '../testing/memory-cluster.ts';
import { GROUP_CLUSTER_SETTINGS, GroupClient, SESSION_MS } from './testing/group-client.ts';

const clusters: MemoryCluster[] = [];

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster[Symbol.asyncDispose]();
});

/** Three nodes with a topic. */
async function onThreeNodes(settings: Readonly<Record<string, string>> = {}): Promise<GroupClient> {
  const cluster = new MemoryCluster({
    voters: [1, 2, 3],
    settings: { ...GROUP_CLUSTER_SETTINGS, ...settings },
  });
  clusters.push(cluster);
  await cluster.start([1, 2, 3]);
  expect(await cluster.createTopic(1, 'seats', 1, 3)).toBe(ErrorCode.NONE);
  return new GroupClient(cluster);
}

/** Kills the coordinator; another node then serves the group. */
async function failOver(group: GroupClient, dead: number): Promise<number> {
  group.cluster.kill(dead);
  const next = await group.coordinator(group.cluster.running[0]?.id ?? -1);
  expect(next).not.toBe(dead);
  return next;
}

describe('a group whose coordinator dies', () => {
  it('F28: keeps its commits, its members and its generation', async () => {
    const group = await onThreeNodes();
    const first = await group.coordinator(1);
    const member = await group.join(first, 'worker-1');
    expect(await group.commit(first, 5, member)).toBe(ErrorCode.NONE);
    const second = await failOver(group, first);
    expect(await group.committed(second)).toBe(5);
    expect(await group.heartbeat(second, member)).toBe(ErrorCode.NONE);
    expect(await group.commit(second, 6, member)).toBe(ErrorCode.NONE);
    await group.cluster.start([first]);
    expect(await group.commit(first, 7, member)).toBe(ErrorCode.NOT_COORDINATOR);
    expect(await group.committed(second)).toBe(6);
  });

  it('F28: fences members of a generation before, and those whose place is taken', async () => {
    const group = await onThreeNodes();
    const first = await group.coordinator(1);
    const replaced = await group.join(first, 'worker-1');
    const current = await group.join(first, 'worker-1');
    const second = await failOver(group, first);
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
    const group = await onThreeNodes();
    const first = await group.coordinator(1);
    const member = await group.join(first, 'worker-1');
    const second = await failOver(group, first);
    await group.cluster.pass(SESSION_MS - 5000);
    expect(await group.heartbeat(second, member)).toBe(ErrorCode.NONE);
    await group.cluster.pass(SESSION_MS + 1000);
    expect(await group.heartbeat(second, member)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('F28: is led elsewhere before its coordinator stops, and loses nothing by that', async () => {
    const group = await onThreeNodes();
    const first = await group.coordinator(1);
    const member = await group.join(first, 'worker-1');
    expect(await group.commit(first, 5, member)).toBe(ErrorCode.NONE);
    await group.cluster.stop(first);
    const second = await group.coordinator(group.cluster.running[0]?.id ?? -1);
    expect(await group.committed(second)).toBe(5);
    expect(await group.commit(second, 6, member)).toBe(ErrorCode.NONE);
  });

  it('F28: is coordinated by whoever is preferred again, once that one is back in sync', async () => {
    const group = await onThreeNodes({ 'leader.imbalance.check.interval.seconds': '10' });
    const first = await group.coordinator(1);
    const member = await group.join(first, 'worker-1');
    const second = await failOver(group, first);
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
    const cluster = new MemoryCluster({ voters: [1], settings: GROUP_CLUSTER_SETTINGS });
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
