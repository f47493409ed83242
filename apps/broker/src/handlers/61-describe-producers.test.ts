import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchOf, startTestBroker, type TestBroker } from '../testing/test-broker.ts';

let broker: TestBroker;

beforeAll(async () => {
  broker = await startTestBroker();
  await broker.createTopic('seats');
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

describe('DescribeProducers', () => {
  it('tells of each producer what it appended last', async () => {
    const client = await broker.connect();
    const append = (producerId: number, baseSequence: number, timestamp: number) => {
      const records = batchOf({
        values: ['a', 'b'],
        timestamp,
        producerId,
        producerEpoch: 3,
        baseSequence,
      });
      const topicData = [{ name: 'seats', partitionData: [{ index: 0, records }] }];
      return client.ask(apis.produce, 9, { acks: -1, timeoutMs: 5000, topicData });
    };
    await append(7, 0, 1000);
    await append(7, 2, 2000);
    await append(8, 0, 3000);
    const { topics } = await client.ask(apis.describeProducers, 0, {
      topics: [{ name: 'seats', partitionIndexes: [0] }],
    });
    expect(topics).toMatchObject([{ name: 'seats', partitions: [{ partitionIndex: 0, errorCode: 0 }] }]);
    const remembered = topics[0]?.partitions[0]?.activeProducers ?? [];
    expect(remembered.toSorted((left, right) => left.producerId - right.producerId)).toEqual([
      expect.objectContaining({ producerId: 7, producerEpoch: 3, lastSequence: 3, lastTimestamp: 2000 }),
      expect.objectContaining({ producerId: 8, lastSequence: 1, currentTxnStartOffset: -1 }),
    ]);
  });

  it('says of each partition that is not there that it is unknown', async () => {
    const client = await broker.connect();
    const { topics } = await client.ask(apis.describeProducers, 0, {
      topics: [
        { name: 'seats', partitionIndexes: [9] },
        { name: 'none', partitionIndexes: [0] },
      ],
    });
    const codes = topics.flatMap(({ partitions }) => partitions.map(({ errorCode }) => errorCode));
    expect(codes).toEqual([ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]);
  });
});
