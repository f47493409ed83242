import { apis, ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { MemoryBroker } from '../metadata/testing/memory-broker.ts';
import { createTopics } from './19-create-topics.ts';
import { describeTopicPartitions } from './75-describe-topic-partitions.ts';

/** Brokers 1 to 3; topics b, a and c with 2, 3 and 1 partitions. */
function setUp() {
  const broker = new MemoryBroker();
  for (const id of [2, 3]) broker.startBroker(id);
  const topics = Object.entries({ b: 2, a: 3, c: 1 }).map(([name, numPartitions]) => ({
    name,
    numPartitions,
    replicationFactor: 3,
    assignments: [],
    configs: [{ name: 'min.insync.replicas', value: '3' }],
  }));
  broker.client(apis.createTopics, createTopics).call(7, { topics });
  const client = broker.client(apis.describeTopicPartitions, describeTopicPartitions);
  const shown = (request: Parameters<typeof client.call>[1]) => {
    const { topics: found, nextCursor } = client.call(0, request);
    const names = found.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex }) => `${name}-${partitionIndex}`),
    );
    return { names, nextCursor };
  };
  return { broker, client, shown };
}

describe('DescribeTopicPartitions', () => {
  it('tells all topics in the order of their names', () => {
    const { shown } = setUp();
    const names = ['a-0', 'a-1', 'a-2', 'b-0', 'b-1', 'c-0'];
    expect(shown({ topics: [] })).toEqual({ names, nextCursor: null });
  });

  it('R20: tells leaders, ISR and eligible leaders', () => {
    const { broker, client } = setUp();
    broker.fenceBroker(3);
    const [topic] = client.call(0, { topics: [{ name: 'c' }] }).topics;
    const image = broker.metadata.image.topics.get('c');
    expect(topic).toMatchObject({ errorCode: 0, name: 'c', topicId: image?.id, isInternal: false });
    const [partition] = topic?.partitions ?? [];
    expect(partition).toMatchObject({
      errorCode: 0,
      leaderId: image?.partitions[0]?.leader,
      leaderEpoch: image?.partitions[0]?.leaderEpoch,
      replicaNodes: image?.partitions[0]?.replicas,
      eligibleLeaderReplicas: [3],
      lastKnownElr: [],
      offlineReplicas: [3],
    });
    expect(partition?.isrNodes.toSorted((one, other) => one - other)).toEqual([1, 2]);
  });

  it('gives pages, each of which begins where the one before says', () => {
    const { shown } = setUp();
    const pages: string[][] = [];
    let cursor: { readonly topicName: string; readonly partitionIndex: number } | null = null;
    do {
      const page = shown({ topics: [], responsePartitionLimit: 2, cursor });
      pages.push(page.names);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(pages).toEqual([
      ['a-0', 'a-1'],
      ['a-2', 'b-0'],
      ['b-1', 'c-0'],
    ]);
  });

  it('refuses a cursor below zero', () => {
    const { client } = setUp();
    const cursor = { topicName: 'a', partitionIndex: -1 };
    expect(client.call(0, { topics: [{ name: 'a' }], cursor })).toMatchObject({
      topics: [{ name: 'a', errorCode: ErrorCode.INVALID_REQUEST, partitions: [] }],
      nextCursor: null,
    });
  });

  it('begins at the next topic where that of the cursor is gone', () => {
    const { shown } = setUp();
    const cursor = { topicName: 'aa', partitionIndex: 7 };
    expect(shown({ topics: [], cursor }).names).toEqual(['b-0', 'b-1', 'c-0']);
  });

  it('says which names no topic has, and gives a name that stands twice once', () => {
    const { client } = setUp();
    const { topics } = client.call(0, {
      topics: [{ name: 'none' }, { name: 'c' }, { name: 'c' }, { name: 'a b' }],
    });
    expect(topics.map(({ name, errorCode, topicId }) => [name, errorCode, topicId === ZERO_UUID])).toEqual([
      ['a b', ErrorCode.INVALID_TOPIC_EXCEPTION, true],
      ['c', 0, false],
      ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, true],
    ]);
  });

  it('gives at least one partition, whatever limit is asked for', () => {
    const { shown } = setUp();
    expect(shown({ topics: [], responsePartitionLimit: -5 }).names).toEqual(['a-0']);
  });
});
