import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { RACK_AWARE_SELECTOR } from '../config/replication-definitions.ts';
import { ReplicatedCluster } from './testing/replicated-cluster.ts';

async function racks(settings: Readonly<Record<string, string>> = {}): Promise<ReplicatedCluster> {
  const cluster = await ReplicatedCluster.start(3, { settings, racks: ['a', 'b', 'c'] });
  await cluster.createTopic('seats');
  await cluster.produce(1, 'seats', ['one', 'two']);
  await cluster.advance(600);
  return cluster;
}

/** The replica id by which kafka-replica-verification fetches. */
const DEBUGGING_CONSUMER = -2;

const RACK_AWARE = { 'replica.selector.class': RACK_AWARE_SELECTOR };

describe('a consumer that tells its rack', () => {
  it('is sent to the replica there, and reads up to its high watermark', async () => {
    const cluster = await racks(RACK_AWARE);
    const sent = await cluster.fetch(1, 'seats', {}, { rackId: 'b' });
    expect(sent()).toMatchObject({ errorCode: 0, preferredReadReplica: 2, highWatermark: 2 });
    expect(sent()?.records?.length).toBe(0);
    const read = await cluster.fetch(2, 'seats', {}, { rackId: 'b' });
    expect(read()).toMatchObject({ errorCode: 0, preferredReadReplica: -1, highWatermark: 2 });
    expect(read()?.records).toEqual(cluster.logBytes(1, 'seats'));
  });

  it('reads from the leader if that is there, or if nobody is', async () => {
    const cluster = await racks(RACK_AWARE);
    for (const rackId of ['a', 'elsewhere', '']) {
      const read = await cluster.fetch(1, 'seats', {}, { rackId });
      expect(read()).toMatchObject({ errorCode: 0, preferredReadReplica: -1 });
      expect(read()?.records?.length).toBeGreaterThan(0);
    }
  });

  it('reads from the leader where replicas are not chosen by rack', async () => {
    const cluster = await racks();
    const read = await cluster.fetch(1, 'seats', {}, { rackId: 'b' });
    expect(read()).toMatchObject({ preferredReadReplica: -1 });
    expect(read()?.records?.length).toBeGreaterThan(0);
  });

  it('R25: is told by a follower that lags to ask again, and without a rack to ask the leader', async () => {
    const cluster = await racks(RACK_AWARE);
    const ahead = await cluster.fetch(2, 'seats', { fetchOffset: 3 }, { rackId: 'b' });
    const bare = await cluster.fetch(2, 'seats');
    const below = await cluster.fetch(2, 'seats', {}, { rackId: '' }, 10);
    expect([ahead()?.errorCode, bare()?.errorCode, below()?.errorCode]).toEqual([
      ErrorCode.OFFSET_NOT_AVAILABLE,
      ErrorCode.NOT_LEADER_OR_FOLLOWER,
      ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ]);
  });

  it('needs no rack to read from a follower if it is there to compare replicas', async () => {
    const cluster = await racks();
    const compared = await cluster.fetch(2, 'seats', {}, { replicaId: DEBUGGING_CONSUMER });
    expect(compared()).toMatchObject({ errorCode: 0, highWatermark: 2 });
    expect(compared()?.records).toEqual(cluster.logBytes(1, 'seats'));
  });

  it('waits at a follower, and is woken by its high watermark', async () => {
    const cluster = await racks(RACK_AWARE);
    const waiting = await cluster.fetch(2, 'seats', { fetchOffset: 2 }, { rackId: 'b', maxWaitMs: 30_000 });
    expect(waiting()).toBeNull();
    await cluster.produce(1, 'seats', ['three']);
    await cluster.advance(600);
    expect(waiting()?.records?.length).toBeGreaterThan(0);
  });
});
