import { describe, expect, it } from 'vitest';
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { MemoryBroker } from '../metadata/testing/memory-broker.ts';
import { createTopics } from './19-create-topics.ts';
import { electLeaders } from './43-elect-leaders.ts';
import { alterPartitionReassignments } from './45-alter-partition-reassignments.ts';
import { listPartitionReassignments } from './46-list-partition-reassignments.ts';
import { unregisterBroker } from './64-unregister-broker.ts';

/** Brokers 1, 2 and 3, and a topic with one partition on 1 and 2. */
function setUp() {
  const broker = new MemoryBroker();
  for (const id of [2, 3]) broker.startBroker(id);
  const assignments = [{ partitionIndex: 0, brokerIds: [1, 2] }];
  broker.client(apis.createTopics, createTopics).call(7, {
    topics: [{ name: 'a', numPartitions: -1, replicationFactor: -1, assignments, configs: [] }],
  });
  const partition = () => broker.metadata.image.topics.get('a')?.partitions[0];
  return { broker, partition };
}

const storageError = { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: 'disk full' };

describe('ElectLeaders', () => {
  it.each([0, 1, 2])('version %i elects, and says where it cannot', (version) => {
    const { broker } = setUp();
    const elect = broker.client(apis.electLeaders, electLeaders);
    broker.fenceBroker(1);
    const topicPartitions = [{ topic: 'a', partitions: [0, 9] }];
    expect(elect.call(version, { topicPartitions }).replicaElectionResults).toMatchObject([
      {
        topic: 'a',
        partitionResult: [
          { partitionId: 0, errorCode: ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE },
          { partitionId: 9, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION },
        ],
      },
    ]);
    expect(elect.call(version, { topicPartitions: null }).replicaElectionResults).toHaveLength(1);
  });

  it('R20: version 1 elects uncleanly', () => {
    const { broker, partition } = setUp();
    for (const id of [2, 1]) broker.fenceBroker(id);
    broker.startBroker(2);
    expect(partition()?.leader).toBe(-1);
    const topicPartitions = [{ topic: 'a', partitions: [0] }];
    const answer = broker
      .client(apis.electLeaders, electLeaders)
      .call(1, { electionType: 1, topicPartitions });
    expect(answer).toMatchObject({
      errorCode: 0,
      replicaElectionResults: [{ partitionResult: [{ errorCode: 0, errorMessage: null }] }],
    });
    expect(partition()).toMatchObject({ leader: 2, leaderRecoveryState: 1 });
  });

  it('gives an error of the whole request to each partition, and from version 1 on at the top', () => {
    const { broker } = setUp();
    const elect = broker.client(apis.electLeaders, electLeaders);
    const topicPartitions = [{ topic: 'a', partitions: [0] }];
    expect(elect.call(2, { electionType: 7, topicPartitions }).errorCode).toBe(ErrorCode.INVALID_REQUEST);
    broker.metadata.failWith = storageError;
    expect(elect.call(0, { topicPartitions }).replicaElectionResults).toMatchObject([
      { partitionResult: [{ errorCode: storageError.errorCode, errorMessage: 'disk full' }] },
    ]);
    expect(elect.call(1, { topicPartitions }).errorCode).toBe(storageError.errorCode);
  });
});

describe('AlterPartitionReassignments and ListPartitionReassignments', () => {
  it('begin, list and cancel a move', () => {
    const { broker, partition } = setUp();
    const alter = broker.client(apis.alterPartitionReassignments, alterPartitionReassignments);
    const list = broker.client(apis.listPartitionReassignments, listPartitionReassignments);
    const move = (replicas: readonly number[] | null) =>
      alter.call(1, { topics: [{ name: 'a', partitions: [{ partitionIndex: 0, replicas }] }] });
    expect(move([2, 3])).toMatchObject({
      errorCode: 0,
      allowReplicationFactorChange: true,
      responses: [{ name: 'a', partitions: [{ partitionIndex: 0, errorCode: 0, errorMessage: null }] }],
    });
    const moving = { replicas: [2, 3, 1], addingReplicas: [3], removingReplicas: [1] };
    expect(list.call(0, { topics: null })).toMatchObject({
      errorCode: 0,
      topics: [{ name: 'a', partitions: [{ partitionIndex: 0, ...moving }] }],
    });
    expect(list.call(0, { topics: [{ name: 'b', partitionIndexes: [0] }] }).topics).toEqual([]);
    expect(move(null).responses[0]?.partitions[0]?.errorCode).toBe(0);
    expect(partition()).toMatchObject({ replicas: [2, 1], addingReplicas: [], removingReplicas: [] });
    expect(list.call(0, { topics: null }).topics).toEqual([]);
    expect(move(null).responses[0]?.partitions[0]?.errorCode).toBe(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS);
  });

  it('version 1 forbids another replication factor on request', () => {
    const { broker } = setUp();
    const alter = broker.client(apis.alterPartitionReassignments, alterPartitionReassignments);
    const topics = [{ name: 'a', partitions: [{ partitionIndex: 0, replicas: [1] }] }];
    const answer = alter.call(1, { allowReplicationFactorChange: false, topics });
    expect(answer.responses[0]?.partitions[0]?.errorCode).toBe(ErrorCode.INVALID_REPLICATION_FACTOR);
  });

  it('say at the top when the controller fails', () => {
    const { broker } = setUp();
    broker.metadata.failWith = storageError;
    const failed = { errorCode: storageError.errorCode, errorMessage: 'disk full' };
    const alter = broker.client(apis.alterPartitionReassignments, alterPartitionReassignments);
    expect(alter.call(0, { topics: [] })).toMatchObject({ ...failed, responses: [] });
    const list = broker.client(apis.listPartitionReassignments, listPartitionReassignments);
    expect(list.call(0, {})).toMatchObject({ ...failed, topics: [] });
  });
});

describe('UnregisterBroker', () => {
  it('forgets a broker, and says when there is none of that id', () => {
    const { broker, partition } = setUp();
    const unregister = broker.client(apis.unregisterBroker, unregisterBroker);
    expect(unregister.call(0, { brokerId: 2 })).toMatchObject({ errorCode: 0, errorMessage: null });
    expect(broker.metadata.image.brokers.has(2)).toBe(false);
    expect(partition()?.isr).toEqual([1]);
    expect(unregister.call(0, { brokerId: 2 }).errorCode).toBe(ErrorCode.BROKER_ID_NOT_REGISTERED);
    broker.metadata.failWith = storageError;
    expect(unregister.call(0, { brokerId: 3 })).toMatchObject({ errorMessage: 'disk full' });
  });
});
