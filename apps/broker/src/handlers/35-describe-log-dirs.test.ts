import { apis } from '@seatlog/kafka-protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { batchOf, startTestBroker, type TestBroker } from '../testing/test-broker.ts';

const running: TestBroker[] = [];

afterEach(async () => {
  for (const broker of running.splice(0)) await broker[Symbol.asyncDispose]();
});

describe('DescribeLogDirs', () => {
  it.each([1, 2, 3, 4, 5])('version %i tells the sizes of the replicas that are here', async (version) => {
    const broker = await startTestBroker();
    running.push(broker);
    await broker.createTopic('a', {}, 2);
    await broker.createTopic('b');
    const client = await broker.connect();
    const records = batchOf({ values: ['one', 'two'] });
    const topicData = [{ name: 'a', partitionData: [{ index: 1, records }] }];
    await client.ask(apis.produce, 9, { acks: -1, timeoutMs: 5000, topicData });
    const replica = (partitionIndex: number, partitionSize: number) => ({
      partitionIndex,
      partitionSize,
      offsetLag: 0,
      isFutureKey: false,
    });
    const described = async (topics: { topic: string; partitions: number[] }[] | null) => {
      const { results } = await client.ask(apis.describeLogDirs, version, { topics });
      expect(results).toHaveLength(1);
      expect(results[0]).toMatchObject({ errorCode: 0, logDir: '/logs', totalBytes: -1, usableBytes: -1 });
      return results[0]?.topics;
    };
    expect(await described(null)).toEqual([
      { name: 'a', partitions: [replica(0, 0), replica(1, records.length)] },
      { name: 'b', partitions: [replica(0, 0)] },
    ]);
    expect(
      await described([
        { topic: 'a', partitions: [1, 7] },
        { topic: 'none', partitions: [0] },
      ]),
    ).toEqual([{ name: 'a', partitions: [replica(1, records.length)] }]);
  });
});
