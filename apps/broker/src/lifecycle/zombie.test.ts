import { ErrorCode } from '@seatlog/kafka-protocol';
import { expect, it } from 'vitest';
import { BROKERS, CONTROLLER, SeatsCluster, SESSION_MS } from './testing/seats-cluster.ts';

it('F21: a leader stopped past its session confirms nothing that the next leader does not hold', async () => {
  await using cluster = await new SeatsCluster().startAll();
  const { leader: zombie } = cluster.partition();
  expect(await cluster.produce(zombie, 'before')).toEqual({ errorCode: 0, baseOffset: 0 });
  cluster.freeze(zombie);
  const leader = await cluster.nextLeader(zombie);
  expect(await cluster.produce(leader, 'after')).toEqual({ errorCode: 0, baseOffset: 1 });
  // Lies in the zombie's socket, and is the first thing that it sees when it goes on.
  const late = cluster.produce(zombie, 'late');
  await cluster.pass(100);
  cluster.thaw(zombie);
  expect([ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.REQUEST_TIMED_OUT]).toContain((await late).errorCode);
  await cluster.wholeIsr();
  expect(cluster.partition().leader).toBe(leader);
  expect(await cluster.produce(leader, 'then')).toEqual({ errorCode: 0, baseOffset: 2 });
});

it('F27: a broker that stood still past its session is fenced, steps down, and comes back under its epoch', async () => {
  await using cluster = await new SeatsCluster().startAll();
  const { leader } = cluster.partition();
  const epoch = cluster.registration(leader)?.epoch;
  cluster.freeze(leader);
  await cluster.until(() => cluster.registration(leader)?.fenced === true, 'it is fenced');
  cluster.thaw(leader);
  await cluster.until(() => cluster.registration(leader)?.fenced === false, 'it is unfenced');
  expect(cluster.registration(leader)?.epoch).toBe(epoch);
  await cluster.until(() => cluster.partition(leader).leader !== leader, 'it knows that it leads no more');
  expect(await cluster.produce(leader, 'refused')).toMatchObject({
    errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER,
  });
  await cluster.wholeIsr();
});

it('F27: a controller that stood still fences nobody', async () => {
  await using cluster = await new SeatsCluster().startAll();
  cluster.freeze(CONTROLLER);
  await cluster.pass(4 * SESSION_MS);
  cluster.thaw(CONTROLLER);
  await cluster.pass(2 * SESSION_MS);
  expect(BROKERS.map((id) => cluster.registration(id)?.fenced)).toEqual([false, false, false]);
  expect(cluster.partition()).toMatchObject({ leaderEpoch: 0, partitionEpoch: 0 });
});
