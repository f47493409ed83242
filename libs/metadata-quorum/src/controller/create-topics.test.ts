import { describe, expect, it } from 'vitest';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { configsOf, ResourceType } from '../image/cluster-image.ts';
import { TestCluster, topicRequest } from '../testing/cluster.ts';
import type { TopicToCreate } from './create-topics.ts';
import { createTopics, MAX_PARTITIONS_PER_REQUEST } from './create-topics.ts';

function oneBroker(): TestCluster {
  const cluster = new TestCluster();
  cluster.start(1);
  return cluster;
}

function attempt(cluster: TestCluster, topics: readonly TopicToCreate[], validateOnly = false) {
  return createTopics(cluster.image, { topics, validateOnly }, cluster.context);
}

function refusalOf(cluster: TestCluster, topic: TopicToCreate): number | undefined {
  const { records, answer } = attempt(cluster, [topic]);
  expect(records).toEqual([]);
  expect(answer[0]?.errorMessage).toMatch(/.+/);
  return answer[0]?.errorCode;
}

describe('createTopics', () => {
  it('makes a topic with its partitions led by live replicas, and its configs', () => {
    const cluster = oneBroker();
    const topicId = cluster.create('orders', {
      numPartitions: 3,
      replicationFactor: 1,
      configs: [{ name: 'min.insync.replicas', value: '2' }],
    });
    expect(topicId).toHaveLength(22);
    expect(cluster.image.topics.get('orders')).toMatchObject({ id: topicId });
    expect(cluster.image.topics.get('orders')?.partitions).toHaveLength(3);
    expect(cluster.partition('orders', 2)).toMatchObject({
      index: 2,
      replicas: [1],
      isr: [1],
      leader: 1,
      leaderEpoch: 0,
      partitionEpoch: 0,
      directories: cluster.image.brokers.get(1)?.logDirs,
    });
    expect([...configsOf(cluster.image, ResourceType.TOPIC, 'orders')]).toEqual([
      ['min.insync.replicas', '2'],
    ]);
  });

  it('takes -1 for the defaults', () => {
    const cluster = oneBroker();
    const { answer } = createTopics(
      cluster.image,
      { topics: [topicRequest('orders')], validateOnly: false },
      { ...cluster.context, defaults: { numPartitions: 6, replicationFactor: 1 } },
    );
    expect(answer[0]).toMatchObject({ errorCode: 0, numPartitions: 6, replicationFactor: 1 });
  });

  it('F46: refuses illegal names with INVALID_TOPIC_EXCEPTION', () => {
    expect(refusalOf(oneBroker(), topicRequest('../etc'))).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
  });

  it('F46: refuses a name that collides with a topic, or with another of the same request', () => {
    const cluster = oneBroker();
    cluster.create('a.b');
    expect(refusalOf(cluster, topicRequest('a_b'))).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
    const { answer } = attempt(cluster, [topicRequest('c.d'), topicRequest('c_d')]);
    expect(answer.map((topic) => topic.errorCode)).toEqual([0, ErrorCode.INVALID_TOPIC_EXCEPTION]);
  });

  it('refuses what exists with TOPIC_ALREADY_EXISTS', () => {
    const cluster = oneBroker();
    cluster.create('orders');
    expect(refusalOf(cluster, topicRequest('orders'))).toBe(ErrorCode.TOPIC_ALREADY_EXISTS);
  });

  it('gives a name that stands twice one INVALID_REQUEST, and the others their topics', () => {
    const { records, answer } = attempt(oneBroker(), [
      topicRequest('twice'),
      topicRequest('once'),
      topicRequest('twice'),
    ]);
    expect(answer.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['twice', ErrorCode.INVALID_REQUEST],
      ['once', 0],
    ]);
    expect(records).toHaveLength(2);
  });

  it('never creates the metadata log as a topic', () => {
    expect(refusalOf(oneBroker(), topicRequest('__cluster_metadata'))).toBe(
      ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    );
  });

  it.each([
    ['more replicas than brokers', { replicationFactor: 3 }, ErrorCode.INVALID_REPLICATION_FACTOR],
    ['no replicas', { replicationFactor: 0 }, ErrorCode.INVALID_REPLICATION_FACTOR],
    ['a negative replication factor', { replicationFactor: -2 }, ErrorCode.INVALID_REPLICATION_FACTOR],
    ['no partitions', { numPartitions: 0 }, ErrorCode.INVALID_PARTITIONS],
    ['a negative number of partitions', { numPartitions: -2 }, ErrorCode.INVALID_PARTITIONS],
    ['too many partitions', { numPartitions: MAX_PARTITIONS_PER_REQUEST + 1 }, ErrorCode.POLICY_VIOLATION],
    ['an unknown config', { configs: [{ name: 'no.such', value: '1' }] }, ErrorCode.INVALID_CONFIG],
    ['a bad value', { configs: [{ name: 'min.insync.replicas', value: 'x' }] }, ErrorCode.INVALID_CONFIG],
    [
      'a config without value',
      { configs: [{ name: 'min.insync.replicas', value: null }] },
      ErrorCode.INVALID_CONFIG,
    ],
  ])('refuses %s', (_what, topic, errorCode) => {
    expect(refusalOf(oneBroker(), topicRequest('orders', topic))).toBe(errorCode);
  });

  it('counts the partitions of a whole request', () => {
    const half = { numPartitions: MAX_PARTITIONS_PER_REQUEST / 2 };
    const { answer } = attempt(oneBroker(), [
      topicRequest('a', half),
      topicRequest('b', half),
      topicRequest('c', { numPartitions: 1 }),
    ]);
    expect(answer.map((topic) => topic.errorCode)).toEqual([0, 0, ErrorCode.POLICY_VIOLATION]);
  });

  it('answers with validateOnly as it would, and changes nothing', () => {
    const { records, answer } = attempt(oneBroker(), [topicRequest('orders'), topicRequest('.')], true);
    expect(records).toEqual([]);
    expect(answer.map((topic) => topic.errorCode)).toEqual([0, ErrorCode.INVALID_TOPIC_EXCEPTION]);
    expect(answer[0]).toMatchObject({ numPartitions: 1, replicationFactor: 1 });
  });
});

describe('createTopics with assignments', () => {
  function threeBrokers(): TestCluster {
    const cluster = new TestCluster();
    for (const id of [1, 2, 3]) cluster.start(id);
    return cluster;
  }
  const assigned = (...lists: readonly (readonly number[])[]) =>
    topicRequest('orders', {
      assignments: lists.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
    });

  it('places replicas where the request says, in whatever order it lists the partitions', () => {
    const cluster = threeBrokers();
    cluster.create('orders', {
      assignments: [
        { partitionIndex: 1, brokerIds: [3, 1] },
        { partitionIndex: 0, brokerIds: [2, 3] },
      ],
    });
    expect(cluster.partition('orders', 0)).toMatchObject({ replicas: [2, 3], leader: 2 });
    expect(cluster.partition('orders', 1)).toMatchObject({ replicas: [3, 1], leader: 3 });
  });

  it('lets the first live replica lead', () => {
    const cluster = new TestCluster();
    cluster.register(1);
    cluster.start(2);
    cluster.create('orders', { assignments: [{ partitionIndex: 0, brokerIds: [1, 2] }] });
    expect(cluster.partition('orders')).toMatchObject({ replicas: [1, 2], isr: [2], leader: 2 });
  });

  it.each([
    ['an unknown broker', assigned([1, 9])],
    ['a broker twice', assigned([1, 1])],
    ['an empty list', assigned([])],
    ['lists of different lengths', assigned([1, 2], [1])],
    [
      'a partition twice',
      {
        ...assigned([1]),
        assignments: [
          { partitionIndex: 0, brokerIds: [1] },
          { partitionIndex: 0, brokerIds: [2] },
        ],
      },
    ],
    ['a gap in the partitions', { ...assigned([1]), assignments: [{ partitionIndex: 1, brokerIds: [1] }] }],
  ])('refuses %s with INVALID_REPLICA_ASSIGNMENT', (_what, topic) => {
    expect(refusalOf(threeBrokers(), topic)).toBe(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
  });

  it('refuses replicas none of which is live', () => {
    const cluster = new TestCluster();
    cluster.register(1);
    expect(refusalOf(cluster, assigned([1]))).toBe(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
  });

  it('refuses counts beside assignments', () => {
    expect(refusalOf(threeBrokers(), { ...assigned([1]), numPartitions: 1 })).toBe(ErrorCode.INVALID_REQUEST);
    expect(refusalOf(threeBrokers(), { ...assigned([1]), replicationFactor: 1 })).toBe(
      ErrorCode.INVALID_REQUEST,
    );
  });
});
