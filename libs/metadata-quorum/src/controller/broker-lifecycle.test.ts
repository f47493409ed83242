import { describe, expect, it } from 'vitest';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { TestCluster, testSchema } from '../testing/cluster.ts';
import {
  beginControlledShutdown,
  fenceBroker,
  registerBroker,
  unfenceBroker,
  unregisterBroker,
} from './broker-lifecycle.ts';

/** Three brokers and a topic with replicas 1, 2, 3 in that order. */
function threeBrokers(configs: Readonly<Record<string, string>> = {}): TestCluster {
  const cluster = new TestCluster();
  for (const id of [1, 2, 3]) cluster.start(id);
  cluster.create('a', {
    assignments: [{ partitionIndex: 0, brokerIds: [1, 2, 3] }],
    configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
  });
  return cluster;
}

const epochOf = (cluster: TestCluster, id: number): number => cluster.image.brokers.get(id)?.epoch ?? -1;
const fence = (cluster: TestCluster, id: number): void => {
  cluster.decide(fenceBroker(cluster.image, id, epochOf(cluster, id), testSchema));
};
const unfence = (cluster: TestCluster, id: number): void => {
  cluster.decide(unfenceBroker(cluster.image, id, epochOf(cluster, id), testSchema));
};
const stop = (cluster: TestCluster, id: number): void => {
  cluster.decide(beginControlledShutdown(cluster.image, id, epochOf(cluster, id), testSchema));
};

describe('registerBroker', () => {
  const request = {
    brokerId: 1,
    incarnationId: 'AAECAwQFBgcICQoLDA0ODw',
    endpoints: [],
    features: [],
    rack: null,
    logDirs: [],
    previousBrokerEpoch: -1,
  };
  const context = { schema: testSchema, sessionAlive: false };

  it('begins fenced, with the offset of its record as epoch', () => {
    const cluster = new TestCluster();
    const epoch = cluster.image.lastOffset + 1;
    expect(cluster.decide(registerBroker(cluster.image, request, context)).brokerEpoch).toBe(epoch);
    expect(cluster.image.brokers.get(1)).toMatchObject({ epoch, fenced: true });
  });

  it('F23: answers the same incarnation again with the epoch it has', () => {
    const cluster = new TestCluster();
    const first = cluster.decide(registerBroker(cluster.image, request, context));
    const again = registerBroker(cluster.image, request, { ...context, sessionAlive: true });
    expect(again).toEqual({ records: [], answer: first });
  });

  it('refuses another process with the id of one that is alive', () => {
    const cluster = new TestCluster();
    cluster.start(1);
    const { records, answer } = registerBroker(cluster.image, request, { ...context, sessionAlive: true });
    expect(records).toEqual([]);
    expect(answer).toMatchObject({ errorCode: ErrorCode.DUPLICATE_BROKER_REGISTRATION, brokerEpoch: -1 });
  });

  it('refuses requests of an earlier incarnation with STALE_BROKER_EPOCH', () => {
    const cluster = new TestCluster();
    const epoch = cluster.start(1);
    cluster.start(1);
    for (const decide of [fenceBroker, unfenceBroker, beginControlledShutdown]) {
      const { records, answer } = decide(cluster.image, 1, epoch, testSchema);
      expect(records).toEqual([]);
      expect(answer.errorCode).toBe(ErrorCode.STALE_BROKER_EPOCH);
    }
  });
});

describe('leaders and ISR', () => {
  it('R14: a fenced broker leaves the ISR, and the next of it in assignment order leads', () => {
    const cluster = threeBrokers();
    fence(cluster, 1);
    expect(cluster.partition('a')).toMatchObject({
      leader: 2,
      leaderEpoch: 1,
      partitionEpoch: 1,
      isr: [2, 3],
    });
  });

  it('R20: a follower that goes raises the partition epoch alone', () => {
    const cluster = threeBrokers();
    fence(cluster, 3);
    expect(cluster.partition('a')).toMatchObject({
      leader: 1,
      leaderEpoch: 0,
      partitionEpoch: 1,
      isr: [1, 2],
    });
  });

  it('R14: a broker that stops in order hands its leaderships over first', () => {
    const cluster = threeBrokers();
    stop(cluster, 1);
    expect(cluster.image.brokers.get(1)).toMatchObject({ fenced: false, inControlledShutdown: true });
    expect(cluster.partition('a')).toMatchObject({ leader: 2, isr: [2, 3] });
  });

  it('R20: below the minimum, who leaves the ISR stays an eligible leader', () => {
    const cluster = threeBrokers({ 'min.insync.replicas': '3' });
    stop(cluster, 3);
    expect(cluster.partition('a')).toMatchObject({ isr: [1, 2], elr: [3], leader: 1 });
  });

  it('R20: the last one out is eligible, leads again when it is back, and its ISR is itself', () => {
    const cluster = threeBrokers();
    for (const id of [3, 2, 1]) fence(cluster, id);
    expect(cluster.partition('a')).toMatchObject({ leader: -1, isr: [], elr: [1], lastKnownElr: [1] });
    const { leaderEpoch } = cluster.partition('a');
    unfence(cluster, 3);
    expect(cluster.partition('a')).toMatchObject({ leader: -1, isr: [] });
    unfence(cluster, 1);
    expect(cluster.partition('a')).toMatchObject({
      leader: 1,
      leaderEpoch: leaderEpoch + 1,
      isr: [1],
      elr: [],
      lastKnownElr: [],
      leaderRecoveryState: 0,
    });
  });

  it('R20: after an unclean restart the last known leader leads, marked as RECOVERING', () => {
    const cluster = threeBrokers();
    fence(cluster, 3);
    fence(cluster, 2);
    cluster.start(1);
    expect(cluster.partition('a')).toMatchObject({
      leader: 1,
      leaderEpoch: 2,
      isr: [1],
      leaderRecoveryState: 1,
    });
  });

  it('R20: after a clean restart it leads without that mark', () => {
    const cluster = threeBrokers();
    fence(cluster, 3);
    fence(cluster, 2);
    stop(cluster, 1);
    cluster.start(1, null, epochOf(cluster, 1));
    expect(cluster.partition('a')).toMatchObject({ leader: 1, isr: [1], leaderRecoveryState: 0 });
  });

  it('R20: an unclean restart takes a broker out of the eligible leaders', () => {
    const cluster = threeBrokers({ 'min.insync.replicas': '3' });
    stop(cluster, 3);
    cluster.start(3);
    expect(cluster.partition('a')).toMatchObject({ isr: [1, 2], elr: [] });
  });

  it('R20: any live replica leads only where the topic allows it', () => {
    for (const allowed of ['false', 'true']) {
      const cluster = threeBrokers({ 'unclean.leader.election.enable': allowed });
      for (const id of [3, 2, 1]) fence(cluster, id);
      unfence(cluster, 2);
      expect(cluster.partition('a')).toMatchObject(
        allowed === 'true' ? { leader: 2, isr: [2], leaderRecoveryState: 1 } : { leader: -1, isr: [] },
      );
    }
  });

  it('R14: lets a fenced broker that is stopping not come back before it registers anew', () => {
    const cluster = threeBrokers();
    stop(cluster, 1);
    fence(cluster, 1);
    unfence(cluster, 1);
    expect(cluster.image.brokers.get(1)?.fenced).toBe(true);
    cluster.start(1, null, epochOf(cluster, 1));
    expect(cluster.image.brokers.get(1)).toMatchObject({ fenced: false, inControlledShutdown: false });
  });

  it('F24: a broker with a wiped disk leads nothing on what its predecessor held', () => {
    const cluster = threeBrokers();
    for (const id of [3, 2, 1]) fence(cluster, id);
    cluster.decide(unregisterBroker(cluster.image, 1, testSchema));
    cluster.register(1);
    expect(cluster.partition('a')).toMatchObject({ leader: -1, isr: [], elr: [] });
  });

  it('takes a broker that is forgotten out of everything but the assignment', () => {
    const cluster = threeBrokers();
    cluster.decide(unregisterBroker(cluster.image, 1, testSchema));
    expect(cluster.image.brokers.has(1)).toBe(false);
    expect(cluster.partition('a')).toMatchObject({ replicas: [1, 2, 3], isr: [2, 3], leader: 2 });
  });
});

describe('without eligible leader replicas', () => {
  it('R14: the last member stays in the ISR', () => {
    const cluster = new TestCluster();
    cluster.append([
      { type: 'FeatureLevelRecord', name: 'eligible.leader.replicas.version', featureLevel: 0 },
    ]);
    cluster.start(1);
    cluster.create('a');
    fence(cluster, 1);
    expect(cluster.partition('a')).toMatchObject({ leader: -1, isr: [1], elr: [] });
    unfence(cluster, 1);
    expect(cluster.partition('a')).toMatchObject({ leader: 1, leaderEpoch: 2, isr: [1] });
  });
});
