import { ErrorCode } from '@seatlog/kafka-protocol';
import type { MemoryFault, MemoryOperation } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ReplicatedCluster } from './testing/replicated-cluster.ts';

const SEGMENT = /^\/logs\/seats-0\/.*\.log$/;

async function threeBrokers(
  configs: Readonly<Record<string, string>> = {},
  replicas: readonly number[] = [1, 2, 3],
  settings: Readonly<Record<string, string>> = {},
): Promise<ReplicatedCluster> {
  const cluster = await ReplicatedCluster.start(3, { settings });
  await cluster.createTopic('seats', replicas, configs);
  await cluster.produce(1, 'seats', ['a', 'b']);
  await cluster.advance(600);
  return cluster;
}

const failing =
  (name: MemoryOperation['name'], code: MemoryFault['code']) =>
  (operation: MemoryOperation): MemoryFault | undefined =>
    operation.name === name && SEGMENT.test(operation.path) ? { code } : undefined;

describe('a leader whose disk is full', () => {
  it('F7: refuses, hands its leadership on, reads on, and is in sync again once there is room', async () => {
    const cluster = await threeBrokers();
    cluster.disk(1).fault = failing('write', 'ENOSPC');
    const refused = await cluster.produce(1, 'seats', ['full']);
    await cluster.advance(100);
    expect(refused()?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect(cluster.controller.image.topics.get('seats')?.partitions[0]?.leader).toBe(2);
    const elsewhere = await cluster.produce(2, 'seats', ['c']);
    await cluster.advance(600);
    expect([elsewhere()?.baseOffset, cluster.isr('seats')]).toEqual([2, [2, 3]]);
    expect(await cluster.values(2, 'seats')).toEqual(['a', 'b', 'c']);
    expect(cluster.broker(1).partition('seats').logEndOffset).toBe(2);
    cluster.disk(1).fault = () => undefined;
    await cluster.advance(2000);
    expect(cluster.isr('seats')).toEqual([2, 3, 1]);
    expect(cluster.logBytes(1, 'seats')).toEqual(cluster.logBytes(2, 'seats'));
  });

  it('F7: alone, keeps what it leads for readers, and takes appends once there is room', async () => {
    const cluster = await threeBrokers({}, [1]);
    cluster.disk(1).fault = failing('write', 'ENOSPC');
    const refused = await cluster.produce(1, 'seats', ['full']);
    await cluster.advance(2000);
    expect(refused()?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect(await cluster.values(1, 'seats')).toEqual(['a', 'b']);
    cluster.disk(1).fault = () => undefined;
    const again = await cluster.produce(1, 'seats', ['c']);
    expect(again()).toMatchObject({ errorCode: 0, baseOffset: 2 });
  });
});

describe('disks that are all full at once', () => {
  it('F7: all are in sync again once there is room, though nothing is written below the minimum', async () => {
    const cluster = await threeBrokers({ 'min.insync.replicas': '2' });
    const full = (operation: MemoryOperation): MemoryFault | undefined =>
      operation.name === 'write' && operation.path.startsWith('/logs/seats-0/')
        ? { code: 'ENOSPC' }
        : undefined;
    for (const leader of [1, 2, 3]) {
      cluster.disk(leader).fault = full;
      const refused = await cluster.produce(leader, 'seats', ['full']);
      await cluster.advance(100);
      expect(refused()?.errorCode).not.toBe(ErrorCode.NONE);
    }
    expect(cluster.isr('seats')).toEqual([3]);
    const below = await cluster.produce(3, 'seats', ['full']);
    expect(below()?.errorCode).toBe(ErrorCode.NOT_ENOUGH_REPLICAS);
    await cluster.advance(5000);
    expect(cluster.isr('seats')).toEqual([3]);
    for (const id of [1, 2, 3]) cluster.disk(id).fault = () => undefined;
    await cluster.advance(5000);
    expect(new Set(cluster.isr('seats'))).toEqual(new Set([1, 2, 3]));
    const taken = await cluster.produce(3, 'seats', ['c']);
    await cluster.advance(600);
    expect(taken()).toMatchObject({ errorCode: 0, baseOffset: 2 });
  });
});

describe('a log that is fenced', () => {
  it('F8: after a sync that failed nothing is acknowledged, and another leads', async () => {
    const cluster = await threeBrokers({ 'flush.messages': '1' });
    cluster.disk(1).fault = failing('sync', 'EIO');
    const refused = await cluster.produce(1, 'seats', ['unsynced']);
    await cluster.advance(600);
    expect(refused()?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect(cluster.controller.image.topics.get('seats')?.partitions[0]).toMatchObject({
      leader: 2,
      isr: [2, 3],
    });
    cluster.disk(1).fault = () => undefined;
    const elsewhere = await cluster.produce(2, 'seats', ['c']);
    await cluster.advance(5000);
    expect(elsewhere()).toMatchObject({ errorCode: 0, baseOffset: 2 });
    expect(cluster.isr('seats')).toEqual([2, 3]);
  });

  it('F8: a follower that has one leaves the ISR', async () => {
    const cluster = await threeBrokers({ 'flush.messages': '1' });
    cluster.disk(3).fault = failing('sync', 'EIO');
    const answer = await cluster.produce(1, 'seats', ['c']);
    await cluster.advance(600);
    expect([answer()?.errorCode, cluster.isr('seats')]).toEqual([0, [1, 2]]);
  });

  it('F8: alone it leads on for readers, until another is in sync', async () => {
    const cluster = await threeBrokers({ 'flush.messages': '1' });
    for (const id of [2, 3]) cluster.controller.fence(id);
    await cluster.settle();
    cluster.disk(1).fault = failing('sync', 'EIO');
    await cluster.produce(1, 'seats', ['unsynced']);
    await cluster.advance(2000);
    expect([cluster.isr('seats'), await cluster.values(1, 'seats')]).toEqual([[1], ['a', 'b']]);
    cluster.controller.unfence(2);
    await cluster.advance(3000);
    expect(cluster.controller.image.topics.get('seats')?.partitions[0]).toMatchObject({
      leader: 2,
      isr: [2],
    });
  });
});

describe('a log that is fenced, of the only replica in sync', () => {
  async function elected(): Promise<ReplicatedCluster> {
    const cluster = await threeBrokers({ 'flush.messages': '1' });
    const { controller } = cluster;
    for (const id of [2, 3]) controller.fence(id);
    await cluster.settle();
    cluster.disk(1).fault = failing('sync', 'EIO');
    const refused = await cluster.produce(1, 'seats', ['unsynced']);
    await cluster.settle();
    expect(refused()?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    controller.fence(1);
    await cluster.settle();
    controller.unfence(1);
    await cluster.advance(2000);
    expect(cluster.broker(1).partition('seats')).toMatchObject({ isLeader: true, leaderEpoch: 2, isr: [1] });
    return cluster;
  }

  it('F8: elected again it serves readers and refuses appends, until another is in sync', async () => {
    const cluster = await elected();
    const refused = await cluster.produce(1, 'seats', ['c']);
    await cluster.settle();
    expect(refused()?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect(await cluster.values(1, 'seats')).toEqual(['a', 'b']);
    cluster.controller.unfence(2);
    await cluster.advance(3000);
    const taken = await cluster.produce(2, 'seats', ['c']);
    await cluster.advance(600);
    expect([taken()?.errorCode, await cluster.values(2, 'seats')]).toEqual([0, ['a', 'b', 'c']]);
  });

  it('F8, R24: is opened anew at the next start, with a history that others can follow', async () => {
    const cluster = await elected();
    cluster.broker(1).kill();
    cluster.controller.fence(1);
    cluster.disk(1).fault = () => undefined;
    await cluster.startBroker(1);
    await cluster.produce(1, 'seats', ['c']);
    for (const id of [2, 3]) cluster.controller.unfence(id);
    await cluster.advance(3000);
    expect(await cluster.values(1, 'seats')).toEqual(['a', 'b', 'unsynced', 'c']);
    expect(new Set(cluster.isr('seats'))).toEqual(new Set([1, 2, 3]));
    expect(cluster.logBytes(2, 'seats')).toEqual(cluster.logBytes(1, 'seats'));
  });
});

describe('a leader whose stored batches rot', () => {
  it('F3: hands its leadership on when a fetch comes upon it, and is no leader until it has fetched them again', async () => {
    // What is synced is vouched for by a checkpoint: a start trusts it.
    const cluster = await threeBrokers({ 'flush.messages': '1' }, [1, 2, 3], {
      'seatlog.log.tail.cache.bytes': '0',
      'log.flush.offset.checkpoint.interval.ms': '100',
    });
    const sound = cluster.logBytes(2, 'seats');
    cluster.disk(1).tamper('/logs/seats-0/00000000000000000000.log', (contents) => {
      contents[65] = (contents[65] ?? 0) ^ 1;
      return contents;
    });
    const refused = await cluster.fetch(1, 'seats');
    await cluster.advance(600);
    expect(refused()).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(refused()?.records).toHaveLength(0);
    expect(cluster.controller.image.topics.get('seats')?.partitions[0]).toMatchObject({
      leader: 2,
      isr: [2, 3],
    });
    expect(await cluster.values(2, 'seats')).toEqual(['a', 'b']);
    cluster.broker(1).kill();
    cluster.controller.fence(1);
    await cluster.startBroker(1);
    cluster.controller.unfence(1);
    await cluster.advance(3000);
    expect(new Set(cluster.isr('seats'))).toEqual(new Set([1, 2, 3]));
    expect(cluster.logBytes(1, 'seats')).toEqual(sound);
  });
});

describe('a replica that cannot be opened', () => {
  it('F3: leaves the ISR, so that it is not elected', async () => {
    const cluster = await threeBrokers();
    const { brokerEpoch } = cluster.broker(3);
    cluster.broker(3).close();
    const path = '/logs/seats-0/00000000000000000000.log';
    cluster.disk(3).fault = (operation) =>
      operation.name === 'read' && operation.path === path ? { code: 'EIO' } : undefined;
    const broker = await cluster.startBroker(3, { previousBrokerEpoch: brokerEpoch });
    await cluster.advance(2000);
    expect(broker.replicas.partition('seats', 0)).toBeUndefined();
    expect(cluster.isr('seats')).toEqual([1, 2]);
  });
});
