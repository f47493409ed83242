import { liveBrokers } from '@seatlog/metadata-quorum';
import { expect, it } from 'vitest';
import { BROKERS, CONTROLLER, SeatsCluster, SESSION_MS } from './testing/seats-cluster.ts';

type Direction = readonly [from: number, to: number];

function others(node: number): readonly number[] {
  return [CONTROLLER, ...BROKERS].filter((id) => id !== node);
}

const isolated = (node: number) =>
  others(node).flatMap((id): Direction[] => [
    [id, node],
    [node, id],
  ]);
const speechless = (node: number) => others(node).map((id): Direction => [node, id]);
const deaf = (node: number) => others(node).map((id): Direction => [id, node]);
const offTheController = (node: number): readonly Direction[] => [[node, CONTROLLER]];

function cut(cluster: SeatsCluster, directions: readonly Direction[]): void {
  for (const [from, to] of directions) cluster.cuts.cut(from, to);
}

/** What a broker holds of the partition, as text. */
function logOf(cluster: SeatsCluster, id: number): string {
  const file = '/logs/seats-0/00000000000000000000.log';
  return Buffer.from(cluster.node(id).files.readFile(file)).toString('latin1');
}

it.each([
  ['cut off from all', isolated],
  ['that can only hear', speechless],
  ['that can only speak', deaf],
  ['whose heartbeats are lost', offTheController],
])('F22: a leader %s is replaced, and there is one that confirms at any time', async (_what, cutsAround) => {
  await using cluster = await new SeatsCluster().startAll();
  const { leader: before } = cluster.partition();
  expect(await cluster.isConfirmed(before, 'first')).toBe(true);
  cut(cluster, cutsAround(before));
  const leader = await cluster.nextLeader(before);
  await cluster.until(() => !cluster.partition().isr.includes(before), 'the ISR is without the one before');
  expect(await cluster.isConfirmed(leader, 'second')).toBe(true);
  expect(await cluster.isConfirmed(before, 'unconfirmed')).toBe(false);
  cluster.cuts.heal();
  await cluster.wholeIsr();
  expect(await cluster.isConfirmed(leader, 'third')).toBe(true);
  const all = () => new Set(BROKERS.map((id) => logOf(cluster, id)));
  await cluster.until(() => all().size === 1, 'equal logs');
  expect(logOf(cluster, leader)).toMatch(/first[^]*second[^]*third/);
  expect(logOf(cluster, leader)).not.toContain('unconfirmed');
});

it('F22: a follower that is cut off leaves the ISR by the controller, and holds up nothing after that', async () => {
  await using cluster = await new SeatsCluster().startAll();
  const { leader, isr } = cluster.partition();
  const follower = isr.find((id) => id !== leader) ?? -1;
  cut(cluster, isolated(follower));
  await cluster.until(() => !cluster.partition(leader).isr.includes(follower), 'it is out of the ISR');
  expect(cluster.partition()).toMatchObject({ leader, leaderEpoch: 0 });
  expect(await cluster.isConfirmed(leader, 'without it')).toBe(true);
  cluster.cuts.heal();
  await cluster.wholeIsr();
});

it('F22: brokers cut off from their controller come back without another epoch', async () => {
  await using cluster = await new SeatsCluster().startAll();
  const epochs = BROKERS.map((id) => cluster.registration(id)?.epoch);
  cut(cluster, isolated(CONTROLLER));
  await cluster.pass(3 * SESSION_MS);
  expect(liveBrokers(cluster.image)).toEqual([]);
  cluster.cuts.heal();
  await cluster.until(() => liveBrokers(cluster.image).length === BROKERS.length, 'all are unfenced');
  expect(BROKERS.map((id) => cluster.registration(id)?.epoch)).toEqual(epochs);
  await cluster.wholeIsr();
  expect(await cluster.isConfirmed(cluster.partition().leader, 'after')).toBe(true);
});
