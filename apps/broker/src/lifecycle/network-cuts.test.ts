import { apis, RecordBatchWriter } from '@seatlog/kafka-protocol';
import { partitionOf } from '@seatlog/metadata-quorum';
import { afterEach, expect, it } from 'vitest';
import { MemoryCluster } from '../testing/memory-cluster.ts';

const SESSION_MS = 3000;
const CONTROLLER = 100;
const NODES = [CONTROLLER, 1, 2, 3];
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

async function isConfirmed(cluster: MemoryCluster, id: number, value: string): Promise<boolean> {
  const writer = new RecordBatchWriter();
  writer.append(1_700_000_000_000, null, new TextEncoder().encode(value));
  const records = Uint8Array.from(writer.seal({}));
  const response = await cluster.ask(id, apis.produce, 9, {
    transactionalId: null,
    acks: ACKS_ALL,
    timeoutMs: 1500,
    topicData: [{ name: 'seats', partitionData: [{ index: 0, records }] }],
  });
  return response.responses[0]?.partitionResponses[0]?.errorCode === 0;
}

/** What a node holds of the partition, as text. */
function logOf(cluster: MemoryCluster, id: number): string {
  const file = '/logs/seats-0/00000000000000000000.log';
  return Buffer.from(cluster.node(id).files.readFile(file)).toString('latin1');
}

const isolated = (leader: number) =>
  NODES.filter((id) => id !== leader).flatMap((id): [number, number][] => [
    [id, leader],
    [leader, id],
  ]);
const speechless = (leader: number) =>
  NODES.filter((id) => id !== leader).map((id): [number, number] => [leader, id]);
const deaf = (leader: number) =>
  NODES.filter((id) => id !== leader).map((id): [number, number] => [id, leader]);
const offTheController = (leader: number): [number, number][] => [[leader, CONTROLLER]];

it.each([
  ['cut off from all', isolated],
  ['that can only hear', speechless],
  ['that can only speak', deaf],
  ['whose heartbeats are lost', offTheController],
])('F22: a leader %s is replaced, and there is one that confirms at any time', async (_what, cutsAround) => {
  const cluster = await withTopic();
  const { leader: before } = partition(cluster);
  expect(await isConfirmed(cluster, before, 'first')).toBe(true);
  for (const [from, to] of cutsAround(before)) cluster.cuts.cut(from, to);
  await cluster.until(() => partition(cluster).leader !== before, 'another leader');
  const { leader } = partition(cluster);
  await cluster.until(() => partition(cluster, leader).leader === leader, 'it knows');
  await cluster.until(() => !partition(cluster).isr.includes(before), 'the ISR is without the one before');
  expect(await isConfirmed(cluster, leader, 'second')).toBe(true);
  expect(await isConfirmed(cluster, before, 'unconfirmed')).toBe(false);
  cluster.cuts.heal();
  await cluster.until(() => partition(cluster).isr.length === 3, 'the one before is in the ISR again');
  expect(await isConfirmed(cluster, leader, 'third')).toBe(true);
  await cluster.until(
    () => [1, 2, 3].every((id) => logOf(cluster, id) === logOf(cluster, leader)),
    'equal logs',
  );
  expect(logOf(cluster, leader)).toMatch(/first[^]*second[^]*third/);
  expect(logOf(cluster, leader)).not.toContain('unconfirmed');
});

it('F22: a follower that is cut off leaves the ISR by the controller, and holds up nothing after that', async () => {
  const cluster = await withTopic();
  const { leader, isr } = partition(cluster);
  const follower = isr.find((id) => id !== leader) ?? -1;
  for (const [from, to] of isolated(follower)) cluster.cuts.cut(from, to);
  await cluster.until(() => !partition(cluster).isr.includes(follower), 'it is out of the ISR');
  expect(partition(cluster)).toMatchObject({ leader, leaderEpoch: 0 });
  await cluster.until(() => !partition(cluster, leader).isr.includes(follower), 'the leader knows');
  expect(await isConfirmed(cluster, leader, 'without it')).toBe(true);
  cluster.cuts.heal();
  await cluster.until(() => partition(cluster).isr.length === 3, 'it is back');
});

it('F22: a controller that is cut off fences brokers, which come back without another epoch', async () => {
  const cluster = await withTopic();
  const epochs = [1, 2, 3].map((id) => cluster.quorum(CONTROLLER).image.brokers.get(id)?.epoch);
  for (const [from, to] of isolated(CONTROLLER)) cluster.cuts.cut(from, to);
  await cluster.pass(3 * SESSION_MS);
  cluster.cuts.heal();
  const live = () => [...cluster.quorum(CONTROLLER).image.brokers.values()].filter(({ fenced }) => !fenced);
  await cluster.until(() => live().length === 3, 'all are unfenced');
  expect(live().map(({ epoch }) => epoch)).toEqual(epochs);
  await cluster.until(() => partition(cluster).isr.length === 3, 'the whole ISR');
  await cluster.until(
    () => partition(cluster, partition(cluster).leader).isr.length === 3,
    'the leader knows',
  );
  expect(await isConfirmed(cluster, partition(cluster).leader, 'after')).toBe(true);
});
