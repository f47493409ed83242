import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { type ClusterImage, liveBrokers, partitionOf } from '@seatlog/metadata-quorum';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryCluster, type MemoryClusterOptions } from '../testing/memory-cluster.ts';

const SESSION_MS = 3000;
const CONTROLLER = 100;
const clusters: MemoryCluster[] = [];

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster[Symbol.asyncDispose]();
});

/** One controller, and brokers apart from it. */
async function apart(brokers: readonly number[], options: Partial<MemoryClusterOptions> = {}) {
  const cluster = new MemoryCluster({
    voters: [CONTROLLER],
    ...options,
    settings: {
      'broker.session.timeout.ms': String(SESSION_MS),
      'broker.heartbeat.interval.ms': '500',
      ...options.settings,
    },
  });
  clusters.push(cluster);
  await cluster.start([CONTROLLER], 'controller');
  await cluster.start(brokers, 'broker');
  return cluster;
}

function imageOf(cluster: MemoryCluster, id: number): ClusterImage {
  return cluster.quorum(id).image;
}

function partition(cluster: MemoryCluster, topic: string, seenBy = CONTROLLER) {
  const found = partitionOf(imageOf(cluster, seenBy), topic, 0);
  if (found === undefined) throw new Error(`there is no ${topic}`);
  return found;
}

function otherThan(id: number): readonly [number, number] {
  const [one = 0, other = 0] = [1, 2, 3].filter((candidate) => candidate !== id);
  return [one, other];
}

describe('brokers apart from their controller', () => {
  it('register, are unfenced, and tell clients of the brokers that are live', async () => {
    const cluster = await apart([1, 2, 3]);
    expect(liveBrokers(imageOf(cluster, CONTROLLER)).map(({ id }) => id)).toEqual([1, 2, 3]);
    await cluster.until(() => liveBrokers(imageOf(cluster, 2)).length === 3, 'broker 2 knows the others');
    const metadata = await cluster.ask(2, apis.metadata, 12, {
      topics: [],
      allowAutoTopicCreation: false,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    });
    expect(metadata.brokers.map(({ nodeId, port }) => [nodeId, port])).toEqual([
      [1, 19_001],
      [2, 19_002],
      [3, 19_003],
    ]);
    expect(metadata.controllerId).toBe(2);
  });

  it('pass administration on, and answer once they know of it themselves', async () => {
    const cluster = await apart([1, 2, 3]);
    expect(await cluster.createTopic(1, 'seats', 2, 3)).toBe(ErrorCode.NONE);
    expect(imageOf(cluster, 1).topics.has('seats')).toBe(true);
    expect(await cluster.createTopic(3, 'seats', 2, 3)).toBe(ErrorCode.TOPIC_ALREADY_EXISTS);
    const grown = await cluster.ask(2, apis.createPartitions, 3, {
      topics: [{ name: 'seats', count: 4, assignments: null }],
      timeoutMs: 5000,
      validateOnly: false,
    });
    expect(grown.results).toMatchObject([{ name: 'seats', errorCode: 0 }]);
    expect(imageOf(cluster, 2).topics.get('seats')?.partitions).toHaveLength(4);
    const deleted = await cluster.ask(3, apis.deleteTopics, 5, {
      topicNames: ['seats', 'none'],
      topics: [],
      timeoutMs: 5000,
    });
    expect(deleted.responses.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['seats', ErrorCode.NONE],
      ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    expect(imageOf(cluster, 3).topics.has('seats')).toBe(false);
  });

  it('have topics created that clients ask for', async () => {
    const cluster = await apart([1, 2, 3], { settings: { 'default.replication.factor': '3' } });
    const asked = await cluster.ask(3, apis.metadata, 12, {
      topics: [{ name: 'asked-for', topicId: 'AAAAAAAAAAAAAAAAAAAAAA' }],
      allowAutoTopicCreation: true,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    });
    expect(asked.topics).toMatchObject([{ name: 'asked-for', errorCode: 0 }]);
    expect(asked.topics[0]?.partitions[0]?.replicaNodes).toHaveLength(3);
  });

  it('give producer ids from blocks of their own', async () => {
    const cluster = await apart([1, 2, 3]);
    const ids: number[] = [];
    for (const id of [1, 2, 3, 1, 2, 3]) {
      const given = await cluster.ask(id, apis.initProducerId, 4, {
        transactionalId: null,
        transactionTimeoutMs: 1000,
        producerId: -1,
        producerEpoch: -1,
      });
      expect(given.errorCode).toBe(ErrorCode.NONE);
      ids.push(given.producerId);
    }
    expect(new Set(ids).size).toBe(6);
    expect(imageOf(cluster, CONTROLLER).nextProducerId).toBe(3000);
  });
});

describe('R14, R20: brokers that go', () => {
  it('F20: killed, are fenced and lose their leaderships within the session timeout and a second', async () => {
    const cluster = await apart([1, 2, 3]);
    await cluster.createTopic(1, 'seats', 1, 3);
    const { leader } = partition(cluster, 'seats');
    const diedAt = cluster.clock.monotonic();
    cluster.kill(leader);
    await cluster.until(() => partition(cluster, 'seats').leader !== leader, 'another leader');
    expect(cluster.clock.monotonic() - diedAt).toBeLessThanOrEqual(SESSION_MS + 1000);
    const after = partition(cluster, 'seats');
    expect(otherThan(leader)).toContain(after.leader);
    expect(after).toMatchObject({ leaderEpoch: 1, leaderRecoveryState: 0 });
    expect(after.isr).not.toContain(leader);
  });

  it('and started again, come in under another epoch, follow, and are in the ISR again (R12)', async () => {
    const cluster = await apart([1, 2, 3]);
    await cluster.createTopic(1, 'seats', 1, 3);
    const { leader } = partition(cluster, 'seats');
    const epoch = imageOf(cluster, CONTROLLER).brokers.get(leader)?.epoch ?? -1;
    cluster.kill(leader);
    await cluster.until(() => partition(cluster, 'seats').leader !== leader, 'another leader');
    await cluster.start([leader], 'broker');
    expect(imageOf(cluster, CONTROLLER).brokers.get(leader)?.epoch).toBeGreaterThan(epoch);
    await cluster.until(() => partition(cluster, 'seats').isr.length === 3, 'the whole ISR');
  });

  it('F23: started again within their session, wait until it is over', async () => {
    const cluster = await apart([1, 2, 3]);
    const diedAt = cluster.clock.monotonic();
    cluster.kill(2);
    await cluster.start([2], 'broker');
    expect(cluster.clock.monotonic() - diedAt).toBeGreaterThanOrEqual(SESSION_MS - 1000);
    expect(cluster.node(2).logLines.map(({ msg }) => msg)).toContainEqual(
      expect.stringContaining('DUPLICATE_BROKER_REGISTRATION'),
    );
  });

  it('stopped in order, leave ISR and leadership before they are gone', async () => {
    const cluster = await apart([1, 2, 3]);
    await cluster.createTopic(1, 'seats', 1, 3);
    const { leader } = partition(cluster, 'seats');
    const leaders: number[] = [];
    const unsubscribe = cluster
      .quorum(CONTROLLER)
      .subscribe(() => leaders.push(partition(cluster, 'seats').leader));
    await cluster.stop(leader);
    unsubscribe();
    expect(leaders).not.toContain(-1);
    const after = partition(cluster, 'seats');
    expect(otherThan(leader)).toContain(after.leader);
    expect(new Set(after.isr)).toEqual(new Set(otherThan(leader)));
    expect(cluster.node(leader).logLines.map(({ msg }) => msg)).toContain(
      'The controller gave leave to stop',
    );
  });

  it('all of them, and come back with what they had: clean stops make no unclean leaders', async () => {
    const cluster = await apart([1, 2, 3]);
    await cluster.createTopic(1, 'seats', 1, 3);
    for (const id of [1, 2, 3]) await cluster.stop(id);
    expect(partition(cluster, 'seats').leader).toBe(-1);
    await cluster.start([1, 2, 3], 'broker');
    await cluster.until(() => partition(cluster, 'seats').isr.length === 3, 'the whole ISR');
    expect(partition(cluster, 'seats').leaderRecoveryState).toBe(0);
  });
});

describe('the controller goes', () => {
  it('and comes back: brokers that live are not fenced, and register no second time', async () => {
    const cluster = await apart([1, 2, 3]);
    const epochs = [1, 2, 3].map((id) => imageOf(cluster, CONTROLLER).brokers.get(id)?.epoch);
    cluster.kill(CONTROLLER);
    await cluster.pass(2 * SESSION_MS);
    await cluster.start([CONTROLLER], 'controller');
    await cluster.pass(2 * SESSION_MS);
    const { brokers } = imageOf(cluster, CONTROLLER);
    expect([1, 2, 3].map((id) => brokers.get(id)?.epoch)).toEqual(epochs);
    expect(liveBrokers(imageOf(cluster, CONTROLLER))).toHaveLength(3);
  });

  it('while administration is asked for: it is carried out when the controller is back', async () => {
    const cluster = await apart([1, 2, 3]);
    cluster.kill(CONTROLLER);
    const created = cluster.createTopic(2, 'late', 1, 3);
    await cluster.pass(3000);
    await cluster.start([CONTROLLER], 'controller');
    expect(await created).toBe(ErrorCode.NONE);
  });

  it('for longer than a request gives it: REQUEST_TIMED_OUT', async () => {
    const cluster = await apart([1]);
    cluster.kill(CONTROLLER);
    expect(await cluster.createTopic(1, 'never', 1, 1)).toBe(ErrorCode.REQUEST_TIMED_OUT);
  });
});
