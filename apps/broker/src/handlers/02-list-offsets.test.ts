import { apis, Compression, ErrorCode, type ResponseOf } from '@seatlog/kafka-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchOf, startTestBroker, type TestBroker } from '../testing/test-broker.ts';

let broker: TestBroker;

beforeAll(async () => {
  broker = await startTestBroker();
  await broker.createTopic('timed');
  const client = await broker.connect();
  const batches = [
    batchOf({ values: ['a', 'b', 'c'], timestamps: [1000, 2000, 3000] }),
    batchOf({ values: ['d', 'e', 'f'], timestamps: [4000, 9000, 5000], compression: Compression.gzip }),
    batchOf({ values: ['g'], timestamps: [6000] }),
  ];
  for (const records of batches) {
    const topicData = [{ name: 'timed', partitionData: [{ index: 0, records }] }];
    await client.ask(apis.produce, 9, { acks: -1, timeoutMs: 5000, topicData });
  }
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

type Answer = ResponseOf<typeof apis.listOffsets>['topics'][number]['partitions'][number];

async function ask(
  timestamp: number,
  version = 7,
  currentLeaderEpoch = -1,
  topic = 'timed',
): Promise<Answer> {
  const client = await broker.connect();
  const response = await client.ask(apis.listOffsets, version, {
    replicaId: -1,
    topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp, currentLeaderEpoch }] }],
  });
  const answer = response.topics[0]?.partitions[0];
  if (answer === undefined) throw new Error('no answer for the partition');
  return answer;
}

describe('ListOffsets', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])('tells end and start, version %d', async (version) => {
    expect(await ask(-1, version)).toMatchObject({ errorCode: 0, offset: 7, timestamp: -1 });
    expect(await ask(-2, version)).toMatchObject({ errorCode: 0, offset: 0, timestamp: -1 });
  });

  it.each([
    ['the start of what is kept locally', -4, 8, 0],
    ['the end of what was moved away', -5, 9, -1],
    ['the start of what will be moved next', -6, 11, -1],
  ])('knows of no tiered storage: %s', async (_what, timestamp, since, offset) => {
    expect(await ask(timestamp, since)).toMatchObject({ errorCode: 0, offset, timestamp: -1 });
    expect((await ask(timestamp, since - 1)).errorCode).toBe(ErrorCode.UNSUPPORTED_VERSION);
  });

  it.each([
    [0, 0, 1000],
    [1000, 0, 1000],
    [1001, 1, 2000],
    [3000, 2, 3000],
    [3001, 3, 4000],
    [4001, 4, 9000],
    [9000, 4, 9000],
  ])(
    'finds the first record from %d on inside its batch, compressed or not',
    async (target, offset, timestamp) => {
      expect(await ask(target)).toMatchObject({ errorCode: 0, offset, timestamp });
    },
  );

  it('answers -1 without an error when there is no such record', async () => {
    expect(await ask(9001)).toMatchObject({ errorCode: 0, offset: -1, timestamp: -1 });
  });

  it('finds the record with the greatest timestamp', async () => {
    expect(await ask(-3)).toMatchObject({ errorCode: 0, offset: 4, timestamp: 9000 });
  });

  it.each([
    [-9, 7],
    [-4, 7],
    [-3, 6],
  ])('refuses %d, which means nothing in version %d', async (timestamp, version) => {
    expect((await ask(timestamp, version)).errorCode).toBe(ErrorCode.UNSUPPORTED_VERSION);
  });

  it('refuses a partition that is named twice', async () => {
    const client = await broker.connect();
    const { topics } = await client.ask(apis.listOffsets, 7, {
      replicaId: -1,
      topics: [
        {
          name: 'timed',
          partitions: [
            { partitionIndex: 0, timestamp: -1 },
            { partitionIndex: 0, timestamp: -2 },
          ],
        },
      ],
    });
    expect(topics[0]?.partitions).toMatchObject([{ errorCode: ErrorCode.INVALID_REQUEST, offset: -1 }]);
  });

  it('names nothing that DeleteRecords has cut off, also in the middle of a batch', async () => {
    const client = await broker.connect();
    await broker.createTopic('cut');
    for (const timestamps of [[1000, 9000, 3000], [2000, 5000], [4000]]) {
      const records = batchOf({ values: timestamps.map(String), timestamps });
      const topicData = [{ name: 'cut', partitionData: [{ index: 0, records }] }];
      await client.ask(apis.produce, 9, { acks: -1, timeoutMs: 5000, topicData });
    }
    const cutTo = async (offset: number): Promise<unknown> =>
      client.ask(apis.deleteRecords, 2, {
        topics: [{ name: 'cut', partitions: [{ partitionIndex: 0, offset }] }],
        timeoutMs: 5000,
      });
    const offsetAt = async (timestamp: number): Promise<number> =>
      (await ask(timestamp, 7, -1, 'cut')).offset;
    await cutTo(2);
    expect(await Promise.all([1000, 3001, 6000, -3].map(offsetAt))).toEqual([2, 4, -1, 4]);
    await cutTo(5);
    expect(await Promise.all([1000, -3].map(offsetAt))).toEqual([5, 5]);
  });

  it('R25: holds the leader epoch against its own, and tells it', async () => {
    const epoch = broker.broker.services.replicas.partition('timed', 0)?.leaderEpoch ?? -1;
    expect(await ask(-1, 7, epoch)).toMatchObject({ errorCode: 0, leaderEpoch: epoch });
    expect((await ask(-1, 7, epoch + 1)).errorCode).toBe(ErrorCode.UNKNOWN_LEADER_EPOCH);
  });

  it('does not know partitions that do not exist', async () => {
    expect((await ask(-1, 7, -1, 'nowhere')).errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });
});

describe('OffsetForLeaderEpoch', () => {
  async function endOf(leaderEpoch: number, version: number) {
    const client = await broker.connect();
    const response = await client.ask(apis.offsetForLeaderEpoch, version, {
      topics: [{ topic: 'timed', partitions: [{ partition: 0, leaderEpoch }] }],
    });
    return response.topics[0]?.partitions[0];
  }

  it.each([2, 3, 4])('tells where the current epoch ends, version %d', async (version) => {
    const epoch = broker.broker.services.replicas.partition('timed', 0)?.leaderEpoch ?? -1;
    expect(await endOf(epoch, version)).toMatchObject({ errorCode: 0, leaderEpoch: epoch, endOffset: 7 });
    expect(await endOf(epoch + 5, version)).toMatchObject({ errorCode: 0, leaderEpoch: -1, endOffset: -1 });
  });
});
