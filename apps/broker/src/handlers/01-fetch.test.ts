import {
  apis,
  batchBaseOffset,
  batchesIn,
  decodeRecords,
  ErrorCode,
  type RequestInput,
  type ResponseOf,
  ZERO_UUID,
} from '@seatlog/kafka-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchOf, startTestBroker, type TestBroker, until } from '../testing/test-broker.ts';
import type { WireClient } from '../testing/wire-client.ts';

let broker: TestBroker;

beforeAll(async () => {
  broker = await startTestBroker({ settings: { 'fetch.max.bytes': '2000000' } });
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

type FetchRequest = RequestInput<typeof apis.fetch>;
type FetchResponse = ResponseOf<typeof apis.fetch>;
type PartitionAnswer = FetchResponse['responses'][number]['partitions'][number];
type Read = Partial<FetchRequest['topics'][number]['partitions'][number]>;

const NAMES_UP_TO = 12;
const MIB = 1024 * 1024;

async function append(topic: string, batch: Uint8Array, partition = 0): Promise<number> {
  const client = await broker.connect();
  const response = await client.ask(apis.produce, 9, {
    acks: -1,
    timeoutMs: 5000,
    topicData: [{ name: topic, partitionData: [{ index: partition, records: batch }] }],
  });
  const answer = response.responses[0]?.partitionResponses[0];
  if (answer?.errorCode !== ErrorCode.NONE) throw new Error(`append failed with ${answer?.errorCode}`);
  return answer.baseOffset;
}

const idOf = (topic: string): string =>
  broker.broker.services.metadata.image.topics.get(topic)?.id ?? ZERO_UUID;

function fetchRequest(
  version: number,
  topic: string,
  reads: readonly Read[],
  limits: Partial<FetchRequest> = {},
): FetchRequest {
  return {
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: 50 * MIB,
    topics: [
      {
        ...(version > NAMES_UP_TO ? { topicId: idOf(topic) } : { topic }),
        partitions: reads.map((read, partition) => ({
          partition,
          fetchOffset: 0,
          partitionMaxBytes: MIB,
          ...read,
        })),
      },
    ],
    ...limits,
  };
}

async function fetch(
  client: WireClient,
  topic: string,
  read: Read = {},
  limits: Partial<FetchRequest> = {},
  version = 11,
): Promise<PartitionAnswer> {
  const response = await client.ask(apis.fetch, version, fetchRequest(version, topic, [read], limits));
  const answer = response.responses[0]?.partitions[0];
  if (answer === undefined) throw new Error('no answer for the partition');
  return answer;
}

const valuesIn = (records: Uint8Array | null): string[] =>
  [...batchesIn(records ?? new Uint8Array(0))].flatMap((batch) =>
    decodeRecords(batch).map(({ value }) => new TextDecoder().decode(value ?? new Uint8Array(0))),
  );

const offsetsIn = (records: Uint8Array | null): number[] =>
  [...batchesIn(records ?? new Uint8Array(0))].map((batch) => batchBaseOffset(batch));

describe('Fetch', () => {
  it.each([4, 5, 7, 9, 11, 12, 13, 15, 16, 17, 18])(
    'gives what was appended, version %d',
    async (version) => {
      const topic = `fetch-versions-${version}`;
      await broker.createTopic(topic);
      await append(topic, batchOf({ values: ['a', 'b'] }));
      const client = await broker.connect();
      const answer = await fetch(client, topic, {}, {}, version);
      expect(valuesIn(answer.records)).toEqual(['a', 'b']);
      expect(answer).toMatchObject({ errorCode: 0, highWatermark: 2, lastStableOffset: 2 });
    },
  );

  it('gives the whole batch for an offset inside of it', async () => {
    await broker.createTopic('inside');
    await append('inside', batchOf({ values: ['a', 'b', 'c'] }));
    await append('inside', batchOf({ values: ['d'] }));
    const client = await broker.connect();
    const answer = await fetch(client, 'inside', { fetchOffset: 1 });
    expect(valuesIn(answer.records)).toEqual(['a', 'b', 'c', 'd']);
    expect(valuesIn((await fetch(client, 'inside', { fetchOffset: 3 })).records)).toEqual(['d']);
  });

  it('gives empty records, never null, at the end', async () => {
    await broker.createTopic('at-end');
    await append('at-end', batchOf({ values: ['a'] }));
    const client = await broker.connect();
    for (const version of [4, 11, 12, 17]) {
      const answer = await fetch(client, 'at-end', { fetchOffset: 1 }, {}, version);
      expect(answer.errorCode).toBe(0);
      expect(answer.records).toEqual(new Uint8Array(0));
    }
  });

  it('K7: carries one batch at least, even one that is over every limit', async () => {
    await broker.createTopic('big');
    await append('big', batchOf({ values: ['x'.repeat(5000)] }));
    await append('big', batchOf({ values: ['y'.repeat(5000)] }));
    const client = await broker.connect();
    const answer = await fetch(client, 'big', { partitionMaxBytes: 10 }, { maxBytes: 10 });
    expect(offsetsIn(answer.records)).toEqual([0]);
  });

  it('K7: fills partitions in the order of the request, the first batch aside within the limits', async () => {
    await broker.createTopic('budget', {}, 3);
    for (const partition of [0, 1, 2]) {
      for (let index = 0; index < 4; index += 1) {
        await append('budget', batchOf({ values: ['z'.repeat(1000)] }), partition);
      }
    }
    const client = await broker.connect();
    const request = fetchRequest(
      11,
      'budget',
      [{ partitionMaxBytes: 2300 }, { partitionMaxBytes: 2300 }, {}],
      {
        maxBytes: 4000,
      },
    );
    const response = await client.ask(apis.fetch, 11, request);
    const counts = response.responses[0]?.partitions.map(({ records }) => offsetsIn(records).length);
    // A batch is about 1,070 bytes: two fit the first partition, one the rest of the budget, none the third.
    expect(counts).toEqual([2, 1, 0]);
  });

  it('refuses offsets outside of the log, and takes its very end', async () => {
    await broker.createTopic('range');
    await append('range', batchOf({ values: ['a', 'b'] }));
    const client = await broker.connect();
    expect((await fetch(client, 'range', { fetchOffset: 2 })).errorCode).toBe(0);
    expect((await fetch(client, 'range', { fetchOffset: 3 })).errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    expect((await fetch(client, 'range', { fetchOffset: -1 })).errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
  });

  it('R25: holds the leader epoch of the request against its own', async () => {
    await broker.createTopic('epochs');
    const client = await broker.connect();
    const epoch = broker.broker.services.replicas.partition('epochs', 0)?.leaderEpoch ?? -1;
    expect((await fetch(client, 'epochs', { currentLeaderEpoch: epoch })).errorCode).toBe(0);
    const ahead = await fetch(client, 'epochs', { currentLeaderEpoch: epoch + 1 });
    expect(ahead.errorCode).toBe(ErrorCode.UNKNOWN_LEADER_EPOCH);
  });

  it('R23: tells a reader whose history goes on beyond this log where it parts', async () => {
    await broker.createTopic('diverging');
    await append('diverging', batchOf({ values: ['a', 'b'] }));
    const client = await broker.connect();
    const partition = broker.broker.services.replicas.partition('diverging', 0);
    const epoch = partition?.leaderEpoch ?? -1;
    const fits = await fetch(client, 'diverging', { fetchOffset: 1, lastFetchedEpoch: epoch }, {}, 12);
    expect(valuesIn(fits.records)).toEqual(['a', 'b']);
    const parts = await fetch(client, 'diverging', { fetchOffset: 5, lastFetchedEpoch: epoch }, {}, 12);
    expect(parts).toMatchObject({ errorCode: 0, divergingEpoch: { epoch, endOffset: 2 } });
    expect(parts.records).toEqual(new Uint8Array(0));
  });

  it('knows topics by id from version 13 on, and says which it does not know', async () => {
    const client = await broker.connect();
    const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: MIB }];
    const limits = { maxWaitMs: 0, minBytes: 1, maxBytes: MIB };
    const byId = await client.ask(apis.fetch, 13, {
      ...limits,
      topics: [{ topicId: 'AAAAAAAAAAAAAAAAAAAABw', partitions }],
    });
    expect(byId.responses[0]?.partitions[0]?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_ID);
    const byName = await client.ask(apis.fetch, 12, {
      ...limits,
      topics: [{ topic: 'nowhere', partitions }],
    });
    expect(byName.responses[0]?.partitions[0]?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });

  it('refuses sessions: full answers with session id 0, unknown ids told at the top', async () => {
    await broker.createTopic('sessions');
    await append('sessions', batchOf({ values: ['a'] }));
    const client = await broker.connect();
    const wanted = fetchRequest(11, 'sessions', [{}], { sessionId: 0, sessionEpoch: 0 });
    const first = await client.ask(apis.fetch, 11, wanted);
    expect(first.sessionId).toBe(0);
    expect(valuesIn(first.responses[0]?.partitions[0]?.records ?? null)).toEqual(['a']);
    const unknown = await client.ask(apis.fetch, 11, { ...wanted, sessionId: 77, sessionEpoch: 1 });
    expect(unknown).toMatchObject({ errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND, responses: [] });
    // Who begins a session anew, or ends it, asks for everything.
    for (const sessionEpoch of [0, -1]) {
      const full = await client.ask(apis.fetch, 11, { ...wanted, sessionId: 77, sessionEpoch });
      expect(full).toMatchObject({ errorCode: 0, sessionId: 0 });
      expect(valuesIn(full.responses[0]?.partitions[0]?.records ?? null)).toEqual(['a']);
    }
  });

  it('serves the consumer that looks for faults (replica id -2) as any other', async () => {
    await broker.createTopic('debugged');
    await append('debugged', batchOf({ values: ['a'] }));
    const client = await broker.connect();
    const { errorCode, records } = await fetch(client, 'debugged', {}, { replicaId: -2 });
    expect(errorCode).toBe(ErrorCode.NONE);
    expect(valuesIn(records)).toEqual(['a']);
  });

  it('gives aborted transactions to read_committed alone', async () => {
    await broker.createTopic('isolation');
    await append('isolation', batchOf({ values: ['a'] }));
    const client = await broker.connect();
    expect((await fetch(client, 'isolation', {}, { isolationLevel: 0 })).abortedTransactions).toBeNull();
    const committed = await fetch(client, 'isolation', {}, { isolationLevel: 1 });
    expect(committed.abortedTransactions).toEqual([]);
    expect(valuesIn(committed.records)).toEqual(['a']);
  });
});

describe('Fetch that waits', () => {
  const waiting = (topic: string): number =>
    broker.broker.services.replicas.partition(topic, 0)?.waitingReads.count ?? 0;

  it('is woken by the append that it waits for, long before its deadline', async () => {
    await broker.createTopic('woken');
    const client = await broker.connect();
    const answer = fetch(client, 'woken', {}, { maxWaitMs: 60_000 });
    await until(() => waiting('woken') === 1, 'the fetch waits');
    await append('woken', batchOf({ values: ['a'] }));
    expect(valuesIn((await answer).records)).toEqual(['a']);
    expect(waiting('woken')).toBe(0);
  });

  it('gathers until it has minBytes', async () => {
    await broker.createTopic('gathering');
    const client = await broker.connect();
    const answer = fetch(client, 'gathering', {}, { maxWaitMs: 60_000, minBytes: 2500 });
    await until(() => waiting('gathering') === 1, 'the fetch waits');
    for (let index = 0; index < 2; index += 1) {
      await append('gathering', batchOf({ values: ['z'.repeat(1000)] }));
      expect(waiting('gathering')).toBe(1);
    }
    await append('gathering', batchOf({ values: ['z'.repeat(1000)] }));
    expect(offsetsIn((await answer).records)).toEqual([0, 1, 2]);
  });

  it('does not wait for more than the partition may carry', async () => {
    await broker.createTopic('filled');
    for (let index = 0; index < 3; index += 1)
      await append('filled', batchOf({ values: ['z'.repeat(1000)] }));
    const client = await broker.connect();
    const limits = { maxWaitMs: 60_000, minBytes: 1_000_000 };
    const answer = await fetch(client, 'filled', { partitionMaxBytes: 1500 }, limits);
    expect(offsetsIn(answer.records)).toEqual([0]);
  });

  it('ends at its deadline with what there is', async () => {
    await broker.createTopic('deadline');
    await append('deadline', batchOf({ values: ['a'] }));
    const client = await broker.connect();
    const answer = await fetch(client, 'deadline', {}, { maxWaitMs: 50, minBytes: 1_000_000 });
    expect(valuesIn(answer.records)).toEqual(['a']);
  });

  it('does not wait when a partition of it is in error', async () => {
    await broker.createTopic('with-error');
    const client = await broker.connect();
    const request = fetchRequest(11, 'with-error', [{}, {}], { maxWaitMs: 60_000 });
    const response = await client.ask(apis.fetch, 11, request);
    expect(response.responses[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([
      0,
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]);
  });

  it('R29: is answered when its topic is deleted', async () => {
    await broker.createTopic('deleted');
    const client = await broker.connect();
    const answer = fetch(client, 'deleted', {}, { maxWaitMs: 60_000 });
    await until(() => waiting('deleted') === 1, 'the fetch waits');
    const other = await broker.connect();
    await other.ask(apis.deleteTopics, 5, { topicNames: ['deleted'], timeoutMs: 5000 });
    expect((await answer).errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });

  it('is forgotten when its client goes', async () => {
    await broker.createTopic('gone');
    const client = await broker.connect();
    client.send(apis.fetch, 11, fetchRequest(11, 'gone', [{}], { maxWaitMs: 60_000 }));
    await until(() => waiting('gone') === 1, 'the fetch waits');
    client.socket.destroy();
    await until(() => waiting('gone') === 0, 'nobody waits any more');
    expect(waiting('gone')).toBe(0);
  });

  it('holds up later requests of its connection, and no others', async () => {
    await broker.createTopic('holding');
    const client = await broker.connect();
    const parked = fetch(client, 'holding', {}, { maxWaitMs: 60_000 });
    await until(() => waiting('holding') === 1, 'the fetch waits');
    let isAnswered = false;
    const behind = client.ask(apis.apiVersions, 0, {}).then(() => {
      isAnswered = true;
    });
    const other = await broker.connect();
    await other.ask(apis.apiVersions, 0, {});
    expect(isAnswered).toBe(false);
    await append('holding', batchOf({ values: ['a'] }));
    await parked;
    await behind;
    expect(isAnswered).toBe(true);
  });
});

it('F47: answers that wait in all sockets are bounded together, and every fetch still gets a batch', async () => {
  await using small = await startTestBroker({ settings: { 'seatlog.send.buffer.total.bytes': '3000000' } });
  await small.createTopic('deaf');
  const client = await small.connect();
  for (let index = 0; index < 20; index += 1) {
    const topicData = [
      { name: 'deaf', partitionData: [{ index: 0, records: batchOf({ values: ['v'.repeat(900_000)] }) }] },
    ];
    await client.ask(apis.produce, 9, { acks: -1, timeoutMs: 5000, topicData });
  }
  const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 50 * MIB }];
  const wanted = { maxWaitMs: 0, minBytes: 1, maxBytes: 50 * MIB, topics: [{ topic: 'deaf', partitions }] };
  // What the kernel takes does not count, so each asks more than once.
  const [deafClients, asks] = [6, 10];
  for (let index = 0; index < deafClients; index += 1) {
    const deaf = await small.connect();
    deaf.socket.pause();
    for (let ask = 0; ask < asks; ask += 1) deaf.send(apis.fetch, 11, wanted);
  }
  await until(() => small.broker.services.unsentBytes() >= 3_000_000, 'the bound is reached');
  const answer = await client.ask(apis.fetch, 11, wanted);
  expect(offsetsIn(answer.responses[0]?.partitions[0]?.records ?? null)).toEqual([0]);
  // All they asked for is 18 MB a time.
  expect(small.broker.services.unsentBytes()).toBeLessThan(3_000_000 + deafClients * asks * MIB);
});

it('F47: an enormous maxBytes is held to fetch.max.bytes', async () => {
  await broker.createTopic('enormous');
  for (let index = 0; index < 5; index += 1)
    await append('enormous', batchOf({ values: ['w'.repeat(900_000)] }));
  const client = await broker.connect();
  const limits = { maxBytes: 0x7fff_ffff };
  const answer = await fetch(client, 'enormous', { partitionMaxBytes: 0x7fff_ffff }, limits);
  expect(offsetsIn(answer.records)).toEqual([0, 1]);
});
