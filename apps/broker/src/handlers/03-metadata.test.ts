import { describe, expect, it } from 'vitest';
import { apis, ErrorCode, type RequestInput, ZERO_UUID } from '@seatlog/kafka-protocol';
import { CLUSTER_ID } from '../controller/testing/memory-quorum.ts';
import { MemoryBroker } from '../metadata/testing/memory-broker.ts';
import { metadata } from './03-metadata.ts';
import { createTopics } from './19-create-topics.ts';

type Topics = RequestInput<typeof apis.metadata>['topics'];

function setUp(overrides: Readonly<Record<string, string>> = {}) {
  const broker = new MemoryBroker(overrides);
  const { send, call } = broker.client(apis.metadata, metadata);
  const create = (name: string, numPartitions = 1, replicationFactor = 1) => {
    const { topics } = broker.client(apis.createTopics, createTopics).call(7, {
      topics: [{ name, numPartitions, replicationFactor, assignments: [], configs: [] }],
      validateOnly: false,
    });
    return topics[0]?.topicId ?? '';
  };
  const ask = (version: number, topics: Topics, more: Partial<RequestInput<typeof apis.metadata>> = {}) =>
    call(version, { topics, ...(version >= 4 ? { allowAutoTopicCreation: false } : {}), ...more });
  const names = (version: number, topics: Topics) => ask(version, topics).topics.map(({ name }) => name);
  return { broker, send, call, create, ask, names };
}

const named = (...names: readonly string[]): Topics => names.map((name) => ({ name }));

describe('Metadata', () => {
  it('version 0 takes the empty list for all topics', () => {
    const { create, names } = setUp();
    create('a');
    create('b');
    expect(names(0, [])).toEqual(['a', 'b']);
  });

  it.each([1, 4, 8, 9, 12])('version %i takes null for all topics and the empty list for none', (version) => {
    const { create, names } = setUp();
    create('a');
    create('b');
    expect(names(version, null)).toEqual(['a', 'b']);
    expect(names(version, [])).toEqual([]);
    expect(names(version, named('b'))).toEqual(['b']);
  });

  it('names a topic once, however often it is asked for', () => {
    const { create, names } = setUp();
    create('a');
    expect(names(5, named('a', 'a'))).toEqual(['a']);
  });

  it.each([0, 1, 5, 9, 12])('version %i tells an unknown topic as UNKNOWN_TOPIC_OR_PARTITION', (version) => {
    const { ask } = setUp({ 'auto.create.topics.enable': 'false' });
    expect(ask(version, named('none')).topics).toMatchObject([
      { name: 'none', errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, partitions: [] },
    ]);
  });

  it('F46: tells an illegal name as INVALID_TOPIC_EXCEPTION, and creates nothing', () => {
    const { broker, call } = setUp();
    expect(call(5, { topics: named('../a', '..') }).topics.map(({ errorCode }) => errorCode)).toEqual([
      ErrorCode.INVALID_TOPIC_EXCEPTION,
      ErrorCode.INVALID_TOPIC_EXCEPTION,
    ]);
    expect(broker.metadata.image.topics.size).toBe(0);
  });

  it('finds topics by id from version 12 on', () => {
    const { create, ask } = setUp();
    const topicId = create('a');
    expect(ask(12, [{ name: null, topicId }]).topics).toMatchObject([{ name: 'a', topicId, errorCode: 0 }]);
    const unknown = 'AAECAwQFBgcICQoLDA0ODw';
    expect(ask(12, [{ name: null, topicId: unknown }]).topics).toMatchObject([
      { name: null, topicId: unknown, errorCode: ErrorCode.UNKNOWN_TOPIC_ID },
    ]);
  });

  it.each([10, 11])('version %i refuses ids and null names with INVALID_REQUEST', (version) => {
    const { create, ask } = setUp();
    const topicId = create('a');
    for (const topic of [
      { name: 'a', topicId },
      { name: null, topicId: ZERO_UUID },
    ]) {
      expect(ask(version, [topic]).topics.map(({ errorCode }) => errorCode)).toEqual([
        ErrorCode.INVALID_REQUEST,
      ]);
    }
  });

  it('tells leader, epoch, replicas and ISR of each partition, and the id of the topic', () => {
    const { broker, create, ask } = setUp();
    broker.startBroker(2);
    const topicId = create('a', 2, 2);
    const [topic] = ask(12, named('a')).topics;
    expect(topic).toMatchObject({ topicId, isInternal: false });
    expect(topic?.partitions.map(({ partitionIndex }) => partitionIndex)).toEqual([0, 1]);
    for (const partition of topic?.partitions ?? []) {
      expect(partition).toMatchObject({ errorCode: 0, leaderEpoch: 0, offlineReplicas: [] });
      expect(partition.leaderId).toBe(partition.replicaNodes[0]);
      expect(partition.isrNodes.toSorted((a, b) => a - b)).toEqual([1, 2]);
    }
  });

  it('R20: tells a partition without leader as LEADER_NOT_AVAILABLE with leader -1', () => {
    const { broker, create, ask } = setUp();
    create('a');
    broker.startBroker(2);
    broker.fenceBroker(1);
    const { topics, brokers } = ask(12, named('a'));
    expect(topics[0]?.errorCode).toBe(0);
    expect(topics[0]?.partitions).toMatchObject([
      {
        errorCode: ErrorCode.LEADER_NOT_AVAILABLE,
        leaderId: -1,
        leaderEpoch: 1,
        replicaNodes: [1],
        offlineReplicas: [1],
      },
    ]);
    expect(brokers.map(({ nodeId }) => nodeId)).toEqual([2]);
  });

  it('leaves replicas that it does not list out of version 0, and says so', () => {
    const { broker, create, ask } = setUp();
    for (const id of [2, 3]) broker.startBroker(id);
    create('a', 1, 3);
    broker.fenceBroker(3);
    const [partition] = ask(0, named('a')).topics[0]?.partitions ?? [];
    expect(partition?.replicaNodes.toSorted()).toEqual([1, 2]);
    expect(partition?.errorCode).toBe(ErrorCode.REPLICA_NOT_AVAILABLE);
  });

  it('gives the addresses of the listener that was asked, rack, controller and cluster id', () => {
    const { broker, call } = setUp();
    broker.startBroker(2, { rack: 'r2', listeners: ['PLAINTEXT'] });
    expect(call(9, { topics: [] }, 'PLAINTEXT')).toMatchObject({
      clusterId: CLUSTER_ID,
      controllerId: 1,
      brokers: [
        { nodeId: 1, host: 'plaintext-1', port: 9001, rack: null },
        { nodeId: 2, host: 'plaintext-2', port: 9002, rack: 'r2' },
      ],
    });
    expect(call(9, { topics: [] }, 'DOCKER').brokers).toMatchObject([
      { nodeId: 1, host: 'docker-1', port: 9101 },
    ]);
  });

  it('tells a leader that lacks the listener as LISTENER_NOT_FOUND, and earlier clients as no leader', () => {
    const { broker, create, call } = setUp();
    broker.fenceBroker(1);
    broker.startBroker(2, { listeners: ['PLAINTEXT'] });
    create('a');
    const codeAt = (version: number) =>
      call(version, { topics: named('a') }, 'DOCKER').topics[0]?.partitions.map(({ errorCode, leaderId }) => [
        errorCode,
        leaderId,
      ]);
    expect(codeAt(5)).toEqual([[ErrorCode.LEADER_NOT_AVAILABLE, -1]]);
    expect(codeAt(6)).toEqual([[ErrorCode.LISTENER_NOT_FOUND, -1]]);
  });

  it('tells operations only to those who ask', () => {
    const { create, ask } = setUp();
    create('a');
    const silent = ask(8, named('a'));
    expect(silent.clusterAuthorizedOperations).toBe(-2147483648);
    expect(silent.topics[0]?.topicAuthorizedOperations).toBe(-2147483648);
    const told = ask(8, named('a'), {
      includeClusterAuthorizedOperations: true,
      includeTopicAuthorizedOperations: true,
    });
    expect(told.clusterAuthorizedOperations).toBe(8096);
    expect(told.topics[0]?.topicAuthorizedOperations).toBe(3576);
  });
});

describe('Metadata and topics that do not exist', () => {
  it('creates what the client names, and answers when its leaders are there', () => {
    const { broker, send } = setUp({ 'num.partitions': '3' });
    broker.metadata.hold = true;
    const answers = send(9, { topics: named('a') });
    expect(answers).toEqual([]);
    broker.metadata.commit();
    expect(answers[0]?.topics).toMatchObject([{ name: 'a', errorCode: 0 }]);
    expect(answers[0]?.topics[0]?.partitions.map(({ leaderId }) => leaderId)).toEqual([1, 1, 1]);
  });

  it.each([0, 1, 3])('creates for clients of version %i, which cannot say no', (version) => {
    const { call } = setUp();
    expect(call(version, { topics: named('a') }).topics).toMatchObject([{ name: 'a', errorCode: 0 }]);
  });

  it('does not create where the client or the broker says no, nor for all topics', () => {
    const refusing = setUp();
    refusing.call(4, { topics: named('a'), allowAutoTopicCreation: false });
    refusing.call(4, { topics: null, allowAutoTopicCreation: true });
    expect(refusing.broker.metadata.image.topics.size).toBe(0);
    const disabled = setUp({ 'auto.create.topics.enable': 'false' });
    disabled.call(4, { topics: named('a'), allowAutoTopicCreation: true });
    expect(disabled.broker.metadata.image.topics.size).toBe(0);
  });

  it('never creates for an id', () => {
    const { broker, call } = setUp();
    call(12, { topics: [{ name: null, topicId: 'AAECAwQFBgcICQoLDA0ODw' }], allowAutoTopicCreation: true });
    expect(broker.metadata.image.topics.size).toBe(0);
  });

  it('tells why it could not', () => {
    const { call } = setUp({ 'default.replication.factor': '3' });
    expect(
      call(9, { topics: named('a', '__consumer_offsets') }).topics.map(({ errorCode }) => errorCode),
    ).toEqual([ErrorCode.INVALID_REPLICATION_FACTOR, ErrorCode.INVALID_REPLICATION_FACTOR]);
  });

  it('gives the offsets topic its own counts and configs', () => {
    const { broker, call } = setUp({
      'offsets.topic.num.partitions': '7',
      'offsets.topic.replication.factor': '1',
    });
    const [topic] = call(9, { topics: named('__consumer_offsets') }).topics;
    expect(topic).toMatchObject({ errorCode: 0, isInternal: true });
    expect(topic?.partitions).toHaveLength(7);
    expect(broker.metadata.image.configs.get('2:__consumer_offsets')?.get('cleanup.policy')).toBe('compact');
  });

  it('lets the client ask again when the metadata log cannot be written', () => {
    const { broker, call } = setUp();
    broker.metadata.failWith = { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: 'disk full' };
    expect(call(9, { topics: named('a') }).topics).toMatchObject([
      { name: 'a', errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION },
    ]);
  });
});
