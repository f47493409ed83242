import { describe, expect, it } from 'vitest';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { partitionChange } from '../records/metadata-record.ts';
import { TestCluster, testSchema } from '../testing/cluster.ts';
import { alterPartitions } from './alter-partition.ts';
import { fenceBroker, unfenceBroker } from './broker-lifecycle.ts';
import { balanceLeaders, electLeaders, ElectionType, preferredReplicaImbalance } from './elect-leaders.ts';

const { PREFERRED, UNCLEAN } = ElectionType;

class ElectingCluster extends TestCluster {
  /** Three brokers; topic a has as many partitions as assignments. */
  constructor(assignments: readonly (readonly number[])[]) {
    super();
    for (const id of [1, 2, 3]) this.start(id);
    this.create('a', {
      assignments: assignments.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
    });
  }

  #epochOf(id: number): number {
    return this.image.brokers.get(id)?.epoch ?? -1;
  }

  fence(...ids: readonly number[]): void {
    for (const id of ids) this.decide(fenceBroker(this.image, id, this.#epochOf(id), testSchema));
  }

  unfence(id: number): void {
    this.decide(unfenceBroker(this.image, id, this.#epochOf(id), testSchema));
  }

  /** The leader of each partition proposes all replicas. */
  synchronize(): void {
    const topicId = this.image.topics.get('a')?.id ?? '';
    for (const { index, leader, leaderEpoch, partitionEpoch, replicas } of this.image.topics.get('a')
      ?.partitions ?? []) {
      const isr = replicas.map((brokerId) => ({ brokerId, brokerEpoch: this.#epochOf(brokerId) }));
      const proposal = { topicId, partitionIndex: index, leaderEpoch, partitionEpoch, isr };
      const partitions = [{ ...proposal, leaderRecoveryState: 0 }];
      const sender = { brokerId: leader, brokerEpoch: this.#epochOf(leader) };
      this.decide(alterPartitions(this.image, { ...sender, partitions }, testSchema));
    }
  }

  elect(electionType: number, partitions: readonly number[] | null): readonly (readonly number[])[] {
    const topicPartitions = partitions === null ? null : [{ topic: 'a', partitions }];
    const request = { electionType, topicPartitions };
    const { replicaElectionResults } = this.decide(electLeaders(this.image, request, testSchema));
    return replicaElectionResults.flatMap(({ partitionResult }) =>
      partitionResult.map(({ partitionId, errorCode }) => [partitionId, errorCode]),
    );
  }

  get leaders(): readonly number[] {
    return (this.image.topics.get('a')?.partitions ?? []).map(({ leader }) => leader);
  }
}

/** Broker 1 was away, is back in sync, and leads nothing. */
function afterReturn(assignments: readonly (readonly number[])[]): ElectingCluster {
  const cluster = new ElectingCluster(assignments);
  cluster.fence(1);
  cluster.unfence(1);
  cluster.synchronize();
  return cluster;
}

describe('electLeaders', () => {
  it('R20: gives a partition back to its preferred replica, in an epoch of its own', () => {
    const cluster = afterReturn([[1, 2, 3]]);
    const { leaderEpoch, isr } = cluster.partition('a');
    expect(cluster.elect(PREFERRED, [0])).toEqual([[0, 0]]);
    expect(cluster.partition('a')).toMatchObject({ leader: 1, leaderEpoch: leaderEpoch + 1, isr });
  });

  it('says where no election is needed, and leaves that out when all are asked for', () => {
    const cluster = afterReturn([
      [1, 2, 3],
      [2, 1, 3],
    ]);
    expect(cluster.elect(PREFERRED, [1])).toEqual([[1, ErrorCode.ELECTION_NOT_NEEDED]]);
    expect(cluster.elect(UNCLEAN, [0])).toEqual([[0, ErrorCode.ELECTION_NOT_NEEDED]]);
    expect(cluster.elect(PREFERRED, null)).toEqual([[0, 0]]);
    expect(cluster.leaders).toEqual([1, 2]);
  });

  it('R20: does not prefer a replica that is not in sync, or not live', () => {
    const cluster = new ElectingCluster([[1, 2, 3]]);
    cluster.fence(1);
    expect(cluster.elect(PREFERRED, [0])).toEqual([[0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE]]);
    cluster.unfence(1);
    expect(cluster.elect(PREFERRED, [0])).toEqual([[0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE]]);
    expect(cluster.leaders).toEqual([2]);
  });

  it('R20: an unclean election takes any live replica, whatever the topic says, and marks it RECOVERING', () => {
    const cluster = new ElectingCluster([[1, 2, 3]]);
    cluster.fence(2, 3, 1);
    expect(cluster.elect(UNCLEAN, [0])).toEqual([[0, ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE]]);
    cluster.unfence(3);
    expect(cluster.elect(PREFERRED, [0])).toEqual([[0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE]]);
    expect(cluster.elect(UNCLEAN, [0])).toEqual([[0, 0]]);
    expect(cluster.partition('a')).toMatchObject({ leader: 3, isr: [3], leaderRecoveryState: 1 });
  });

  it('refuses unknown partitions, those named twice, and unknown kinds of election', () => {
    const cluster = afterReturn([[1, 2, 3]]);
    expect(cluster.elect(PREFERRED, [7, 0, 0])).toEqual([
      [7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
      [0, ErrorCode.INVALID_REQUEST],
      [0, ErrorCode.INVALID_REQUEST],
    ]);
    const { records, answer } = electLeaders(
      cluster.image,
      { electionType: 2, topicPartitions: null },
      testSchema,
    );
    expect(records).toEqual([]);
    expect(answer).toEqual({ errorCode: ErrorCode.INVALID_REQUEST, replicaElectionResults: [] });
  });
});

describe('balanceLeaders', () => {
  const balance = (cluster: ElectingCluster, imbalancePercentage: number, maxElections = 100) =>
    cluster.decide(balanceLeaders(cluster.image, { imbalancePercentage, maxElections }, testSchema));

  it('gives leaderships back to a broker that is back in sync', () => {
    const cluster = afterReturn([
      [1, 2],
      [2, 1],
      [1, 3],
    ]);
    expect(cluster.leaders).toEqual([2, 2, 3]);
    expect(preferredReplicaImbalance(cluster.image)).toBe(2);
    expect(balance(cluster, 10)).toEqual({ elected: 2, more: false });
    expect(cluster.leaders).toEqual([1, 2, 1]);
    expect(balance(cluster, 10)).toEqual({ elected: 0, more: false });
  });

  it('leaves a broker alone whose share of leaderships elsewhere is within the percentage', () => {
    const cluster = afterReturn([[1, 2]]);
    cluster.decide(
      electLeaders(cluster.image, { electionType: PREFERRED, topicPartitions: null }, testSchema),
    );
    const added = [
      [1, 2],
      [1, 3],
      [1, 2],
    ];
    cluster.create('b', {
      assignments: added.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
    });
    const topicId = cluster.image.topics.get('a')?.id ?? '';
    cluster.append([partitionChange(topicId, 0, { leader: 2 })]);
    expect(balance(cluster, 25)).toEqual({ elected: 0, more: false });
    expect(balance(cluster, 24)).toEqual({ elected: 1, more: false });
    expect(cluster.leaders).toEqual([1]);
  });

  it('moves no more than the limit at once, and says that there are more', () => {
    const cluster = afterReturn([
      [1, 2],
      [1, 3],
      [1, 2],
    ]);
    expect(balance(cluster, 0, 2)).toEqual({ elected: 2, more: true });
    expect(balance(cluster, 0, 2)).toEqual({ elected: 1, more: false });
  });

  it('R20: asks nothing of brokers that are not in sync or not live', () => {
    const cluster = new ElectingCluster([[1, 2]]);
    cluster.fence(1);
    expect(balance(cluster, 0)).toEqual({ elected: 0, more: false });
    cluster.unfence(1);
    expect(balance(cluster, 0)).toEqual({ elected: 0, more: false });
  });
});
