import { apis, ErrorCode, RecordBatchWriter } from '@seatlog/kafka-protocol';
import { partitionOf } from '@seatlog/metadata-quorum';
import { afterEach, expect, it } from 'vitest';
import { MemoryCluster } from '../testing/memory-cluster.ts';

const SESSION_MS = 3000;
const CONTROLLER = 100;
const ACKS_ALL = -1;
const clusters: MemoryCluster[] = [];

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster[Symbol.asyncDispose]();
});

async function withTopic(): Promise<MemoryCluster> {
  const cluster = new MemoryCluster({
    voters: [CONTROLLER],
    settings: {
      'broker.session.timeout.ms': String(SESSION_MS),
      'broker.heartbeat.interval.ms': '500',
      'replica.lag.time.max.ms': '20000',
    },
  });
  clusters.push(cluster);
  await cluster.start([CONTROLLER], 'controller');
  await cluster.start([1, 2, 3], 'broker');
  await cluster.createTopic(1, 'seats', 1, 3);
  return cluster;
}

function partition(cluster: MemoryCluster, seenBy = CONTROLLER) {
  const found = partitionOf(cluster.quorum(seenBy).image, 'seats', 0);
  if (found === undefined) throw new Error('there is no topic');
  return found;
}

function registration(cluster: MemoryCluster, id: number) {
  return cluster.quorum(CONTROLLER).image.brokers.get(id);
}

function batch(value: string): Uint8Array {
  const writer = new RecordBatchWriter();
  writer.append(1_700_000_000_000, null, new TextEncoder().encode(value));
  return Uint8Array.from(writer.seal({}));
}

async function produce(cluster: MemoryCluster, id: number, value: string, timeoutMs = 1500) {
  const response = await cluster.ask(id, apis.produce, 9, {
    transactionalId: null,
    acks: ACKS_ALL,
    timeoutMs,
    topicData: [{ name: 'seats', partitionData: [{ index: 0, records: batch(value) }] }],
  });
  const [answer] = response.responses[0]?.partitionResponses ?? [];
  return { errorCode: answer?.errorCode ?? -1, baseOffset: answer?.baseOffset ?? -1 };
}

it('F21: a leader stopped past its session confirms nothing that the next leader does not hold', async () => {
  const cluster = await withTopic();
  const { leader: zombie } = partition(cluster);
  expect(await produce(cluster, zombie, 'before')).toEqual({ errorCode: 0, baseOffset: 0 });
  cluster.freeze(zombie);
  await cluster.until(() => partition(cluster).leader !== zombie, 'another leader');
  const { leader } = partition(cluster);
  await cluster.until(() => partition(cluster, leader).leader === leader, 'it knows');
  expect(await produce(cluster, leader, 'after')).toEqual({ errorCode: 0, baseOffset: 1 });
  // Lies in the zombie's socket, and is the first thing that it sees when it goes on.
  const late = produce(cluster, zombie, 'late');
  await cluster.pass(100);
  cluster.thaw(zombie);
  expect([ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.REQUEST_TIMED_OUT]).toContain((await late).errorCode);
  await cluster.until(() => partition(cluster).isr.length === 3, 'the zombie follows and is in the ISR');
  expect(partition(cluster).leader).toBe(leader);
  expect(await produce(cluster, leader, 'then')).toEqual({ errorCode: 0, baseOffset: 2 });
});

it('F27: a broker that stood still past its session is fenced, steps down, and comes back under its epoch', async () => {
  const cluster = await withTopic();
  const { leader } = partition(cluster);
  const epoch = registration(cluster, leader)?.epoch;
  cluster.freeze(leader);
  await cluster.until(() => registration(cluster, leader)?.fenced === true, 'it is fenced');
  cluster.thaw(leader);
  await cluster.until(() => registration(cluster, leader)?.fenced === false, 'it is unfenced');
  expect(registration(cluster, leader)?.epoch).toBe(epoch);
  await cluster.until(() => partition(cluster, leader).leader !== leader, 'it knows that it leads no more');
  expect(await produce(cluster, leader, 'refused')).toMatchObject({
    errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER,
  });
  await cluster.until(() => partition(cluster).isr.length === 3, 'it is in the ISR again');
});

it('F27: a controller that stood still fences nobody', async () => {
  const cluster = await withTopic();
  cluster.freeze(CONTROLLER);
  await cluster.pass(4 * SESSION_MS);
  cluster.thaw(CONTROLLER);
  await cluster.pass(2 * SESSION_MS);
  expect([1, 2, 3].map((id) => registration(cluster, id)?.fenced)).toEqual([false, false, false]);
  expect(partition(cluster)).toMatchObject({ leaderEpoch: 0, partitionEpoch: 0 });
});
