import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import {
  type ClusterImage,
  imageRecords,
  LeaderRecoveryState,
  liveBrokers,
  partitionOf,
} from '@seatlog/metadata-quorum';
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

const bothOf = (id: number): readonly number[] => [1, 2, 3].filter((other) => other !== id);

const roundNames = (count: number): string[] => Array.from({ length: count }, (_, round) => `round-${round}`);

const METADATA_LOG = '/logs/__cluster_metadata-0/00000000000000000000.log';

/** Waits until those nodes follow one leader that is none of `not`. */
async function agreed(cluster: MemoryCluster, ids: readonly number[], not: number): Promise<number> {
  await cluster.until(() => {
    const leaders = new Set(ids.map((id) => leaderOf(cluster, id)));
    return leaders.size === 1 && !leaders.has(-1) && !leaders.has(not);
  }, 'one leader');
  return leaderOf(cluster, ids[0] ?? -1);
}

/** Waits until the nodes hold the same committed metadata. */
async function level(cluster: MemoryCluster, ids: readonly number[]): Promise<void> {
  await cluster.until(
    () => new Set(ids.map((id) => imageOf(cluster, id).lastOffset)).size === 1,
    'the same metadata everywhere',
  );
  const [first, ...others] = ids.map((id) => [...imageRecords(imageOf(cluster, id))]);
  for (const other of others) expect(other).toEqual(first);
}

describe('three nodes with both roles', () => {
  it('elect one leader, register, and see the same metadata', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    await agreed(cluster, [1, 2, 3], -1);
    expect(await cluster.createTopic(2, 'seats', 4, 3)).toBe(ErrorCode.NONE);
    await level(cluster, [1, 2, 3]);
    for (const id of [1, 2, 3]) expect(liveBrokers(imageOf(cluster, id)).map((b) => b.id)).toEqual([1, 2, 3]);
  });

  it('F26: elect another leader in a later epoch when theirs dies, and lose no metadata', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    const dead = leaderOf(cluster, 1);
    expect(await cluster.createTopic(dead, 'seats', 1, 3)).toBe(ErrorCode.NONE);
    const { epoch } = cluster.quorum(dead).leader;
    cluster.kill(dead);
    const next = await agreed(cluster, bothOf(dead), dead);
    expect(cluster.quorum(next).leader.epoch).toBeGreaterThan(epoch);
    expect(await cluster.createTopic(next, 'more', 1, 2)).toBe(ErrorCode.NONE);
    expect([...imageOf(cluster, next).topics.keys()]).toEqual(['seats', 'more']);
    const isFenced = (): boolean => imageOf(cluster, next).brokers.get(dead)?.fenced === true;
    await cluster.until(isFenced, 'the dead one is fenced');
    await cluster.start([dead]);
    await level(cluster, [1, 2, 3]);
    expect(liveBrokers(imageOf(cluster, dead))).toHaveLength(3);
  });

  it('F26: never use an epoch for two leaders, whoever is killed or cut off from power', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3], seed: 3 });
    await cluster.start([1, 2, 3]);
    const leaders = new Map<number, number>();
    const note = (id: number): void => {
      const { epoch } = cluster.quorum(id).leader;
      expect(leaders.get(epoch) ?? id).toBe(id);
      leaders.set(epoch, id);
    };
    for (const [round, name] of roundNames(6).entries()) {
      const leader = await agreed(cluster, [1, 2, 3], -1);
      note(leader);
      expect(await cluster.createTopic(leader, name, 1, 1)).toBe(ErrorCode.NONE);
      cluster.kill(leader, round % 2 === 0 ? 'power' : 'process');
      note(await agreed(cluster, bothOf(leader), leader));
      await cluster.start([leader]);
    }
    expect(leaders.size).toBeGreaterThan(6);
    await level(cluster, [1, 2, 3]);
    expect([...imageOf(cluster, 1).topics.keys()]).toEqual(roundNames(6));
  });

  it('F26: come back from a log that was torn on one of them while all were down', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    for (const name of roundNames(4)) expect(await cluster.createTopic(1, name, 2, 3)).toBe(ErrorCode.NONE);
    await level(cluster, [1, 2, 3]);
    const { epoch } = cluster.quorum(1).leader;
    for (const id of [1, 2, 3]) cluster.kill(id);
    cluster.node(2).files.tamper(METADATA_LOG, (bytes) => bytes.subarray(0, bytes.length - 200));
    await cluster.start([1, 2, 3]);
    const leader = await agreed(cluster, [1, 2, 3], -1);
    expect(leader).not.toBe(2);
    expect(cluster.quorum(leader).leader.epoch).toBeGreaterThan(epoch);
    await level(cluster, [1, 2, 3]);
    expect([...imageOf(cluster, 2).topics.keys()]).toEqual(roundNames(4));
    const logOf = (id: number) => cluster.node(id).files.readFile(METADATA_LOG);
    expect(Buffer.compare(logOf(2), logOf(leader))).toBe(0);
  });

  it('decide nothing without a majority, and go on when there is one again', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    const leader = await agreed(cluster, [1, 2, 3], -1);
    const [one = -1, other = -1] = bothOf(leader);
    cluster.kill(one);
    cluster.kill(other);
    expect(await cluster.createTopic(leader, 'lonely', 1, 1)).toBe(ErrorCode.REQUEST_TIMED_OUT);
    expect(cluster.quorum(leader).term).toBeNull();
    expect(imageOf(cluster, leader).topics.size).toBe(0);
    await cluster.start([one]);
    expect(await cluster.createTopic(one, 'together', 1, 1)).toBe(ErrorCode.NONE);
    await level(cluster, [leader, one]);
  });

  it('F26: drop what a dead leader had not committed when it comes back', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    const dead = await agreed(cluster, [1, 2, 3], -1);
    for (const id of bothOf(dead)) cluster.kill(id);
    const unanswered = cluster.createTopic(dead, 'dropped', 1, 1, dead).catch(() => 'no answer');
    await cluster.pass(200);
    expect(cluster.quorum(dead).term?.writtenImage.topics.has('dropped')).toBe(true);
    cluster.kill(dead);
    await cluster.start(bothOf(dead));
    const [next = -1] = bothOf(dead);
    expect(await cluster.createTopic(next, 'kept', 1, 1, next)).toBe(ErrorCode.NONE);
    await cluster.start([dead]);
    await level(cluster, [1, 2, 3]);
    expect([...imageOf(cluster, dead).topics.keys()]).toEqual(['kept']);
    expect(cluster.node(dead).logLines.map(({ msg }) => msg)).toContain(
      'Truncating the metadata log to what the leader holds',
    );
    expect(await unanswered).toBe('no answer');
  });

  it('F8: go on without a leader whose metadata log cannot be synced any more', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    const leader = await agreed(cluster, [1, 2, 3], -1);
    cluster.node(leader).files.fault = ({ name, path }) =>
      name === 'sync' && path === METADATA_LOG ? { code: 'EIO' } : undefined;
    const [one = -1, other = -1] = bothOf(leader);
    expect(await cluster.createTopic(one, 'seats', 1, 2)).toBe(ErrorCode.NONE);
    expect(cluster.node(leader).fatal).toHaveLength(1);
    expect(await agreed(cluster, [one, other], leader)).not.toBe(leader);
    await level(cluster, [one, other]);
  });

  it('F7: go on without a voter whose disk is full, and take it back when there is room', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    const leader = await agreed(cluster, [1, 2, 3], -1);
    cluster.node(leader).files.fault = ({ name }) =>
      name === 'write' ? { code: 'ENOSPC', written: 0 } : undefined;
    const [one = -1, other = -1] = bothOf(leader);
    // The partition goes to a broker that has room for it.
    expect(await cluster.createTopic(one, 'seats', 1, 1, one)).toBe(ErrorCode.NONE);
    await level(cluster, [one, other]);
    expect(cluster.quorum(leader).term).toBeNull();
    expect(cluster.node(leader).logLines.map(({ msg }) => msg)).toContain(
      'The metadata log could not be written; what was decided is undone',
    );
    cluster.node(leader).files.fault = () => undefined;
    await level(cluster, [1, 2, 3]);
    expect(cluster.node(leader).fatal).toEqual([]);
  });

  it('hand leadership on at once when the leader stops in order', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    const leader = await agreed(cluster, [1, 2, 3], -1);
    await cluster.stop(leader);
    const before = cluster.clock.monotonic();
    await agreed(cluster, bothOf(leader), leader);
    // Sooner than anybody would have missed the leader.
    expect(cluster.clock.monotonic() - before).toBeLessThan(2000);
    await cluster.start([leader]);
    await level(cluster, [1, 2, 3]);
  });

  it('stop together in order: all get leave, and none waits for a majority that has gone', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    await cluster.start([1, 2, 3]);
    expect(await cluster.createTopic(2, 'seats', 4, 3)).toBe(ErrorCode.NONE);
    await level(cluster, [1, 2, 3]);
    const began = cluster.clock.monotonic();
    await Promise.all([1, 2, 3].map((id) => cluster.stop(id)));
    expect(cluster.clock.monotonic() - began).toBeLessThan(2000);
    for (const { logLines } of cluster.nodes) {
      expect(logLines.map(({ msg }) => msg)).toContain('The controller gave leave to stop');
    }
    await cluster.start([1, 2, 3]);
    for (const { logLines } of cluster.nodes) {
      expect(logLines.findLast(({ msg }) => msg === 'Broker started')).toMatchObject({ cleanStart: true });
    }
  });

  it('take a snapshot over when the log that they lack is gone', async () => {
    const settings = { 'metadata.log.max.record.bytes.between.snapshots': '3000' };
    const cluster = clusterOf({ voters: [1, 2, 3], settings });
    await cluster.start([1, 2, 3]);
    const leader = await agreed(cluster, [1, 2, 3], -1);
    const [away = -1, other = -1] = bothOf(leader);
    cluster.kill(away);
    for (const name of roundNames(30))
      expect(await cluster.createTopic(leader, name, 1, 1)).toBe(ErrorCode.NONE);
    await cluster.start([away]);
    expect(cluster.node(away).logLines.map(({ msg }) => msg)).toContain(
      'Took a metadata snapshot over from the leader',
    );
    await level(cluster, [leader, other, away]);
    // What it took over serves at its own next start.
    cluster.kill(away);
    await cluster.start([away]);
    await level(cluster, [leader, other, away]);
  });

  it('give up a start that waits for a majority when they are asked to stop', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3] });
    const stop = new AbortController();
    const started = cluster.begin(1, 'broker,controller', stop.signal);
    const outcome = started.then(
      () => 'started',
      (error: Error) => error.name,
    );
    await cluster.pass(5000);
    stop.abort();
    expect(await cluster.wait(outcome)).toBe('StartGivenUp');
    await cluster.start([1, 2, 3]);
  });
});

describe('controllers and brokers of their own', () => {
  const settings = { 'offsets.topic.replication.factor': '2' };

  it('serve as one cluster, also over the death of the active controller', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3], settings });
    await cluster.start([1, 2, 3], 'controller');
    await cluster.start([4, 5], 'broker');
    expect(await cluster.createTopic(4, 'seats', 2, 2)).toBe(ErrorCode.NONE);
    const dead = leaderOf(cluster, 4);
    expect([1, 2, 3]).toContain(dead);
    cluster.kill(dead);
    expect(await cluster.createTopic(5, 'more', 2, 2)).toBe(ErrorCode.NONE);
    await level(cluster, [4, 5, ...bothOf(dead)]);
    expect(liveBrokers(imageOf(cluster, 4)).map(({ id }) => id)).toEqual([4, 5]);
    await cluster.stop(4);
    await cluster.start([4], 'broker');
    await cluster.until(() => liveBrokers(imageOf(cluster, 5)).length === 2, 'the broker is back');
  });

  it('describe the quorum on a listener of clients', async () => {
    const cluster = clusterOf({ voters: [1, 2, 3], settings });
    await cluster.start([1, 2, 3], 'controller');
    await cluster.start([4, 5], 'broker');
    await level(cluster, [1, 2, 3, 4, 5]);
    await cluster.pass(1000);
    const topics = [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }];
    const answer = await cluster.ask(4, apis.describeQuorum, 2, { topics });
    const [partition] = answer.topics[0]?.partitions ?? [];
    expect(partition).toMatchObject({ errorCode: ErrorCode.NONE, leaderId: leaderOf(cluster, 4) });
    expect(new Set(partition?.currentVoters.map(({ replicaId }) => replicaId))).toEqual(new Set([1, 2, 3]));
    expect(new Set(partition?.observers.map(({ replicaId }) => replicaId))).toEqual(new Set([4, 5]));
    expect(partition?.highWatermark).toBe(imageOf(cluster, 4).lastOffset + 1);
    expect(new Set(answer.nodes.map(({ nodeId }) => nodeId))).toEqual(new Set([1, 2, 3]));
  });

  it('need one voter only, which a broker waits for', async () => {
    const cluster = clusterOf({ voters: [9], settings });
    const broker = cluster.start([4], 'broker');
    await cluster.start([9], 'controller');
    await broker;
    expect(await cluster.createTopic(4, 'seats', 1, 1)).toBe(ErrorCode.NONE);
  });
});

describe('a node that is alone', () => {
  it('F8: does not start when its metadata log cannot be synced', async () => {
    const cluster = clusterOf({ voters: [1] });
    await cluster.start([1]);
    await cluster.stop(1);
    cluster.node(1).files.fault = ({ name, path }) =>
      name === 'sync' && path === METADATA_LOG ? { code: 'EIO' } : undefined;
    await expect(cluster.start([1])).rejects.toThrow('EIO');
    cluster.node(1).files.fault = () => undefined;
    await cluster.start([1]);
  });

  it('F25: leads after a crash as a leader that may lack records, and confirms that it has all there are', async () => {
    const cluster = clusterOf({ voters: [1] });
    await cluster.start([1]);
    expect(await cluster.createTopic(1, 'seats', 1, 1)).toBe(ErrorCode.NONE);
    cluster.kill(1);
    await cluster.start([1]);
    const partition = () => partitionOf(imageOf(cluster, 1), 'seats', 0);
    await cluster.until(
      () => partition()?.leaderRecoveryState === LeaderRecoveryState.RECOVERED,
      'the recovery is confirmed',
    );
    expect(partition()).toMatchObject({ leader: 1, isr: [1], leaderEpoch: 2 });
    expect(cluster.node(1).logLines.map(({ msg }) => msg)).toContain(
      'Unclean leader election: acknowledged records may be missing',
    );
  });
});
