import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { ReplicatedCluster } from './testing/replicated-cluster.ts';

const LAG_MS = 10_000;
const SETTINGS = { 'replica.lag.time.max.ms': `${LAG_MS}` };

async function threeBrokers(configs: Readonly<Record<string, string>> = {}): Promise<ReplicatedCluster> {
  const cluster = await ReplicatedCluster.start(3, { settings: SETTINGS });
  await cluster.createTopic('seats', [1, 2, 3], configs);
  return cluster;
}

describe('three brokers', () => {
  it('R3, R4: hold the same bytes and epochs, and all learn the high watermark', async () => {
    const cluster = await threeBrokers();
    const answer = await cluster.produce(1, 'seats', ['a', 'b']);
    expect(answer()).toMatchObject({ errorCode: 0, baseOffset: 0 });
    await cluster.advance(600);
    expect(cluster.highWatermarks('seats')).toEqual([2, 2, 2]);
    for (const id of [2, 3]) {
      expect(cluster.logBytes(id, 'seats')).toEqual(cluster.logBytes(1, 'seats'));
      expect(cluster.broker(id).partition('seats').log.leaderEpochs).toEqual([{ epoch: 0, startOffset: 0 }]);
    }
  });

  it('R1: have one fetcher for each leader, by name', async () => {
    const cluster = await threeBrokers();
    await cluster.createTopic('tickets', [2, 1]);
    const names = [1, 2, 3].map((id) => cluster.broker(id).replicas.fetchers.map(({ name }) => name));
    expect(names).toEqual([
      ['ReplicaFetcherThread-0-2'],
      ['ReplicaFetcherThread-0-1'],
      ['ReplicaFetcherThread-0-1'],
    ]);
  });

  it('R27: answer DeleteRecords once all live replicas have begun their logs there', async () => {
    const cluster = await threeBrokers();
    await cluster.produce(1, 'seats', ['a', 'b', 'c']);
    await cluster.advance(600);
    const answer = await cluster.ask(1, apis.deleteRecords, 2, {
      topics: [{ name: 'seats', partitions: [{ partitionIndex: 0, offset: 2 }] }],
      timeoutMs: 5000,
    });
    expect(answer.result).toBeNull();
    await cluster.advance(1100);
    const partition = { partitionIndex: 0, lowWatermark: 2, errorCode: 0 };
    expect(answer.result).toMatchObject({ response: { topics: [{ partitions: [partition] }] } });
    expect([1, 2, 3].map((id) => cluster.broker(id).partition('seats').logStartOffset)).toEqual([2, 2, 2]);
  });

  it('R27: and give up at the time-out of the request if one does not', async () => {
    const cluster = await threeBrokers();
    await cluster.produce(1, 'seats', ['a', 'b']);
    cluster.broker(3).kill();
    const answer = await cluster.ask(1, apis.deleteRecords, 2, {
      topics: [{ name: 'seats', partitions: [{ partitionIndex: 0, offset: 1 }] }],
      timeoutMs: 5000,
    });
    await cluster.advance(5000);
    expect(answer.result).toMatchObject({
      response: { topics: [{ partitions: [{ errorCode: ErrorCode.REQUEST_TIMED_OUT }] }] },
    });
  });
});

describe('flush.messages=1', () => {
  it('R6: a follower reports what it has synced, and acks=all waits for that', async () => {
    const cluster = await threeBrokers({ 'flush.messages': '1' });
    const disk = cluster.disk(3);
    disk.completions = 'held';
    const answer = await cluster.produce(1, 'seats', ['a']);
    const held = (): readonly string[] => disk.heldCompletions.map(({ name }) => name);
    expect([answer(), held()]).toEqual([null, ['write']]);
    disk.deliver();
    await cluster.settle();
    expect(answer()).toBeNull();
    expect(held()).toContain('sync');
    expect(cluster.highWatermarks('seats', [1])).toEqual([0]);
    disk.completions = 'at once';
    while (disk.heldCompletions.length > 0) disk.deliver();
    await cluster.settle();
    expect([answer()?.errorCode, ...cluster.highWatermarks('seats', [1])]).toEqual([0, 1]);
  });
});

describe('a follower that stops', () => {
  it('R7, R11, R18: holds the high watermark until it has left the ISR', async () => {
    const cluster = await threeBrokers();
    await cluster.produce(1, 'seats', ['a']);
    cluster.broker(3).kill();
    await cluster.advance(2 * LAG_MS);
    expect(cluster.isr('seats')).toEqual([1, 2, 3]);
    const one = await cluster.produce(1, 'seats', ['b'], { acks: 1 });
    const all = await cluster.produce(1, 'seats', ['c']);
    expect([one()?.errorCode, all()]).toEqual([0, null]);
    expect(cluster.highWatermarks('seats', [1])).toEqual([1]);
    await cluster.advance(1.5 * LAG_MS);
    expect(cluster.isr('seats')).toEqual([1, 2]);
    expect([all()?.errorCode, cluster.highWatermarks('seats', [1])]).toEqual([0, [3]]);
  });

  it('R30: its leaving and its coming back are logged and counted', async () => {
    const cluster = await threeBrokers();
    cluster.broker(3).kill();
    await cluster.produce(1, 'seats', ['a'], { acks: 1 });
    await cluster.advance(2 * LAG_MS);
    await cluster.startBroker(3);
    await cluster.advance(1000);
    const { lines, metrics } = cluster.broker(1);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^Shrinking ISR from 1,2,3 to 1,2\. Leader: \(highWatermark: 0, endOffset: 1\)\. Out of sync replicas: \(brokerId: 3, endOffset: 0, lastCaughtUpTimeMs: \d+\)\.$/,
      ),
    );
    expect(lines).toContain('ISR updated to 1,2 and version updated to 1');
    expect(cluster.isr('seats')).toEqual([1, 2, 3]);
    expect([metrics.isrShrinks, metrics.isrExpands]).toEqual([1, 1]);
  });

  it('R12: comes back once it holds what its leader has committed', async () => {
    const cluster = await threeBrokers();
    cluster.broker(3).kill();
    cluster.controller.fence(3);
    await cluster.settle();
    const answer = await cluster.produce(1, 'seats', ['a', 'b']);
    expect([answer()?.errorCode, cluster.isr('seats')]).toEqual([0, [1, 2]]);
    await cluster.startBroker(3);
    await cluster.advance(1000);
    expect(cluster.isr('seats')).toEqual([1, 2, 3]);
    expect(cluster.logBytes(3, 'seats')).toEqual(cluster.logBytes(1, 'seats'));
  });
});

describe('min.insync.replicas', () => {
  it('R17, R8: refuses acks=all before it is written, freezes what acks=1 writes, and takes effect at once', async () => {
    const cluster = await threeBrokers({ 'min.insync.replicas': '3' });
    await cluster.produce(1, 'seats', ['all-0']);
    await cluster.produce(1, 'seats', ['one-1'], { acks: 1 });
    await cluster.advance(600);
    cluster.broker(3).terminate();
    await cluster.settle();
    expect(cluster.isr('seats')).toEqual([1, 2]);
    const refused = await cluster.produce(1, 'seats', ['refused']);
    expect(refused()).toMatchObject({
      errorCode: ErrorCode.NOT_ENOUGH_REPLICAS,
      errorMessage: 'Messages are rejected since there are fewer in-sync replicas than required.',
    });
    const one = await cluster.produce(1, 'seats', ['one-2'], { acks: 1 });
    await cluster.advance(600);
    expect([one()?.baseOffset, ...cluster.highWatermarks('seats', [1])]).toEqual([2, 2]);
    cluster.controller.setTopicConfig('seats', 'min.insync.replicas', '2');
    await cluster.settle();
    const all = await cluster.produce(1, 'seats', ['all-3']);
    await cluster.produce(1, 'seats', ['one-4'], { acks: 1 });
    await cluster.advance(600);
    expect(all()?.baseOffset).toBe(3);
    expect(await cluster.values(1, 'seats')).toEqual(['all-0', 'one-1', 'one-2', 'all-3', 'one-4']);
  });
});

describe('a produce with acks=all', () => {
  it('R16, R29: runs into its own time-out, and its record stays', async () => {
    const cluster = await threeBrokers();
    for (const id of [2, 3]) cluster.broker(id).kill();
    const answer = await cluster.produce(1, 'seats', ['a'], { timeoutMs: 700 });
    await cluster.advance(699);
    expect(answer()).toBeNull();
    await cluster.advance(1);
    expect(answer()?.errorCode).toBe(ErrorCode.REQUEST_TIMED_OUT);
    expect(cluster.broker(1).partition('seats').logEndOffset).toBe(1);
  });

  it('R29: ends with NOT_LEADER_OR_FOLLOWER when the leadership moves', async () => {
    const cluster = await threeBrokers();
    for (const id of [2, 3]) cluster.broker(id).kill();
    const answer = await cluster.produce(1, 'seats', ['a']);
    const fetch = await cluster.fetch(1, 'seats', {}, { maxWaitMs: 30_000 });
    cluster.controller.fence(1);
    await cluster.settle();
    expect(answer()?.errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    expect(fetch()?.errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
  });

  it('R15: is answered although the controller takes its time over the ISR', async () => {
    const cluster = await threeBrokers();
    cluster.broker(3).kill();
    cluster.controller.holds = true;
    const answer = await cluster.produce(1, 'seats', ['a']);
    await cluster.advance(2 * LAG_MS);
    expect([answer(), ...cluster.highWatermarks('seats', [1])]).toEqual([null, 0]);
    cluster.controller.release();
    await cluster.settle();
    expect([answer()?.errorCode, ...cluster.highWatermarks('seats', [1])]).toEqual([0, 1]);
  });
});
