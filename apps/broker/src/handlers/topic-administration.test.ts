import { describe, expect, it } from 'vitest';
import { apis, ErrorCode, type RequestInput, ZERO_UUID } from '@seatlog/kafka-protocol';
import { MemoryBroker } from '../metadata/testing/memory-broker.ts';
import { createTopics } from './19-create-topics.ts';
import { deleteTopics } from './20-delete-topics.ts';
import { deleteRecords } from './21-delete-records.ts';
import { createPartitions } from './37-create-partitions.ts';

type Topic = RequestInput<typeof apis.createTopics>['topics'][number];

const topic = (name: string, more: Partial<Topic> = {}): Topic => ({
  name,
  numPartitions: 1,
  replicationFactor: 1,
  assignments: [],
  configs: [],
  ...more,
});

function setUp(overrides: Readonly<Record<string, string>> = {}) {
  const broker = new MemoryBroker(overrides);
  const create = broker.client(apis.createTopics, createTopics);
  return { broker, create };
}

const storageError = { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: 'disk full' };

describe('CreateTopics', () => {
  it.each([2, 3, 4, 5, 6, 7])('version %i creates, and tells what that version tells', (version) => {
    const { broker, create } = setUp();
    const { topics } = create.call(version, { topics: [topic('a', { numPartitions: 2 })] });
    expect(topics).toMatchObject([
      {
        name: 'a',
        errorCode: 0,
        errorMessage: null,
        numPartitions: version >= 5 ? 2 : -1,
        replicationFactor: version >= 5 ? 1 : -1,
        topicId: version >= 7 ? broker.metadata.image.topics.get('a')?.id : ZERO_UUID,
      },
    ]);
    expect(topics[0]?.configs?.length ?? 0).toBe(version >= 5 ? 23 : 0);
  });

  it('answers when the topic is committed, not before', () => {
    const { broker, create } = setUp();
    broker.metadata.hold = true;
    const answers = create.send(7, { topics: [topic('a')] });
    expect(answers).toEqual([]);
    broker.metadata.commit();
    expect(answers[0]?.topics).toMatchObject([{ name: 'a', errorCode: 0 }]);
  });

  it('takes -1 for the broker’s defaults', () => {
    const { create } = setUp({ 'num.partitions': '6' });
    const topics = [topic('a', { numPartitions: -1, replicationFactor: -1 })];
    expect(create.call(5, { topics }).topics).toMatchObject([{ numPartitions: 6, replicationFactor: 1 }]);
  });

  it('tells each config with its source', () => {
    const { create } = setUp({ 'log.retention.ms': '1000' });
    const configs = [{ name: 'segment.bytes', value: '14' }];
    const [created] = create.call(7, { topics: [topic('a', { configs })] }).topics;
    const config = (name: string) => created?.configs?.find((each) => each.name === name);
    expect(config('segment.bytes')).toMatchObject({ value: '14', configSource: 1, readOnly: false });
    expect(config('retention.ms')).toMatchObject({ value: '1000', configSource: 4 });
    expect(config('cleanup.policy')).toMatchObject({ value: 'delete', configSource: 5 });
  });

  it('refuses configs that the broker does not take, with INVALID_CONFIG', () => {
    const { create } = setUp();
    for (const config of [
      { name: 'no.such.config', value: '1' },
      { name: 'segment.bytes', value: '13' },
      { name: 'segment.bytes', value: null },
    ]) {
      expect(create.call(7, { topics: [topic('a', { configs: [config] })] }).topics).toMatchObject([
        { errorCode: ErrorCode.INVALID_CONFIG, numPartitions: -1, replicationFactor: -1, topicId: ZERO_UUID },
      ]);
    }
  });

  it('creates nothing with validateOnly', () => {
    const { broker, create } = setUp();
    const { topics } = create.call(4, { topics: [topic('a')], validateOnly: true });
    expect(topics).toMatchObject([{ name: 'a', errorCode: 0 }]);
    expect(broker.metadata.image.topics.size).toBe(0);
  });

  it('refuses more replicas than there are brokers with INVALID_REPLICATION_FACTOR', () => {
    const { create } = setUp();
    expect(create.call(4, { topics: [topic('a', { replicationFactor: 3 })] }).topics).toMatchObject([
      { errorCode: ErrorCode.INVALID_REPLICATION_FACTOR, errorMessage: expect.stringMatching(/.+/) },
    ]);
  });

  it('tells every topic when the metadata log cannot be written', () => {
    const { broker, create } = setUp();
    broker.metadata.failWith = storageError;
    expect(create.call(7, { topics: [topic('a'), topic('b')] }).topics).toMatchObject([
      { name: 'a', errorCode: ErrorCode.KAFKA_STORAGE_ERROR, errorMessage: 'disk full' },
      { name: 'b', errorCode: ErrorCode.KAFKA_STORAGE_ERROR, errorMessage: 'disk full' },
    ]);
  });
});

describe('DeleteTopics', () => {
  it.each([1, 3, 5])('version %i deletes by name', (version) => {
    const { broker, create } = setUp();
    create.call(7, { topics: [topic('a'), topic('b')] });
    const { responses } = broker
      .client(apis.deleteTopics, deleteTopics)
      .call(version, { topicNames: ['a', 'none'], timeoutMs: 1000 });
    expect(responses.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['a', 0],
      ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    expect([...broker.metadata.image.topics.keys()]).toEqual(['b']);
  });

  it('deletes by name and by id in version 6', () => {
    const { broker, create } = setUp();
    create.call(7, { topics: [topic('a'), topic('b')] });
    const id = broker.metadata.image.topics.get('b')?.id ?? '';
    const { responses } = broker.client(apis.deleteTopics, deleteTopics).call(6, {
      topics: [{ name: 'a' }, { name: null, topicId: id }, { name: null, topicId: 'AAECAwQFBgcICQoLDA0ODw' }],
      timeoutMs: 1000,
    });
    expect(responses.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['a', 0],
      ['b', 0],
      [null, ErrorCode.UNKNOWN_TOPIC_ID],
    ]);
    expect(broker.metadata.image.topics.size).toBe(0);
  });

  it.each([
    [1, ErrorCode.INVALID_REQUEST],
    [3, ErrorCode.TOPIC_DELETION_DISABLED],
  ])('version %i says in its own code that deletion is off', (version, errorCode) => {
    const { broker, create } = setUp({ 'delete.topic.enable': 'false' });
    create.call(7, { topics: [topic('a')] });
    const { responses } = broker
      .client(apis.deleteTopics, deleteTopics)
      .call(version, { topicNames: ['a'], timeoutMs: 1000 });
    expect(responses).toMatchObject([{ name: 'a', errorCode }]);
    expect(broker.metadata.image.topics.size).toBe(1);
  });
});

describe('DeleteRecords', () => {
  it('asks each partition, and answers when all are done, in the order of the request', () => {
    const { broker, create } = setUp();
    create.call(7, { topics: [topic('a', { numPartitions: 2 })] });
    const waiting: (() => void)[] = [];
    broker.deleteRecords = (_topic, partition, offset, _timeoutMs, done) => {
      waiting.push(() => done(0, offset + partition));
    };
    const partitions = [
      { partitionIndex: 1, offset: 10 },
      { partitionIndex: 0, offset: 20 },
      { partitionIndex: 7, offset: 0 },
    ];
    const answers = broker
      .client(apis.deleteRecords, deleteRecords)
      .send(2, { topics: [{ name: 'a', partitions }], timeoutMs: 1000 });
    expect(waiting).toHaveLength(2);
    waiting[1]?.();
    expect(answers).toEqual([]);
    waiting[0]?.();
    expect(answers[0]?.topics).toEqual([
      {
        name: 'a',
        partitions: [
          { partitionIndex: 1, lowWatermark: 11, errorCode: 0 },
          { partitionIndex: 0, lowWatermark: 20, errorCode: 0 },
          { partitionIndex: 7, lowWatermark: -1, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION },
        ],
      },
    ]);
  });

  it('passes -1 on, which means the high watermark', () => {
    const { broker, create } = setUp();
    create.call(7, { topics: [topic('a')] });
    const offsets: number[] = [];
    broker.deleteRecords = (_topic, _partition, offset, _timeoutMs, done) => {
      offsets.push(offset);
      done(0, 42);
    };
    const partitions = [{ partitionIndex: 0, offset: -1 }];
    const { topics } = broker
      .client(apis.deleteRecords, deleteRecords)
      .call(0, { topics: [{ name: 'a', partitions }], timeoutMs: 1000 });
    expect(offsets).toEqual([-1]);
    expect(topics[0]?.partitions).toMatchObject([{ lowWatermark: 42 }]);
  });

  it('does not cut the logs of coordinators', () => {
    const { broker } = setUp();
    const partitions = [{ partitionIndex: 0, offset: 0 }];
    const { topics } = broker
      .client(apis.deleteRecords, deleteRecords)
      .call(2, { topics: [{ name: '__consumer_offsets', partitions }], timeoutMs: 1000 });
    expect(topics[0]?.partitions).toMatchObject([{ errorCode: ErrorCode.INVALID_TOPIC_EXCEPTION }]);
  });

  it('answers a request that names nothing', () => {
    const { broker } = setUp();
    const client = broker.client(apis.deleteRecords, deleteRecords);
    expect(client.call(2, { topics: [], timeoutMs: 1000 }).topics).toEqual([]);
  });
});

describe('CreatePartitions', () => {
  it.each([0, 1, 2, 3])('version %i gives each topic one result', (version) => {
    const { broker, create } = setUp();
    create.call(7, { topics: [topic('a'), topic('b')] });
    const { results } = broker.client(apis.createPartitions, createPartitions).call(version, {
      topics: [
        { name: 'a', count: 3, assignments: null },
        { name: 'b', count: 1, assignments: null },
        { name: 'none', count: 3, assignments: null },
      ],
      timeoutMs: 1000,
      validateOnly: false,
    });
    expect(results.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['a', 0],
      ['b', ErrorCode.INVALID_PARTITIONS],
      ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    expect(broker.metadata.image.topics.get('a')?.partitions).toHaveLength(3);
  });

  it('tells every topic when the metadata log cannot be written', () => {
    const { broker } = setUp();
    broker.metadata.failWith = storageError;
    const { results } = broker.client(apis.createPartitions, createPartitions).call(3, {
      topics: [{ name: 'a', count: 3, assignments: null }],
      timeoutMs: 1000,
      validateOnly: false,
    });
    expect(results).toMatchObject([{ name: 'a', errorCode: ErrorCode.KAFKA_STORAGE_ERROR }]);
  });
});
