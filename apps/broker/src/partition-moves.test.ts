/** Partitions of whole nodes that move to other brokers, with their records (KIP-455). */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { partitionOf } from '@seatlog/metadata-quorum';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryCluster } from './testing/memory-cluster.ts';
import { batchOf } from './testing/test-broker.ts';

const SETTINGS = {
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
};
const CONTROLLER = 100;

const clusters: MemoryCluster[] = [];

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster[Symbol.asyncDispose]();
});

/** Brokers 1 to 4 apart from their controller, and a topic with one partition on 1 and 2 that has some records. */
async function setUp() {
  const cluster = new MemoryCluster({ voters: [CONTROLLER], settings: SETTINGS });
  clusters.push(cluster);
  await cluster.start([CONTROLLER], 'controller');
  await cluster.start([1, 2, 3, 4], 'broker');
  const topic = {
    name: 'seats',
    numPartitions: -1,
    replicationFactor: -1,
    assignments: [{ partitionIndex: 0, brokerIds: [1, 2] }],
    configs: [],
  };
  const request = { topics: [topic], timeoutMs: 5000, validateOnly: false };
  const created = await cluster.ask(1, apis.createTopics, 7, request);
  expect(created.topics[0]?.errorCode).toBe(ErrorCode.NONE);

  const partition = () => {
    const found = partitionOf(cluster.quorum(CONTROLLER).image, 'seats', 0);
    if (found === undefined) throw new Error('there is no partition');
    return found;
  };
  const append = async (node: number, value: string): Promise<number> => {
    const partitionData = [
      { index: 0, records: batchOf({ values: [value], timestamp: cluster.clock.now() }) },
    ];
    const topicData = [{ name: 'seats', partitionData }];
    const { responses } = await cluster.ask(node, apis.produce, 9, {
      transactionalId: null,
      acks: -1,
      timeoutMs: 10_000,
      topicData,
    });
    return responses[0]?.partitionResponses[0]?.errorCode ?? -1;
  };
  const move = async (replicas: readonly number[] | null): Promise<number> => {
    const { responses } = await cluster.ask(2, apis.alterPartitionReassignments, 1, {
      timeoutMs: 10_000,
      allowReplicationFactorChange: true,
      topics: [{ name: 'seats', partitions: [{ partitionIndex: 0, replicas: replicas && [...replicas] }] }],
    });
    return responses[0]?.partitions[0]?.errorCode ?? -1;
  };
  const moves = async () =>
    (await cluster.ask(3, apis.listPartitionReassignments, 0, { timeoutMs: 5000, topics: null })).topics;
  const untilMoved = (what: string): Promise<void> =>
    cluster.until(
      () => partition().addingReplicas.length === 0 && partition().removingReplicas.length === 0,
      what,
    );
  const logOf = (id: number): Uint8Array =>
    cluster.node(id).files.readFile('/logs/seats-0/00000000000000000000.log');
  const holds = (id: number): boolean => cluster.node(id).files.stat('/logs/seats-0') !== null;
  for (const value of ['a', 'b', 'c']) expect(await append(1, value)).toBe(ErrorCode.NONE);
  return { cluster, partition, append, move, moves, untilMoved, logOf, holds };
}

describe('a partition that moves', () => {
  it('R20: takes its records along, has another leader then, and leaves the old brokers', async () => {
    const { cluster, partition, append, move, moves, untilMoved, logOf, holds } = await setUp();
    const records = logOf(1);
    const { leaderEpoch } = partition();
    expect(await move([3, 4])).toBe(ErrorCode.NONE);
    await untilMoved('the partition is on 3 and 4');
    expect(partition()).toMatchObject({ replicas: [3, 4], isr: [3, 4], leader: 3 });
    expect(partition().leaderEpoch).toBeGreaterThan(leaderEpoch);
    expect(await moves()).toEqual([]);
    for (const id of [3, 4]) expect(Buffer.compare(logOf(id), records)).toBe(0);
    await cluster.until(() => !holds(1) && !holds(2), 'brokers 1 and 2 have dropped it');
    await cluster.until(
      () => partitionOf(cluster.quorum(3).image, 'seats', 0)?.leader === 3,
      'broker 3 knows that it leads',
    );
    expect(await append(3, 'd')).toBe(ErrorCode.NONE);
    expect(await append(1, 'e')).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
  });

  it('R20: fences by epoch who is no replica any more, while its leader stays', async () => {
    const { cluster, partition, append, move, untilMoved, holds } = await setUp();
    const { leaderEpoch } = partition();
    expect(await move([1, 3])).toBe(ErrorCode.NONE);
    await untilMoved('the partition is on 1 and 3');
    expect(partition()).toMatchObject({
      replicas: [1, 3],
      isr: [1, 3],
      leader: 1,
      leaderEpoch: leaderEpoch + 1,
    });
    await cluster.until(() => !holds(2), 'broker 2 has dropped it');
    expect(await append(1, 'd')).toBe(ErrorCode.NONE);
    expect(partition()).toMatchObject({ isr: [1, 3] });
  });

  it('is listed while a replica that it adds is away, serves meanwhile, and ends when that is back', async () => {
    const { cluster, partition, append, move, moves, untilMoved } = await setUp();
    cluster.kill(4);
    expect(await move([2, 4])).toBe(ErrorCode.NONE);
    expect(await moves()).toEqual([
      {
        name: 'seats',
        partitions: [{ partitionIndex: 0, replicas: [2, 4, 1], addingReplicas: [4], removingReplicas: [1] }],
      },
    ]);
    expect(await append(1, 'd')).toBe(ErrorCode.NONE);
    await cluster.start([4], 'broker');
    await untilMoved('broker 4 has caught up');
    expect(partition()).toMatchObject({ replicas: [2, 4], leader: 2 });
  });

  it('goes back to where it was when its move is cancelled', async () => {
    const { cluster, partition, append, move, moves, holds } = await setUp();
    cluster.kill(4);
    expect(await move([3, 4])).toBe(ErrorCode.NONE);
    await cluster.until(() => partition().isr.includes(3), 'broker 3 is in sync');
    expect(await move(null)).toBe(ErrorCode.NONE);
    expect(partition()).toMatchObject({ addingReplicas: [], removingReplicas: [], leader: 1, isr: [1, 2] });
    expect(await moves()).toEqual([]);
    await cluster.until(() => !holds(3), 'broker 3 has dropped it');
    expect(await append(1, 'd')).toBe(ErrorCode.NONE);
    expect(await move(null)).toBe(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS);
  });

  it('R20: gets its preferred leader by an election that any broker passes on', async () => {
    const { cluster, partition, append } = await setUp();
    cluster.kill(1);
    await cluster.until(() => partition().leader === 2, 'broker 2 leads');
    await cluster.start([1], 'broker');
    await cluster.until(() => partition().isr.includes(1), 'broker 1 is in sync');
    const elected = await cluster.ask(3, apis.electLeaders, 2, {
      electionType: 0,
      topicPartitions: [{ topic: 'seats', partitions: [0] }],
      timeoutMs: 5000,
    });
    expect(elected.replicaElectionResults[0]?.partitionResult[0]?.errorCode).toBe(ErrorCode.NONE);
    expect(partition().leader).toBe(1);
    await cluster.until(
      () => partitionOf(cluster.quorum(1).image, 'seats', 0)?.leader === 1,
      'broker 1 knows that it leads',
    );
    expect(await append(1, 'd')).toBe(ErrorCode.NONE);
  });
});

describe('a broker that is forgotten', () => {
  it('is known no more, and its partitions are led by others', async () => {
    const { cluster, partition } = await setUp();
    cluster.kill(1);
    await cluster.until(() => partition().leader === 2, 'broker 2 leads');
    const answer = await cluster.ask(3, apis.unregisterBroker, 0, { brokerId: 1 });
    expect(answer.errorCode).toBe(ErrorCode.NONE);
    expect(cluster.quorum(CONTROLLER).image.brokers.has(1)).toBe(false);
    expect(partition()).toMatchObject({ replicas: [1, 2], isr: [2], leader: 2 });
  });
});
