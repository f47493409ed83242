/** Whole stories that history taught, on a simulated cluster. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { SimulatedCluster } from './testing/simulated-cluster.ts';

const begun = (settings: ConstructorParameters<typeof SimulatedCluster>[0] = {}): SimulatedCluster => {
  const cluster = new SimulatedCluster(settings);
  cluster.begin();
  return cluster;
};
const words = (cluster: SimulatedCluster): readonly string[][] =>
  cluster.brokers.map(({ log }) => log.words());

describe('R3, R4: replication', () => {
  it('brings acks=all records to every replica, and they are read once the high watermark has passed them', () => {
    const cluster = begun();
    const produced = cluster.produce(-1, ['one', 'two']);
    cluster.clock.advance(2000);
    expect(produced.outcome).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 0 });
    expect(words(cluster)).toEqual([
      ['one', 'two'],
      ['one', 'two'],
      ['one', 'two'],
    ]);
    expect(cluster.brokers.map(({ log }) => log.highWatermark)).toEqual([2, 2, 2]);
    expect(cluster.consume()).toEqual(['one', 'two']);
  });

  it('R6: a follower hears of the high watermark with its next fetch, at most a long poll later', () => {
    const cluster = begun();
    cluster.produce(-1, ['one']);
    cluster.clock.advance(100);
    expect(cluster.brokers.map(({ log }) => log.highWatermark)).toEqual([1, 0, 0]);
    cluster.clock.advance(500);
    expect(cluster.brokers.map(({ log }) => log.highWatermark)).toEqual([1, 1, 1]);
  });
});

describe('R9: a replica that starts', () => {
  it('begins with the high watermark that was written down, and no more', () => {
    const cluster = begun();
    cluster.produce(-1, ['one']);
    cluster.clock.advance(6000);
    cluster.produce(-1, ['two']);
    cluster.clock.advance(1000);
    const three = cluster.brokerOf(3);
    expect([three.log.highWatermark, three.checkpointedHighWatermark]).toEqual([2, 1]);
    three.kill();
    three.start();
    expect([three.log.highWatermark, three.log.logEndOffset]).toEqual([1, 2]);
    cluster.clock.advance(3000);
    expect(three.log.highWatermark).toBe(2);
  });

  it('after a clean stop begins with the last one', () => {
    const cluster = begun();
    cluster.produce(-1, ['one']);
    cluster.clock.advance(1000);
    const three = cluster.brokerOf(3);
    three.terminate();
    cluster.clock.advance(10);
    expect([three.process.state, three.checkpointedHighWatermark]).toEqual(['dead', 1]);
  });
});

describe('R14: the controller drops a broker', () => {
  it('at once when it is asked to stop, and waiting produces are released', () => {
    const cluster = begun();
    cluster.brokerOf(3).process.stop();
    const produced = cluster.produce(-1, ['one']);
    cluster.clock.advance(600);
    expect(produced.outcome).toBeUndefined();
    cluster.controller.beginControlledShutdown(3, cluster.brokerOf(3).brokerEpoch);
    cluster.clock.advance(10);
    expect(produced.outcome?.errorCode).toBe(ErrorCode.NONE);
    expect(cluster.leader?.replica.leader?.isr).toEqual([1, 2]);
  });

  it('when it is not heard of for its session, though it lacks nothing', () => {
    const cluster = begun();
    cluster.brokerOf(3).process.stop();
    cluster.clock.advance(6000);
    expect(cluster.controller.image.partition.isr).toEqual([1, 2, 3]);
    cluster.clock.advance(4000);
    expect(cluster.leader?.replica.leader?.isr).toEqual([1, 2]);
  });
});

describe('R20 to R25: when leaders change', () => {
  it('F20: a killed leader loses nothing that was acknowledged', () => {
    const cluster = begun({ minInsyncReplicas: 2 });
    const before = cluster.produce(-1, ['one']);
    cluster.clock.advance(5);
    const during = cluster.produce(-1, ['two']);
    cluster.clock.advance(2);
    cluster.brokerOf(1).kill();
    cluster.clock.advance(10_000);
    expect(cluster.leader?.id).toBe(2);
    expect(before.outcome?.errorCode).toBe(ErrorCode.NONE);
    expect(during.outcome).toBeUndefined();
    expect(cluster.consume()).toContain('one');
  });

  it('F21: a leader that was stopped past its session commits nothing when it goes on, and steps down', () => {
    const cluster = begun({ minInsyncReplicas: 2 });
    const zombie = cluster.brokerOf(1);
    zombie.process.stop();
    const lost = cluster.produce(-1, ['to the zombie']);
    cluster.clock.advance(10_000);
    expect(cluster.leader?.id).toBe(2);
    const kept = cluster.produce(-1, ['to its successor']);
    cluster.clock.advance(1000);
    expect(kept.outcome).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 0 });
    zombie.process.continue();
    cluster.clock.advance(5000);
    expect(lost.outcome?.errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    expect(words(cluster)).toEqual([['to its successor'], ['to its successor'], ['to its successor']]);
  });

  it('KAFKA-7128: a replica joins a fresh leader only where that one’s epoch began', () => {
    const cluster = begun({ minInsyncReplicas: 2, writeMs: () => 5 });
    // 3 falls out; 1 and 2 hold a committed record of which 2 has not heard that it is committed.
    cluster.brokerOf(3).process.stop();
    cluster.clock.advance(10_000);
    const produced = cluster.produce(-1, ['committed']);
    cluster.clock.advance(30);
    expect(produced.outcome?.errorCode).toBe(ErrorCode.NONE);
    expect(cluster.brokerOf(2).log.highWatermark).toBe(0);
    cluster.brokerOf(1).kill();
    cluster.brokerOf(3).process.continue();
    const { controller } = cluster;
    for (let passed = 0; passed < 20_000 && !controller.image.partition.isr.includes(3); passed++) {
      cluster.clock.advance(1);
    }
    expect([cluster.leader?.id, controller.image.partition.isr]).toEqual([2, [2, 3]]);
    expect(cluster.brokerOf(3).log.words()).toEqual(['committed']);
    cluster.clock.advance(1000);
    expect(cluster.consume()).toEqual(['committed']);
  });

  it('F24: a broker that comes back without its log is taken in again only when it holds everything', () => {
    const cluster = begun({ minInsyncReplicas: 2 });
    cluster.produce(-1, ['one', 'two']);
    cluster.clock.advance(1000);
    const three = cluster.brokerOf(3);
    three.kill();
    three.log.restartAt(0);
    three.checkpointedHighWatermark = 0;
    three.start();
    cluster.clock.advance(2);
    expect(cluster.controller.image.partition.isr).toEqual([1, 2]);
    cluster.clock.advance(3000);
    expect(cluster.controller.image.partition.isr).toEqual([1, 2, 3]);
    expect(three.log.words()).toEqual(['one', 'two']);
  });

  it('R22: every batch bears the epoch of the leader that appended it, on every replica', () => {
    const cluster = begun();
    cluster.produce(-1, ['one']);
    cluster.clock.advance(1000);
    cluster.controller.elect(3);
    cluster.clock.advance(1000);
    cluster.produce(-1, ['two']);
    cluster.clock.advance(1000);
    for (const { log } of cluster.brokers)
      expect(log.batches.map((batch) => batch.leaderEpoch)).toEqual([0, 1]);
  });

  it('R21: the epoch rises under a leader that moves away and back, and what it knows is asked anew', () => {
    const cluster = begun();
    cluster.produce(-1, ['one']);
    cluster.clock.advance(1000);
    cluster.controller.elect(2);
    cluster.clock.advance(1000);
    cluster.controller.elect(1);
    cluster.clock.advance(1000);
    cluster.produce(-1, ['two']);
    cluster.clock.advance(1000);
    expect(cluster.brokers.map(({ log }) => log.epochCheckpoint)).toEqual(
      Array.from('123', () => '0 2 0 0 2 1'),
    );
    expect(cluster.consume()).toEqual(['one', 'two']);
  });
});

describe('R26, R27: when the leader deletes records', () => {
  it('its followers delete them too, as soon as they hear of it', () => {
    const cluster = begun();
    cluster.produce(-1, ['one']);
    cluster.produce(-1, ['two']);
    cluster.clock.advance(1000);
    cluster.leader?.log.raiseLogStart(1);
    cluster.clock.advance(600);
    expect(words(cluster)).toEqual([['two'], ['two'], ['two']]);
  });

  it('one that was away begins anew where the leader’s log begins, and joins again', () => {
    const cluster = begun();
    cluster.brokerOf(3).process.stop();
    cluster.clock.advance(10_000);
    for (const word of ['one', 'two', 'three']) {
      cluster.produce(-1, [word]);
      cluster.clock.advance(10);
    }
    cluster.leader?.log.raiseLogStart(2);
    cluster.brokerOf(3).process.continue();
    cluster.clock.advance(5000);
    expect(cluster.brokerOf(3).lines.join()).toContain('begins at 2');
    expect(words(cluster)).toEqual([['three'], ['three'], ['three']]);
    expect(cluster.controller.image.partition.isr).toEqual([1, 2, 3]);
  });
});
