import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { TestCluster, testSchema } from '../testing/cluster.ts';
import { fenceBroker } from './broker-lifecycle.ts';
import { loseReplicas } from './lost-replicas.ts';

function threeBrokers() {
  const cluster = new TestCluster();
  for (const id of [1, 2, 3]) cluster.start(id);
  const topicId = cluster.create('a', { assignments: [{ partitionIndex: 0, brokerIds: [1, 2, 3] }] });
  cluster.create('b', { assignments: [{ partitionIndex: 0, brokerIds: [1, 2, 3] }] });
  const epochOf = (id: number): number => cluster.image.brokers.get(id)?.epoch ?? -1;
  const lose = (
    brokerId: number,
    replica = { topicId, partitionIndex: 0 },
    brokerEpoch = epochOf(brokerId),
  ) => loseReplicas(cluster.image, { brokerId, brokerEpoch, replicas: [replica] }, testSchema);
  return { cluster, lose, epochOf };
}

describe('loseReplicas', () => {
  it('F7: moves the leadership of that partition, and of no other', () => {
    const { cluster, lose } = threeBrokers();
    expect(cluster.decide(lose(1)).replicas[0]?.errorCode).toBe(0);
    expect(cluster.partition('a')).toMatchObject({ leader: 2, isr: [2, 3], leaderEpoch: 1 });
    expect(cluster.partition('b')).toMatchObject({ leader: 1, isr: [1, 2, 3], leaderEpoch: 0 });
  });

  it('takes a follower out of the ISR', () => {
    const { cluster, lose } = threeBrokers();
    cluster.decide(lose(3));
    expect(cluster.partition('a')).toMatchObject({ leader: 1, isr: [1, 2], leaderEpoch: 0 });
  });

  it('leaves the last that could lead where it is', () => {
    const { cluster, lose, epochOf } = threeBrokers();
    for (const id of [2, 3]) cluster.decide(fenceBroker(cluster.image, id, epochOf(id), testSchema));
    const { records, answer } = lose(1);
    expect([records, answer.replicas[0]?.errorCode]).toEqual([[], ErrorCode.NONE]);
  });

  it('changes nothing for one that is out already, or is not its own', () => {
    const { cluster, lose } = threeBrokers();
    cluster.decide(lose(3));
    expect(lose(3).records).toEqual([]);
    cluster.start(4);
    expect(lose(4).answer.replicas[0]?.errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    const unknown = lose(1, { topicId: 'AAAAAAAAAAAAAAAAAAAAAg', partitionIndex: 0 });
    expect(unknown.answer.replicas[0]?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_ID);
  });

  it('refuses an earlier incarnation', () => {
    const { lose, epochOf } = threeBrokers();
    const { records, answer } = lose(1, undefined, epochOf(1) - 1);
    expect([records, answer.errorCode]).toEqual([[], ErrorCode.STALE_BROKER_EPOCH]);
  });
});
