import { describe, expect, it } from 'vitest';
import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import { configsOf, ResourceType, topicById } from '../image/cluster-image.ts';
import { TestCluster } from '../testing/cluster.ts';
import { createPartitions } from './create-partitions.ts';
import { MAX_PARTITIONS_PER_REQUEST } from './create-topics.ts';
import { deleteTopics } from './delete-topics.ts';
import { allocateProducerIds } from './producer-ids.ts';

function withTopics(...names: readonly string[]): TestCluster {
  const cluster = new TestCluster();
  for (const id of [1, 2, 3]) cluster.start(id);
  for (const name of names) cluster.create(name, { replicationFactor: 2 });
  return cluster;
}

describe('deleteTopics', () => {
  it('deletes by name and by id, with the configs', () => {
    const cluster = withTopics('b');
    cluster.create('a', { configs: [{ name: 'cleanup.policy', value: 'compact' }] });
    const id = cluster.image.topics.get('b')?.id ?? '';
    const answer = cluster.decide(
      deleteTopics(cluster.image, [
        { name: 'a', topicId: ZERO_UUID },
        { name: null, topicId: id },
      ]),
    );
    expect(answer).toMatchObject([
      { name: 'a', errorCode: 0 },
      { name: 'b', topicId: id, errorCode: 0 },
    ]);
    expect(cluster.image.topics.size).toBe(0);
    expect(topicById(cluster.image, id)).toBeUndefined();
    expect(configsOf(cluster.image, ResourceType.TOPIC, 'a').size).toBe(0);
  });

  it('tells unknown names from unknown ids', () => {
    const { records, answer } = deleteTopics(withTopics().image, [
      { name: 'none', topicId: ZERO_UUID },
      { name: null, topicId: 'AAAAAAAAAAAAAAAAAAAABA' },
    ]);
    expect(records).toEqual([]);
    expect(answer.map((topic) => topic.errorCode)).toEqual([
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
      ErrorCode.UNKNOWN_TOPIC_ID,
    ]);
  });

  it('refuses a topic that is named twice, by name and by id as well, and answers once', () => {
    const cluster = withTopics('a', 'b');
    const { records, answer } = deleteTopics(cluster.image, [
      { name: 'a', topicId: ZERO_UUID },
      { name: 'b', topicId: ZERO_UUID },
      { name: null, topicId: cluster.image.topics.get('a')?.id ?? '' },
    ]);
    expect(records).toHaveLength(1);
    expect(answer.map((topic) => topic.errorCode)).toEqual([ErrorCode.INVALID_REQUEST, ErrorCode.NONE]);
  });

  it('refuses name and id together, and neither', () => {
    const cluster = withTopics('a');
    const id = cluster.image.topics.get('a')?.id ?? '';
    for (const topic of [
      { name: 'a', topicId: id },
      { name: null, topicId: ZERO_UUID },
    ]) {
      expect(deleteTopics(cluster.image, [topic]).answer[0]?.errorCode).toBe(ErrorCode.INVALID_REQUEST);
    }
  });

  it('lets a topic of the same name begin afresh, with another id', () => {
    const cluster = withTopics('a');
    const id = cluster.image.topics.get('a')?.id;
    cluster.decide(deleteTopics(cluster.image, [{ name: 'a', topicId: ZERO_UUID }]));
    expect(cluster.create('a')).not.toBe(id);
  });
});

describe('createPartitions', () => {
  const add = (cluster: TestCluster, name: string, count: number, assignments: number[][] | null = null) =>
    createPartitions(
      cluster.image,
      {
        topics: [{ name, count, assignments: assignments?.map((brokerIds) => ({ brokerIds })) ?? null }],
        validateOnly: false,
      },
      cluster.random,
    );

  it('adds partitions with the replication factor of the others', () => {
    const cluster = withTopics('a');
    expect(cluster.decide(add(cluster, 'a', 4))).toEqual([{ name: 'a', errorCode: 0, errorMessage: null }]);
    const partitions = cluster.image.topics.get('a')?.partitions ?? [];
    expect(partitions.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(partitions.every(({ replicas }) => replicas.length === 2)).toBe(true);
  });

  it('puts them where the request says', () => {
    const cluster = withTopics('a');
    cluster.decide(
      add(cluster, 'a', 3, [
        [3, 1],
        [2, 3],
      ]),
    );
    expect(cluster.partition('a', 1).replicas).toEqual([3, 1]);
    expect(cluster.partition('a', 2).replicas).toEqual([2, 3]);
  });

  it.each([
    ['no increase', 1, null, ErrorCode.INVALID_PARTITIONS],
    ['a decrease', 0, null, ErrorCode.INVALID_PARTITIONS],
    ['too many', MAX_PARTITIONS_PER_REQUEST + 2, null, ErrorCode.POLICY_VIOLATION],
    ['too few assignments', 3, [[1, 2]], ErrorCode.INVALID_REPLICA_ASSIGNMENT],
    ['another replication factor', 2, [[1]], ErrorCode.INVALID_REPLICA_ASSIGNMENT],
  ])('refuses %s', (_what, count, assignments, errorCode) => {
    const { records, answer } = add(withTopics('a'), 'a', count, assignments);
    expect(records).toEqual([]);
    expect(answer).toMatchObject([{ name: 'a', errorCode }]);
  });

  it('gives each topic one result: unknown, named twice, or done', () => {
    const cluster = withTopics('a', 'b');
    const topic = (name: string) => ({ name, count: 2, assignments: null });
    const { records, answer } = createPartitions(
      cluster.image,
      { topics: [topic('a'), topic('b'), topic('a'), topic('none')], validateOnly: false },
      cluster.random,
    );
    expect(answer.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['a', ErrorCode.INVALID_REQUEST],
      ['b', 0],
      ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    expect(records).toHaveLength(1);
  });

  it('changes nothing with validateOnly', () => {
    const cluster = withTopics('a');
    const { records, answer } = createPartitions(
      cluster.image,
      { topics: [{ name: 'a', count: 2, assignments: null }], validateOnly: true },
      cluster.random,
    );
    expect(records).toEqual([]);
    expect(answer[0]?.errorCode).toBe(0);
  });
});

describe('allocateProducerIds', () => {
  it('gives each block once', () => {
    const cluster = new TestCluster();
    const epoch = cluster.start(1);
    const blocks = [1, 2, 3].map(() => cluster.decide(allocateProducerIds(cluster.image, 1, epoch)));
    expect(blocks.map(({ firstProducerId, size }) => [firstProducerId, size])).toEqual([
      [0, 1000],
      [1000, 1000],
      [2000, 1000],
    ]);
    expect(cluster.image.nextProducerId).toBe(3000);
  });

  it('refuses brokers that are not registered, or were registered anew meanwhile', () => {
    const cluster = new TestCluster();
    const epoch = cluster.start(1);
    expect(allocateProducerIds(cluster.image, 2, 0).answer.errorCode).toBe(
      ErrorCode.BROKER_ID_NOT_REGISTERED,
    );
    cluster.start(1);
    const { records, answer } = allocateProducerIds(cluster.image, 1, epoch);
    expect(records).toEqual([]);
    expect(answer).toMatchObject({ errorCode: ErrorCode.STALE_BROKER_EPOCH, firstProducerId: -1, size: 0 });
  });
});
