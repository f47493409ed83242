import { apis, Compression, ErrorCode, type ResponseOf } from '@seatlog/kafka-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchOf, startTestBroker, type TestBroker, until } from '../testing/test-broker.ts';
import type { WireClient } from '../testing/wire-client.ts';

let broker: TestBroker;

beforeAll(async () => {
  broker = await startTestBroker();
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

interface ProduceOptions {
  readonly version?: number;
  readonly acks?: number;
  readonly partition?: number;
  readonly transactionalId?: string;
}

type PartitionAnswer = ResponseOf<typeof apis.produce>['responses'][number]['partitionResponses'][number];

async function produce(
  client: WireClient,
  topic: string,
  records: Uint8Array | null,
  { version = 9, acks = -1, partition = 0 }: ProduceOptions = {},
): Promise<PartitionAnswer> {
  const response = await client.ask(apis.produce, version, {
    acks,
    timeoutMs: 5000,
    topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
  });
  const answer = response.responses[0]?.partitionResponses[0];
  if (answer === undefined) throw new Error('no answer for the partition');
  return answer;
}

const endOf = (topic: string, partition = 0): number | undefined =>
  broker.broker.services.replicas.partition(topic, partition)?.logEndOffset;

describe('Produce', () => {
  it.each([3, 5, 7, 8, 9, 10, 11])(
    'appends a batch and tells its base offset, version %d',
    async (version) => {
      const topic = `versions-${version}`;
      await broker.createTopic(topic);
      const client = await broker.connect();
      const first = await produce(client, topic, batchOf({ values: ['a', 'b'] }), { version });
      const second = await produce(client, topic, batchOf({ values: ['c'] }), { version });
      expect(first).toMatchObject({ errorCode: 0, baseOffset: 0, logAppendTimeMs: -1 });
      expect(second).toMatchObject({ errorCode: 0, baseOffset: 2 });
      expect(endOf(topic)).toBe(3);
    },
  );

  it('R16: answers acks=1 once the log has the batch, and acks=0 never', async () => {
    await broker.createTopic('acks');
    const client = await broker.connect();
    expect(await produce(client, 'acks', batchOf({ values: ['a'] }), { acks: 1 })).toMatchObject({
      baseOffset: 0,
    });
    const topicData = [{ name: 'acks', partitionData: [{ index: 0, records: batchOf({ values: ['b'] }) }] }];
    client.send(apis.produce, 9, { acks: 0, timeoutMs: 1000, topicData });
    // The next answer on the connection is the one to this request: the client checks it by its correlation id.
    expect(await produce(client, 'acks', batchOf({ values: ['c'] }), { acks: 1 })).toMatchObject({
      baseOffset: 2,
    });
  });

  it('R16: closes the connection when acks=0 fails', async () => {
    const client = await broker.connect();
    const topicData = [
      { name: 'nowhere', partitionData: [{ index: 0, records: batchOf({ values: ['b'] }) }] },
    ];
    client.send(apis.produce, 9, { acks: 0, timeoutMs: 1000, topicData });
    await client.closed();
    expect(client.isClosed).toBe(true);
  });

  it('R29: refuses other acks', async () => {
    await broker.createTopic('odd-acks');
    const client = await broker.connect();
    const answer = await produce(client, 'odd-acks', batchOf({ values: ['a'] }), { acks: 2 });
    expect(answer.errorCode).toBe(ErrorCode.INVALID_REQUIRED_ACKS);
    expect(endOf('odd-acks')).toBe(0);
  });

  it('R8: asks for no more in-sync replicas than a topic has', async () => {
    await broker.createTopic('min-isr', { 'min.insync.replicas': '2' });
    const client = await broker.connect();
    const answer = await produce(client, 'min-isr', batchOf({ values: ['a'] }), { acks: -1 });
    expect(answer).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 0 });
    expect(endOf('min-isr')).toBe(1);
  });

  it('answers each partition for itself', async () => {
    await broker.createTopic('several', {}, 2);
    const client = await broker.connect();
    const response = await client.ask(apis.produce, 9, {
      acks: -1,
      timeoutMs: 5000,
      topicData: [
        {
          name: 'several',
          partitionData: [
            { index: 1, records: batchOf({ values: ['a'] }) },
            { index: 7, records: batchOf({ values: ['b'] }) },
            { index: 0, records: batchOf({ values: ['c'] }) },
          ],
        },
        { name: 'unknown', partitionData: [{ index: 0, records: batchOf({ values: ['d'] }) }] },
      ],
    });
    const codes = response.responses.map(({ name, partitionResponses }) => [
      name,
      partitionResponses.map(({ index, errorCode }) => [index, errorCode]),
    ]);
    expect(codes).toEqual([
      [
        'several',
        [
          [1, 0],
          [7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
          [0, 0],
        ],
      ],
      ['unknown', [[0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]]],
    ]);
  });

  it('K1: stores compressed batches as they came', async () => {
    await broker.createTopic('compressed');
    const client = await broker.connect();
    for (const compression of Object.values(Compression)) {
      const batch = batchOf({ values: ['x'.repeat(500), 'y'.repeat(500)], compression });
      expect(await produce(client, 'compressed', batch)).toMatchObject({ errorCode: 0 });
    }
    expect(endOf('compressed')).toBe(Object.values(Compression).length * 2);
  });

  it('refuses zstd below version 7', async () => {
    await broker.createTopic('zstd');
    const client = await broker.connect();
    const batch = batchOf({ values: ['x'.repeat(500)], compression: Compression.zstd });
    const answer = await produce(client, 'zstd', batch, { version: 6 });
    expect(answer.errorCode).toBe(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE);
  });

  it('stamps LogAppendTime where the topic says so', async () => {
    await broker.createTopic('append-time', { 'message.timestamp.type': 'LogAppendTime' });
    const client = await broker.connect();
    const before = Date.now();
    const answer = await produce(client, 'append-time', batchOf({ values: ['a'], timestamp: 5 }));
    expect(answer.errorCode).toBe(0);
    expect(answer.logAppendTimeMs).toBeGreaterThanOrEqual(before);
  });

  it('K15: gives the original offset to a batch that comes again, and refuses a gap in sequences', async () => {
    await broker.createTopic('idempotent');
    const client = await broker.connect();
    const batch = (baseSequence: number): Uint8Array =>
      batchOf({ values: ['a', 'b'], producerId: 7, producerEpoch: 0, baseSequence });
    expect(await produce(client, 'idempotent', batch(0))).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(await produce(client, 'idempotent', batch(2))).toMatchObject({ errorCode: 0, baseOffset: 2 });
    expect(await produce(client, 'idempotent', batch(0))).toMatchObject({ errorCode: 0, baseOffset: 0 });
    const gap = await produce(client, 'idempotent', batch(9));
    expect(gap.errorCode).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(endOf('idempotent')).toBe(4);
  });

  it('appends pipelined requests of a connection in order, and answers in order', async () => {
    await broker.createTopic('pipelined');
    const client = await broker.connect();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        produce(client, 'pipelined', batchOf({ values: [`v${index}`] }), { acks: index % 2 === 0 ? 1 : -1 }),
      ),
    );
    expect(answers.map(({ baseOffset }) => baseOffset)).toEqual(answers.map((_, index) => index));
  });

  it('refuses transactional batches, internal topics and null records', async () => {
    await broker.createTopic('refusals');
    const client = await broker.connect();
    const transactional = batchOf({
      values: ['a'],
      producerId: 1,
      producerEpoch: 0,
      baseSequence: 0,
      isTransactional: true,
    });
    expect((await produce(client, 'refusals', transactional)).errorCode).toBe(ErrorCode.INVALID_TXN_STATE);
    expect((await produce(client, 'refusals', null)).errorCode).toBe(ErrorCode.INVALID_RECORD);
    expect(endOf('refusals')).toBe(0);
    const metadata = await produce(client, '__cluster_metadata', batchOf({ values: ['a'] }));
    expect(metadata.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });
});

/** Bytes of a good batch with one place changed; the checksum is right unless the place is part of it or behind it. */
function damaged(change: (view: DataView) => void): Uint8Array {
  const batch = batchOf({ values: ['a', 'b'] });
  change(new DataView(batch.buffer, batch.byteOffset, batch.length));
  return batch;
}

describe('F43: a batch that is not right', () => {
  const now = Date.now();
  const cases: readonly (readonly [string, () => Uint8Array, number])[] = [
    ['a bad checksum', () => damaged((view) => view.setUint8(70, 0x55)), ErrorCode.CORRUPT_MESSAGE],
    ['an old magic', () => damaged((view) => view.setInt8(16, 1)), ErrorCode.INVALID_RECORD],
    [
      'a length beyond its bytes',
      () => damaged((view) => view.setInt32(8, 100_000)),
      ErrorCode.INVALID_RECORD,
    ],
    ['a negative length', () => damaged((view) => view.setInt32(8, -5)), ErrorCode.CORRUPT_MESSAGE],
    ['a base offset', () => damaged((view) => view.setInt32(4, 9)), ErrorCode.INVALID_RECORD],
    ['control records', () => batchOf({ values: ['a'], isControl: true }), ErrorCode.INVALID_RECORD],
    [
      'a span that is not its count',
      () => batchOf({ values: ['a'], lastOffsetDelta: 4 }),
      ErrorCode.INVALID_RECORD,
    ],
    [
      'a time in the far future',
      () => batchOf({ values: ['a'], timestamp: now + 2 * 3_600_000 }),
      ErrorCode.INVALID_TIMESTAMP,
    ],
    [
      'two batches',
      () => Buffer.concat([batchOf({ values: ['a'] }), batchOf({ values: ['b'] })]),
      ErrorCode.INVALID_RECORD,
    ],
    ['cut-off bytes', () => batchOf({ values: ['a'] }).subarray(0, 40), ErrorCode.INVALID_RECORD],
    ['no bytes', () => new Uint8Array(0), ErrorCode.INVALID_RECORD],
  ];

  it.each(cases)(
    'with %s is refused, nothing is appended, the connection lives',
    async (what, batch, errorCode) => {
      const topic = `damage-${what.replaceAll(' ', '-')}`;
      await broker.createTopic(topic);
      const client = await broker.connect();
      expect((await produce(client, topic, batch())).errorCode).toBe(errorCode);
      expect(endOf(topic)).toBe(0);
      expect(await produce(client, topic, batchOf({ values: ['good'] }))).toMatchObject({
        errorCode: 0,
        baseOffset: 0,
      });
    },
  );

  it('that is larger than the topic takes is MESSAGE_TOO_LARGE, and the topic may change its mind', async () => {
    await broker.createTopic('large', { 'max.message.bytes': '200' });
    const client = await broker.connect();
    const batch = (): Uint8Array => batchOf({ values: ['x'.repeat(300)] });
    expect((await produce(client, 'large', batch())).errorCode).toBe(ErrorCode.MESSAGE_TOO_LARGE);
    await client.ask(apis.incrementalAlterConfigs, 0, {
      resources: [
        {
          resourceType: 2,
          resourceName: 'large',
          configs: [{ name: 'max.message.bytes', configOperation: 0, value: '2000' }],
        },
      ],
      validateOnly: false,
    });
    expect(await produce(client, 'large', batch())).toMatchObject({ errorCode: 0 });
  });

  it('without keys is refused by a compacted topic, compressed or not', async () => {
    await broker.createTopic('compacted', { 'cleanup.policy': 'compact' });
    const client = await broker.connect();
    for (const compression of [Compression.none, Compression.gzip]) {
      const keyless = batchOf({ values: ['a'], key: null, compression });
      expect((await produce(client, 'compacted', keyless)).errorCode).toBe(ErrorCode.INVALID_RECORD);
      expect(await produce(client, 'compacted', batchOf({ values: ['a'], compression }))).toMatchObject({
        errorCode: 0,
      });
    }
  });
});

it('counts what came in', async () => {
  const { metrics } = broker.broker.services;
  await broker.createTopic('counted');
  const client = await broker.connect();
  const before = { ...metrics };
  const batch = batchOf({ values: ['a', 'b', 'c'] });
  await produce(client, 'counted', batch);
  await until(() => metrics.messagesIn === before.messagesIn + 3, 'three records are counted');
  expect(metrics.bytesIn).toBe(before.bytesIn + batch.length);
});
