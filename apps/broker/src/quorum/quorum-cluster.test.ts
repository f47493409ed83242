import { ErrorCode } from '@seatlog/kafka-protocol';
import { type ClusterImage, imageRecords, liveBrokers } from '@seatlog/metadata-quorum';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryCluster, type MemoryClusterOptions } from '../testing/memory-cluster.ts';

const clusters: MemoryCluster[] = [];

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster[Symbol.asyncDispose]();
});

function clusterOf(options: MemoryClusterOptions): MemoryCluster {
  const cluster = new MemoryCluster(options);
  clusters.push(cluster);
  return cluster;
}

const imageOf = (cluster: MemoryCluster, id: number): ClusterImage => cluster.quorum(id).image;
const leaderOf = (cluster: MemoryCluster, id: number): number => cluster.quorum(id).leader.id;

describe('three nodes with both roles', () => {
  it('elect one leader, register, and see the same metadata', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    const leaders = new Set([1, 2, 3].map((id) => leaderOf(cluster, id)));
    expect(leaders.size).toBe(1);
    expect([1, 2, 3]).toContain([...leaders][0]);
    expect(await cluster.createTopic(2, 'seats', 4, 3)).toBe(ErrorCode.NONE);
    await cluster.until(
      () => [1, 2, 3].every((id) => imageOf(cluster, id).topics.has('seats')),
      'all know the topic',
    );
    for (const id of [1, 2, 3]) expect(liveBrokers(imageOf(cluster, id)).map((b) => b.id)).toEqual([1, 2, 3]);
  });

  it('F26: elect another leader in a later epoch when theirs dies, and lose no metadata', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    const dead = leaderOf(cluster, 1);
    expect(await cluster.createTopic(dead, 'seats', 1, 3)).toBe(ErrorCode.NONE);
    const epoch = cluster.quorum(dead).leader.epoch;
    cluster.kill(dead);
    const [one = 0, other = 0] = [1, 2, 3].filter((id) => id !== dead);
    await cluster.until(
      () =>
        ![-1, dead].includes(leaderOf(cluster, one)) && leaderOf(cluster, one) === leaderOf(cluster, other),
      'another leader',
    );
    expect(cluster.quorum(one).leader.epoch).toBeGreaterThan(epoch);
    expect(await cluster.createTopic(one, 'more', 1, 2)).toBe(ErrorCode.NONE);
    expect([...imageOf(cluster, one).topics.keys()]).toEqual(['seats', 'more']);
    await cluster.until(
      () => imageOf(cluster, one).brokers.get(dead)?.fenced === true,
      'the dead one is fenced',
    );
    await cluster.start([dead]);
    await cluster.until(() => imageOf(cluster, dead).topics.has('more'), 'the dead one has caught up');
    expect([...imageRecords(imageOf(cluster, dead))]).toEqual([...imageRecords(imageOf(cluster, one))]);
  });
});
