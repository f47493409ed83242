import { describe, expect, it } from 'vitest';
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { PartitionImage } from '../image/cluster-image.ts';
import { TestCluster, testSchema } from '../testing/cluster.ts';
import { alterPartitions } from './alter-partition.ts';
import { fenceBroker, unfenceBroker } from './broker-lifecycle.ts';
import { partitionMoves, reassignPartitions } from './reassign-partitions.ts';

class MovingCluster extends TestCluster {
  readonly topicId: string;

  /** Five brokers, and a topic with one partition on 1, 2 and 3. */
  constructor(configs: Readonly<Record<string, string>> = {}) {
    super();
    for (const id of [1, 2, 3, 4, 5]) this.start(id);
    this.topicId = this.create('a', {
      assignments: [{ partitionIndex: 0, brokerIds: [1, 2, 3] }],
      configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
    });
  }

  epochOf(id: number): number {
    return this.image.brokers.get(id)?.epoch ?? -1;
  }

  move(replicas: readonly number[] | null, allowReplicationFactorChange = true): number {
    const topics = [{ name: 'a', partitions: [{ partitionIndex: 0, replicas }] }];
    const request = { allowReplicationFactorChange, topics };
    const [topic] = this.decide(reassignPartitions(this.image, request, testSchema));
    return topic?.partitions[0]?.errorCode ?? -1;
  }

  /** The leader proposes this ISR; gives the error code of the answer. */
  propose(...isr: readonly number[]): number {
    const { leader, leaderEpoch, partitionEpoch } = this.partition('a');
    const members = isr.map((brokerId) => ({ brokerId, brokerEpoch: this.epochOf(brokerId) }));
    const { topicId } = this;
    const proposal = { topicId, partitionIndex: 0, leaderEpoch, partitionEpoch, isr: members };
    const partitions = [{ ...proposal, leaderRecoveryState: 0 }];
    const request = { brokerId: leader, brokerEpoch: this.epochOf(leader), partitions };
    return this.decide(alterPartitions(this.image, request, testSchema)).partitions[0]?.errorCode ?? -1;
  }

  fence(id: number): void {
    this.decide(fenceBroker(this.image, id, this.epochOf(id), testSchema));
  }

  unfence(id: number): void {
    this.decide(unfenceBroker(this.image, id, this.epochOf(id), testSchema));
  }

  get moved(): PartitionImage {
    return this.partition('a');
  }
}

const settled = { addingReplicas: [], removingReplicas: [] };

describe('moving a partition', () => {
  it('R20: assigns the added replicas first, and changes neither leader nor its epoch', () => {
    const cluster = new MovingCluster();
    expect(cluster.move([3, 4, 5])).toBe(0);
    expect(cluster.moved).toMatchObject({
      replicas: [3, 4, 5, 1, 2],
      addingReplicas: [4, 5],
      removingReplicas: [1, 2],
      isr: [1, 2, 3],
      leader: 1,
      leaderEpoch: 0,
      partitionEpoch: 1,
    });
    expect(cluster.moved.directories).toHaveLength(5);
  });

  it('R13: ends with the change of the ISR that brings the last added replica', () => {
    const cluster = new MovingCluster();
    cluster.move([1, 4, 5]);
    expect(cluster.propose(1, 2, 3, 4)).toBe(0);
    expect(cluster.moved).toMatchObject({ addingReplicas: [4, 5], isr: [1, 2, 3, 4], leaderEpoch: 0 });
    expect(cluster.propose(1, 2, 3, 4, 5)).toBe(0);
    expect(cluster.moved).toMatchObject({ ...settled, replicas: [1, 4, 5], isr: [1, 4, 5], leader: 1 });
  });

  it('R20: raises the leader epoch when replicas leave, though the leader stays', () => {
    const cluster = new MovingCluster();
    expect(cluster.move([1, 2])).toBe(0);
    expect(cluster.moved).toMatchObject({
      ...settled,
      replicas: [1, 2],
      isr: [1, 2],
      leader: 1,
      leaderEpoch: 1,
    });
  });

  it('R13: answers NEW_LEADER_ELECTED to a leader whose proposal makes it leave', () => {
    const cluster = new MovingCluster();
    cluster.move([4, 5]);
    expect(cluster.propose(1, 2, 3, 4, 5)).toBe(ErrorCode.NEW_LEADER_ELECTED);
    expect(cluster.moved).toMatchObject({
      ...settled,
      replicas: [4, 5],
      isr: [4, 5],
      leader: 4,
      leaderEpoch: 1,
    });
  });

  it('R20: ends with the election of an eligible replica that it waited for', () => {
    const cluster = new MovingCluster({ 'min.insync.replicas': '3' });
    cluster.fence(1);
    cluster.unfence(1);
    cluster.move([1]);
    expect(cluster.moved).toMatchObject({ removingReplicas: [2, 3], isr: [2, 3], elr: [1] });
    cluster.fence(2);
    cluster.fence(3);
    expect(cluster.moved).toMatchObject({ ...settled, replicas: [1], isr: [1], elr: [], leader: 1 });
  });

  it('R20: takes nobody out with an unclean election', () => {
    const cluster = new MovingCluster({ 'unclean.leader.election.enable': 'true' });
    cluster.fence(1);
    cluster.unfence(1);
    cluster.move([1]);
    cluster.fence(2);
    cluster.fence(3);
    const recovering = { isr: [1], leader: 1, leaderRecoveryState: 1 };
    expect(cluster.moved).toMatchObject({ ...recovering, replicas: [1, 2, 3], removingReplicas: [2, 3] });
  });

  it('waits where none of those that stay is in sync', () => {
    const cluster = new MovingCluster();
    cluster.propose(1, 2);
    expect(cluster.move([3])).toBe(0);
    expect(cluster.moved).toMatchObject({ replicas: [3, 1, 2], removingReplicas: [1, 2], leader: 1 });
    cluster.propose(1, 2, 3);
    expect(cluster.moved).toMatchObject({ ...settled, replicas: [3], isr: [3], leader: 3 });
  });

  it('changes the order of preference at once', () => {
    const cluster = new MovingCluster();
    expect(cluster.move([3, 1, 2])).toBe(0);
    expect(cluster.moved).toMatchObject({ ...settled, replicas: [3, 1, 2], leader: 1, leaderEpoch: 0 });
  });

  it('takes another target in the middle, and begins that where the first began', () => {
    const cluster = new MovingCluster();
    cluster.move([3, 4, 5]);
    cluster.propose(1, 2, 3, 5);
    expect(cluster.move([1, 2, 4])).toBe(0);
    expect(cluster.moved).toMatchObject({
      replicas: [1, 2, 4, 3],
      addingReplicas: [4],
      removingReplicas: [3],
      isr: [1, 2, 3],
      leaderEpoch: 1,
    });
  });

  it('is not over while a replica that the first move added has not caught up', () => {
    const cluster = new MovingCluster();
    cluster.move([3, 4, 5]);
    cluster.move([3, 4]);
    expect(cluster.moved).toMatchObject({ replicas: [3, 4, 1, 2], addingReplicas: [4] });
  });

  it('R20: keeps eligible leaders to those that stay', () => {
    const cluster = new MovingCluster({ 'min.insync.replicas': '3' });
    cluster.fence(3);
    expect(cluster.moved.elr).toEqual([3]);
    cluster.move([1, 2, 4]);
    expect(cluster.moved).toMatchObject({ replicas: [1, 2, 4, 3], elr: [3] });
    cluster.propose(1, 2, 4);
    expect(cluster.moved).toMatchObject({ ...settled, replicas: [1, 2, 4], isr: [1, 2, 4], elr: [] });
  });
});

describe('cancelling a move', () => {
  it('goes back to the replicas as they were, and raises the leader epoch', () => {
    const cluster = new MovingCluster();
    cluster.move([3, 4, 5]);
    cluster.propose(1, 2, 3, 4);
    expect(cluster.move(null)).toBe(0);
    expect(cluster.moved).toMatchObject({ ...settled, isr: [1, 2, 3], leader: 1, leaderEpoch: 1 });
    expect(cluster.moved.replicas.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  });

  it('refuses where there is no move', () => {
    expect(new MovingCluster().move(null)).toBe(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS);
  });

  it.each([
    ['false', ErrorCode.INVALID_REPLICA_ASSIGNMENT, { leader: 4, isr: [4] }],
    ['true', 0, { leader: 2, isr: [2], leaderRecoveryState: 1, replicas: [1, 2, 3] }],
  ])('R20: elects uncleanly for it only where the topic allows that (%s)', (allowed, code, after) => {
    const cluster = new MovingCluster({ 'unclean.leader.election.enable': allowed });
    cluster.move([1, 2, 3, 4, 5]);
    cluster.propose(1, 2, 3, 4);
    for (const id of [2, 3, 1]) cluster.fence(id);
    cluster.unfence(2);
    expect(cluster.move(null)).toBe(code);
    expect(cluster.moved).toMatchObject(after);
  });
});

describe('refusals', () => {
  it('R20: a move that drops all who could lead, though nobody does', () => {
    const cluster = new MovingCluster({ 'min.insync.replicas': '1' });
    cluster.move([4, 5]);
    cluster.propose(1, 2, 3, 4);
    for (const id of [1, 2, 3, 4]) cluster.fence(id);
    expect(cluster.moved).toMatchObject({ leader: -1, isr: [], elr: [4], lastKnownElr: [4] });
    expect(cluster.move([1, 5])).toBe(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
    expect(cluster.moved).toMatchObject({ elr: [4], lastKnownElr: [4] });
    expect(cluster.move([4, 5])).toBe(0);
  });

  it('R20: a move that drops the last leader, where nobody else is eligible', () => {
    const cluster = new MovingCluster({ 'min.insync.replicas': '1' });
    cluster.move([4, 5]);
    cluster.propose(1, 2, 3, 4);
    for (const id of [1, 2, 3, 4]) cluster.fence(id);
    cluster.register(4);
    expect(cluster.moved).toMatchObject({ leader: -1, isr: [], elr: [], lastKnownElr: [4] });
    expect(cluster.move([1, 5])).toBe(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
  });

  it.each([
    ['an unknown broker', [1, 9], true, ErrorCode.INVALID_REPLICA_ASSIGNMENT],
    ['a broker twice', [1, 1], true, ErrorCode.INVALID_REPLICA_ASSIGNMENT],
    ['no replicas', [], true, ErrorCode.INVALID_REPLICA_ASSIGNMENT],
    ['fewer replicas where that is not allowed', [1, 2], false, ErrorCode.INVALID_REPLICATION_FACTOR],
    ['more replicas where that is not allowed', [1, 2, 3, 4], false, ErrorCode.INVALID_REPLICATION_FACTOR],
  ])('%s', (_what, replicas, allowed, code) => {
    const cluster = new MovingCluster();
    expect(cluster.move(replicas, allowed)).toBe(code);
    expect(cluster.moved.partitionEpoch).toBe(0);
  });

  it('counts the replicas that are wanted, not those that leave', () => {
    const cluster = new MovingCluster();
    cluster.move([3, 4, 5], false);
    expect(cluster.move([1, 2, 4], false)).toBe(0);
  });

  it('unknown topics and partitions, and those named twice; the others are served', () => {
    const cluster = new MovingCluster();
    cluster.create('b', { assignments: [{ partitionIndex: 0, brokerIds: [1] }] });
    const to = (partitionIndex: number, replicas: readonly number[]) => ({ partitionIndex, replicas });
    const topics = [
      { name: 'none', partitions: [to(0, [1])] },
      { name: 'a', partitions: [to(0, [1]), to(0, [2]), to(7, [1])] },
      { name: 'b', partitions: [to(0, [2])] },
    ];
    const request = { allowReplicationFactorChange: true, topics };
    const { records, answer } = reassignPartitions(cluster.image, request, testSchema);
    expect(answer.map(({ partitions }) => partitions.map(({ errorCode }) => errorCode))).toEqual([
      [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
      [ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_REQUEST, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
      [0],
    ]);
    expect(records).toHaveLength(1);
  });
});

describe('partitionMoves', () => {
  it('lists what is under way, of all topics or of those asked for', () => {
    const cluster = new MovingCluster();
    cluster.create('b');
    expect(partitionMoves(cluster.image, null)).toEqual([]);
    cluster.move([1, 4]);
    const { replicas, addingReplicas, removingReplicas } = cluster.moved;
    const ongoing = [
      { name: 'a', partitions: [{ partitionIndex: 0, replicas, addingReplicas, removingReplicas }] },
    ];
    expect(partitionMoves(cluster.image, null)).toEqual(ongoing);
    expect(partitionMoves(cluster.image, [{ name: 'a', partitionIndexes: [0, 4] }])).toEqual(ongoing);
    expect(partitionMoves(cluster.image, [{ name: 'b', partitionIndexes: [0] }])).toEqual([]);
    expect(partitionMoves(cluster.image, [{ name: 'none', partitionIndexes: [0] }])).toEqual([]);
  });
});
