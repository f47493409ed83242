import { describe, expect, it } from 'vitest';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { TestCluster, testSchema } from '../testing/cluster.ts';
import type { IsrProposal } from './alter-partition.ts';
import { alterPartitions } from './alter-partition.ts';
import { fenceBroker } from './broker-lifecycle.ts';

function threeBrokers() {
  const cluster = new TestCluster();
  for (const id of [1, 2, 3]) cluster.start(id);
  const topicId = cluster.create('a', { assignments: [{ partitionIndex: 0, brokerIds: [1, 2, 3] }] });
  const epochOf = (id: number): number => cluster.image.brokers.get(id)?.epoch ?? -1;
  const propose = (change: Partial<IsrProposal> = {}, brokerId = 1) =>
    alterPartitions(
      cluster.image,
      {
        brokerId,
        brokerEpoch: epochOf(brokerId),
        partitions: [
          {
            topicId,
            partitionIndex: 0,
            leaderEpoch: 0,
            partitionEpoch: 0,
            isr: members(1, 2),
            leaderRecoveryState: 0,
            ...change,
          },
        ],
      },
      testSchema,
    );
  const members = (...ids: readonly number[]) =>
    ids.map((id) => ({ brokerId: id, brokerEpoch: epochOf(id) }));
  return { cluster, propose, members, epochOf };
}

describe('alterPartitions', () => {
  it('R13: shrinks and grows an ISR, and raises the partition epoch alone', () => {
    const { cluster, propose, members } = threeBrokers();
    expect(cluster.decide(propose()).partitions[0]?.partition).toMatchObject({
      isr: [1, 2],
      leader: 1,
      leaderEpoch: 0,
      partitionEpoch: 1,
    });
    cluster.decide(propose({ partitionEpoch: 1, isr: members(1, 2, 3) }));
    expect(cluster.partition('a')).toMatchObject({ isr: [1, 2, 3], leaderEpoch: 0, partitionEpoch: 2 });
  });

  it('R13: answers a proposal of what is so already, and changes nothing', () => {
    const { propose, members } = threeBrokers();
    const { records, answer } = propose({ isr: members(1, 2, 3) });
    expect(records).toEqual([]);
    expect(answer.partitions[0]).toMatchObject({ errorCode: 0, partition: { partitionEpoch: 0 } });
  });

  it('R20: keeps who is dropped below the minimum as an eligible leader', () => {
    const { cluster, propose, members } = threeBrokers();
    cluster.append([
      { type: 'ConfigRecord', resourceType: 2, resourceName: 'a', name: 'min.insync.replicas', value: '3' },
    ]);
    cluster.decide(propose({ isr: members(1, 2) }));
    expect(cluster.partition('a').elr).toEqual([3]);
  });

  it.each<[string, Partial<IsrProposal>, number, number]>([
    ['an unknown topic', { topicId: 'AAECAwQFBgcICQoLDA0ODw' }, 1, ErrorCode.UNKNOWN_TOPIC_ID],
    ['an unknown partition', { partitionIndex: 5 }, 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ['a leader epoch from the future', { leaderEpoch: 1 }, 1, ErrorCode.NOT_CONTROLLER],
    ['a partition epoch from the future', { partitionEpoch: 1 }, 1, ErrorCode.NOT_CONTROLLER],
    ['a sender that does not lead', {}, 2, ErrorCode.INVALID_REQUEST],
    [
      'a stranger',
      {
        isr: [
          { brokerId: 1, brokerEpoch: -1 },
          { brokerId: 9, brokerEpoch: -1 },
        ],
      },
      1,
      ErrorCode.INVALID_REQUEST,
    ],
    [
      'a member twice',
      {
        isr: [
          { brokerId: 1, brokerEpoch: -1 },
          { brokerId: 1, brokerEpoch: -1 },
        ],
      },
      1,
      ErrorCode.INVALID_REQUEST,
    ],
    ['an ISR without its leader', { isr: [{ brokerId: 2, brokerEpoch: -1 }] }, 1, ErrorCode.INVALID_REQUEST],
    [
      'a way back into recovery',
      { isr: [{ brokerId: 1, brokerEpoch: -1 }], leaderRecoveryState: 1 },
      1,
      ErrorCode.INVALID_REQUEST,
    ],
    [
      'another incarnation',
      {
        isr: [
          { brokerId: 1, brokerEpoch: -1 },
          { brokerId: 2, brokerEpoch: 0 },
        ],
      },
      1,
      ErrorCode.INELIGIBLE_REPLICA,
    ],
  ])('R13: refuses %s', (_what, change, sender, errorCode) => {
    const { records, answer } = threeBrokers().propose(change, sender);
    expect(records).toEqual([]);
    expect(answer.partitions).toMatchObject([{ errorCode, partition: null }]);
  });

  it('R13: refuses what is older than what the controller knows', () => {
    const { cluster, propose, epochOf } = threeBrokers();
    cluster.decide(propose());
    expect(propose().answer.partitions[0]?.errorCode).toBe(ErrorCode.INVALID_UPDATE_VERSION);
    cluster.decide(fenceBroker(cluster.image, 1, epochOf(1), testSchema));
    expect(propose({ partitionEpoch: 2 }).answer.partitions[0]?.errorCode).toBe(
      ErrorCode.FENCED_LEADER_EPOCH,
    );
  });

  it('R13: refuses a fenced member', () => {
    const { cluster, propose, members, epochOf } = threeBrokers();
    cluster.decide(fenceBroker(cluster.image, 3, epochOf(3), testSchema));
    const { answer } = propose({ partitionEpoch: 1, isr: members(1, 2, 3) });
    expect(answer.partitions[0]?.errorCode).toBe(ErrorCode.INELIGIBLE_REPLICA);
  });

  it('R13: refuses a sender of an earlier incarnation as a whole', () => {
    const { cluster, epochOf } = threeBrokers();
    const request = { brokerId: 1, brokerEpoch: epochOf(1), partitions: [] };
    cluster.start(1);
    expect(alterPartitions(cluster.image, request, testSchema).answer.errorCode).toBe(
      ErrorCode.STALE_BROKER_EPOCH,
    );
  });

  it('R20: a recovering leader says when it has recovered', () => {
    const { cluster, propose, members, epochOf } = threeBrokers();
    for (const id of [3, 2]) cluster.decide(fenceBroker(cluster.image, id, epochOf(id), testSchema));
    cluster.start(1);
    const { leaderEpoch, partitionEpoch, leaderRecoveryState } = cluster.partition('a');
    expect(leaderRecoveryState).toBe(1);
    cluster.decide(propose({ leaderEpoch, partitionEpoch, isr: members(1) }));
    expect(cluster.partition('a')).toMatchObject({ leaderRecoveryState: 0, leaderEpoch, isr: [1] });
  });
});
