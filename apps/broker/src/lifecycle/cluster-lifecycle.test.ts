import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { liveBrokers } from '@seatlog/metadata-quorum';
import { describe, expect, it } from 'vitest';
import { CONTROLLED_SHUTDOWN_LIMIT_MS, CONTROLLER_ABSENCE_LIMIT_MS } from './broker-lifecycle.ts';
import { BROKERS, CONTROLLER, SeatsCluster, SESSION_MS } from './testing/seats-cluster.ts';

const THREE_CONTROLLERS = [100, 101, 102];

function without(id: number): readonly number[] {
  return BROKERS.filter((candidate) => candidate !== id);
}

function timeOf(cluster: SeatsCluster): () => number {
  const start = cluster.clock.monotonic();
  return () => cluster.clock.monotonic() - start;
}

describe('brokers come', () => {
  it('and are unfenced; clients are told of those that are live', async () => {
    await using cluster = await new SeatsCluster().startAll();
    expect(liveBrokers(cluster.image).map(({ id }) => id)).toEqual(BROKERS);
    await cluster.until(() => liveBrokers(cluster.quorum(2).image).length === 3, 'broker 2 knows the others');
    const metadata = await cluster.ask(2, apis.metadata, 12, {
      topics: [],
      allowAutoTopicCreation: false,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    });
    expect(metadata.brokers.map(({ nodeId }) => nodeId)).toEqual(BROKERS);
    expect(metadata.controllerId).toBe(2);
  });

  it('and wait for a controller as long as it takes', async () => {
    await using cluster = new SeatsCluster();
    const started = cluster.begin(1, 'broker');
    await cluster.pass(50_000);
    expect(cluster.node(1).running).toBeNull();
    await cluster.start([CONTROLLER], 'controller');
    await cluster.wait(started);
    expect(cluster.registration(1)?.fenced).toBe(false);
  });

  it('F23: started again within their session, wait until it is over', async () => {
    await using cluster = await new SeatsCluster().startAll();
    const passed = timeOf(cluster);
    cluster.kill(2);
    await cluster.start([2], 'broker');
    expect(passed()).toBeGreaterThanOrEqual(SESSION_MS - 1000);
    expect(cluster.messages(2)).toContainEqual(expect.stringContaining('DUPLICATE_BROKER_REGISTRATION'));
  });

  it('unregistered while they run, register again under another epoch', async () => {
    await using cluster = await new SeatsCluster().startAll();
    const epoch = cluster.registration(3)?.epoch ?? -1;
    const { errorCode } = await cluster.ask(1, apis.unregisterBroker, 0, { brokerId: 3 });
    expect([errorCode, cluster.registration(3)]).toEqual([ErrorCode.NONE, undefined]);
    await cluster.until(() => cluster.registration(3)?.fenced === false, 'it is back');
    expect(cluster.registration(3)?.epoch).toBeGreaterThan(epoch);
    await cluster.wholeIsr();
  });
});

describe('what the controller decides', () => {
  it('is passed on by any broker, and answered once that broker knows of it', async () => {
    await using cluster = await new SeatsCluster().startAll();
    expect(cluster.quorum(1).image.topics.has('seats')).toBe(true);
    expect(await cluster.createTopic(3, 'seats', 2, 3)).toBe(ErrorCode.TOPIC_ALREADY_EXISTS);
    const grown = await cluster.ask(2, apis.createPartitions, 3, {
      topics: [{ name: 'seats', count: 4, assignments: null }],
      timeoutMs: 5000,
      validateOnly: false,
    });
    expect(grown.results).toMatchObject([{ name: 'seats', errorCode: 0 }]);
    expect(cluster.quorum(2).image.topics.get('seats')?.partitions).toHaveLength(4);
    const deleted = await cluster.ask(3, apis.deleteTopics, 5, {
      topicNames: ['seats', 'none'],
      topics: [],
      timeoutMs: 5000,
    });
    expect(deleted.responses.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['seats', ErrorCode.NONE],
      ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    expect(cluster.quorum(3).image.topics.has('seats')).toBe(false);
  });

  it('is asked for where a client asks for a topic', async () => {
    await using cluster = await new SeatsCluster([CONTROLLER], {
      'default.replication.factor': '3',
    }).startAll();
    const asked = await cluster.ask(3, apis.metadata, 12, {
      topics: [{ name: 'asked-for', topicId: 'AAAAAAAAAAAAAAAAAAAAAA' }],
      allowAutoTopicCreation: true,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    });
    expect(asked.topics).toMatchObject([{ name: 'asked-for', errorCode: 0 }]);
    expect(asked.topics[0]?.partitions[0]?.replicaNodes).toHaveLength(3);
  });

  it('gives each broker producer ids of its own', async () => {
    await using cluster = await new SeatsCluster().startAll();
    const ids: number[] = [];
    for (const id of [...BROKERS, ...BROKERS]) {
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
    expect(cluster.image.nextProducerId).toBe(3000);
  });
});

describe('R14, R20: brokers go', () => {
  it('F20: killed, lose their leaderships within the session timeout and a second; come back and follow (R12)', async () => {
    await using cluster = await new SeatsCluster().startAll();
    const { leader } = cluster.partition();
    const epoch = cluster.registration(leader)?.epoch ?? -1;
    const passed = timeOf(cluster);
    cluster.kill(leader);
    const next = await cluster.nextLeader(leader);
    expect(passed()).toBeLessThanOrEqual(SESSION_MS + 1000);
    expect(without(leader)).toContain(next);
    expect(cluster.partition()).toMatchObject({ leaderEpoch: 1, leaderRecoveryState: 0 });
    expect(cluster.partition().isr).not.toContain(leader);
    await cluster.start([leader], 'broker');
    expect(cluster.registration(leader)?.epoch).toBeGreaterThan(epoch);
    await cluster.wholeIsr();
  });

  it('stopped in order, leave ISR and leadership before they are gone', async () => {
    await using cluster = await new SeatsCluster().startAll();
    const { leader } = cluster.partition();
    const leaders: number[] = [];
    cluster.quorum(CONTROLLER).subscribe(() => leaders.push(cluster.partition().leader));
    await cluster.stop(leader);
    expect(leaders).not.toContain(-1);
    expect(new Set(cluster.partition().isr)).toEqual(new Set(without(leader)));
    expect(cluster.messages(leader)).toContain('The controller gave leave to stop');
  });

  it('all of them, and come back with what they had: clean stops make no unclean leaders', async () => {
    await using cluster = await new SeatsCluster().startAll();
    for (const id of BROKERS) await cluster.stop(id);
    expect(cluster.partition().leader).toBe(-1);
    await cluster.start(BROKERS, 'broker');
    await cluster.wholeIsr();
    expect(cluster.partition().leaderRecoveryState).toBe(0);
  });

  it('without leave when the controller does not answer, or is none', async () => {
    await using cluster = await new SeatsCluster().startAll();
    const passed = timeOf(cluster);
    cluster.kill(CONTROLLER);
    await cluster.stop(2);
    expect(passed()).toBeGreaterThanOrEqual(CONTROLLER_ABSENCE_LIMIT_MS);
    expect(passed()).toBeLessThanOrEqual(CONTROLLED_SHUTDOWN_LIMIT_MS + 1000);
    expect(cluster.messages(2)).toContainEqual(expect.stringContaining('gave no leave to stop in time'));
  });
});

describe('the controller goes', () => {
  it('and comes back: brokers that live are not fenced, and register no second time', async () => {
    await using cluster = await new SeatsCluster().startAll();
    const epochs = BROKERS.map((id) => cluster.registration(id)?.epoch);
    cluster.kill(CONTROLLER);
    await cluster.pass(2 * SESSION_MS);
    await cluster.start([CONTROLLER], 'controller');
    await cluster.pass(2 * SESSION_MS);
    expect(BROKERS.map((id) => cluster.registration(id)?.epoch)).toEqual(epochs);
    expect(liveBrokers(cluster.image)).toHaveLength(3);
  });

  it('F26: and another takes over: no broker is fenced for it', async () => {
    await using cluster = await new SeatsCluster(THREE_CONTROLLERS).startAll();
    const { partitionEpoch } = cluster.partition();
    const epochs = BROKERS.map((id) => cluster.registration(id)?.epoch);
    cluster.kill(cluster.quorum(1).leader.id);
    await cluster.pass(3 * SESSION_MS);
    expect(await cluster.createTopic(2, 'after', 1, 3)).toBe(ErrorCode.NONE);
    expect(BROKERS.map((id) => cluster.registration(id)?.epoch)).toEqual(epochs);
    expect(cluster.partition().partitionEpoch).toBe(partitionEpoch);
  });

  it('F20: with the leader of a partition: the next controller names the next leader', async () => {
    await using cluster = await new SeatsCluster(THREE_CONTROLLERS).startAll();
    const { leader } = cluster.partition();
    const alive = without(leader)[0] ?? -1;
    cluster.kill(cluster.quorum(alive).leader.id);
    cluster.kill(leader);
    expect(without(leader)).toContain(await cluster.nextLeader(leader));
  });

  it('while administration is asked for: it is carried out when the controller is back', async () => {
    await using cluster = await new SeatsCluster().startAll();
    cluster.kill(CONTROLLER);
    const created = cluster.createTopic(2, 'late', 1, 3);
    await cluster.pass(3000);
    await cluster.start([CONTROLLER], 'controller');
    expect(await created).toBe(ErrorCode.NONE);
  });

  it('for longer than a request gives it: REQUEST_TIMED_OUT', async () => {
    await using cluster = await new SeatsCluster().startAll();
    cluster.kill(CONTROLLER);
    expect(await cluster.createTopic(1, 'never', 1, 1)).toBe(ErrorCode.REQUEST_TIMED_OUT);
  });
});
