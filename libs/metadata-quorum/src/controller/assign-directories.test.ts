import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { partitionChange } from '../records/metadata-record.ts';
import { TestCluster, testSchema } from '../testing/cluster.ts';
import { fenceBroker } from './broker-lifecycle.ts';
import { LOST_DIRECTORY } from '../image/cluster-image.ts';
import { alterPartitions } from './alter-partition.ts';
import { assignDirectories, type ReplicaDirectory } from './assign-directories.ts';

function threeBrokers() {
  const cluster = new TestCluster();
  for (const id of [1, 2, 3]) cluster.start(id);
  const topicId = cluster.create('a', { assignments: [{ partitionIndex: 0, brokerIds: [1, 2, 3] }] });
  cluster.create('b', { assignments: [{ partitionIndex: 0, brokerIds: [1, 2, 3] }] });
  const epochOf = (id: number): number => cluster.image.brokers.get(id)?.epoch ?? -1;
  const assign = (brokerId: number, change: Partial<ReplicaDirectory>, brokerEpoch = epochOf(brokerId)) =>
    assignDirectories(
      cluster.image,
      {
        brokerId,
        brokerEpoch,
        replicas: [{ topicId, partitionIndex: 0, directoryId: LOST_DIRECTORY, ...change }],
      },
      testSchema,
    );
  const lose = (brokerId: number) => assign(brokerId, {});
  const find = (brokerId: number) =>
    assign(brokerId, { directoryId: cluster.image.brokers.get(brokerId)?.logDirs[0] ?? '' });
  return { cluster, assign, lose, find, epochOf, topicId };
}

describe('assignDirectories', () => {
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

  it.each([
    [3, [2, 3], 1],
    [1, [2, 3], 0],
  ])('names the directories of those that stay where it ends a move (%i)', (brokerId, replicas, lost) => {
    const { cluster, lose, topicId } = threeBrokers();
    // As an unclean election leaves it: the move is due, and ends with the next change.
    cluster.append([partitionChange(topicId, 0, { replicas: [2, 3, 1], removingReplicas: [1] })]);
    cluster.decide(lose(brokerId));
    const { directories, ...partition } = cluster.partition('a');
    expect(partition).toMatchObject({ replicas, removingReplicas: [] });
    expect(directories).toHaveLength(2);
    expect(directories.filter((id) => id === LOST_DIRECTORY)).toHaveLength(lost);
  });

  it('leaves the last that could lead where it is', () => {
    const { cluster, lose, epochOf } = threeBrokers();
    for (const id of [2, 3]) cluster.decide(fenceBroker(cluster.image, id, epochOf(id), testSchema));
    const { records, answer } = lose(1);
    expect([records, answer.replicas[0]?.errorCode]).toEqual([[], ErrorCode.NONE]);
  });

  it('lets a lost replica neither lead nor be in sync, until its directory is there again', () => {
    const { cluster, lose, find, epochOf, topicId } = threeBrokers();
    cluster.decide(lose(3));
    const join = () => {
      const { leaderEpoch, partitionEpoch } = cluster.partition('a');
      const isr = [1, 2, 3].map((brokerId) => ({ brokerId, brokerEpoch: epochOf(brokerId) }));
      const proposal = {
        topicId,
        partitionIndex: 0,
        leaderEpoch,
        partitionEpoch,
        isr,
        leaderRecoveryState: 0,
      };
      const request = { brokerId: 1, brokerEpoch: epochOf(1), partitions: [proposal] };
      return cluster.decide(alterPartitions(cluster.image, request, testSchema)).partitions[0]?.errorCode;
    };
    expect(join()).toBe(ErrorCode.INELIGIBLE_REPLICA);
    cluster.decide(find(3));
    expect(cluster.partition('a')).toMatchObject({ leader: 1, isr: [1, 2], leaderEpoch: 0 });
    expect(join()).toBe(ErrorCode.NONE);
  });

  it('elects nobody whose replica is lost', () => {
    const { cluster, lose, epochOf } = threeBrokers();
    cluster.decide(lose(2));
    cluster.decide(fenceBroker(cluster.image, 1, epochOf(1), testSchema));
    expect(cluster.partition('a')).toMatchObject({ leader: 3, isr: [3] });
    cluster.decide(fenceBroker(cluster.image, 3, epochOf(3), testSchema));
    expect(cluster.partition('a').leader).toBe(-1);
  });

  it('F7: elects a replica that a partition without a leader has waited for, once it is found', () => {
    const { cluster, lose, find, epochOf } = threeBrokers();
    cluster.decide(lose(2));
    for (const id of [1, 3]) cluster.decide(fenceBroker(cluster.image, id, epochOf(id), testSchema));
    expect(cluster.partition('a').leader).toBe(-1);
    // As a minimum of two leaves it, which both held to when they left.
    cluster.append([
      partitionChange(cluster.image.topics.get('a')?.id ?? '', 0, { eligibleLeaderReplicas: [2, 3] }),
    ]);
    cluster.decide(find(2));
    expect(cluster.partition('a')).toMatchObject({ leader: 2, isr: [2], leaderRecoveryState: 0 });
    expect(cluster.partition('a').directories).not.toContain(LOST_DIRECTORY);
  });

  it('changes nothing where it is so already, and refuses what is not the broker’s', () => {
    const { cluster, assign, lose, find } = threeBrokers();
    expect(find(3).records).toEqual([]);
    cluster.decide(lose(3));
    expect(lose(3).records).toEqual([]);
    cluster.start(4);
    expect(lose(4).answer.replicas[0]?.errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    const unknown = assign(1, { topicId: 'AAAAAAAAAAAAAAAAAAAAAw' });
    expect(unknown.answer.replicas[0]?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_ID);
  });

  it('refuses an earlier incarnation', () => {
    const { assign, epochOf } = threeBrokers();
    const { records, answer } = assign(1, {}, epochOf(1) - 1);
    expect([records, answer.errorCode]).toEqual([[], ErrorCode.STALE_BROKER_EPOCH]);
  });
});
