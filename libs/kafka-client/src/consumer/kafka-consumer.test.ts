import { apis, ErrorCode, type RequestOf } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { scene, type Scene } from '../testing/scene.ts';
import type { ConsumedRound, Consumer, ConsumerOptions } from './types.ts';

async function write(
  { world, client }: Scene,
  topic: string,
  partition: number,
  values: readonly string[],
): Promise<void> {
  const producer = client.producer();
  await world.until(
    producer.sendBatch(
      topic,
      values.map((value) => ({ partition, value })),
    ),
  );
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => String(from + index));

/** A loop that collects, and can be asked to stop. */
class Collector {
  readonly values: string[] = [];
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();

  constructor(consumer: Consumer, onBatch: () => void | Promise<void> = () => undefined) {
    this.ended = this.#collect(consumer, onBatch);
    this.ended.catch(() => undefined);
  }

  stop(): Promise<void> {
    this.#abort.abort();
    return this.ended;
  }

  async #collect(consumer: Consumer, onBatch: () => void | Promise<void>): Promise<void> {
    for await (const batch of consumer.batches({ signal: this.#abort.signal })) {
      for (const { value } of batch.records) this.values.push(Buffer.from(value ?? []).toString());
      await onBatch();
    }
  }
}

function assigned(
  { client }: Scene,
  partitions: readonly number[],
  options: ConsumerOptions = {},
  offset: number | 'earliest' | 'latest' = 0,
): Consumer {
  const consumer = client.consumer(options);
  consumer.assign(partitions.map((partition) => ({ topic: 't', partition, offset })));
  return consumer;
}

describe('assigned consumer', () => {
  it('reads what is there and what comes, each record once and in order', async () => {
    const here = scene();
    here.cluster.createTopic('t', 1);
    await write(here, 't', 0, numbered(0, 50));
    const consumer = assigned(here, [0], { maxPollRecords: 7 });
    const collector = new Collector(consumer);
    await here.world.untilTrue(() => collector.values.length === 50);
    await write(here, 't', 0, numbered(50, 60));
    await here.world.untilTrue(() => collector.values.length === 60);
    expect(collector.values).toEqual(numbered(0, 60));
    expect(consumer.lag()).toEqual([{ topic: 't', partition: 0, position: 60, highWatermark: 60, lag: 0 }]);
    await here.world.until(collector.stop());
    expect(consumer.health().state).toBe('closed');
  });

  it('gives in a round what all partitions have ready, in the order of each, and no more records than asked for', async () => {
    const here = scene();
    here.cluster.createTopic('t', 4);
    for (const partition of [0, 1, 2, 3]) await write(here, 't', partition, numbered(0, 10));
    const consumer = assigned(here, [0, 1, 2, 3], { maxPollRecords: 25 });
    const rounds = consumer.rounds();
    const next = new Map<number, number>();
    const sizes: number[] = [];
    let seen = 0;
    while (seen < 40) {
      const { value } = await here.world.until(rounds.next());
      const { batches } = value as ConsumedRound;
      for (const { partition, firstOffset, nextOffset } of batches) {
        expect(firstOffset).toBe(next.get(partition) ?? 0);
        next.set(partition, nextOffset);
      }
      expect(new Set(batches.map(({ partition }) => partition)).size).toBe(batches.length);
      sizes.push(batches.reduce((sum, { records }) => sum + records.length, 0));
      seen += sizes.at(-1) ?? 0;
      // While it is worked on, all the others are fetched.
      await here.world.pass(1000);
    }
    expect(seen).toBe(40);
    expect(Math.max(...sizes)).toBe(25);
    expect([...next.values()]).toEqual([10, 10, 10, 10]);
    await here.world.until(Promise.resolve(rounds.return?.()).then(() => undefined));
  });

  it('begins at an end of the log if told to', async () => {
    const here = scene();
    here.cluster.createTopic('t', 1);
    await write(here, 't', 0, numbered(0, 5));
    here.cluster.partition('t', 0).logStartOffset = 3;
    const early = new Collector(assigned(here, [0], {}, 'earliest'));
    const late = new Collector(assigned(here, [0], {}, 'latest'));
    await here.world.untilTrue(() => early.values.length > 0);
    await here.world.pass(1000);
    await write(here, 't', 0, ['later']);
    await here.world.untilTrue(() => late.values.length > 0);
    // The broker gives the whole batch in which the offset lies; what lies before it is not shown.
    expect(early.values.slice(0, 2)).toEqual(['3', '4']);
    expect(late.values).toEqual(['later']);
    await here.world.until(Promise.all([early.stop(), late.stop()]));
  });

  it('follows a leader that moves, and passes the epoch that it knows', async () => {
    const here = scene({ brokerCount: 3 });
    here.cluster.createTopic('t', 1);
    await write(here, 't', 0, numbered(0, 5));
    const collector = new Collector(assigned(here, [0]));
    await here.world.untilTrue(() => collector.values.length === 5);
    here.cluster.partition('t', 0).moveTo(2);
    await write(here, 't', 0, numbered(5, 8));
    await here.world.untilTrue(() => collector.values.length === 8);
    expect(collector.values).toEqual(numbered(0, 8));
    const last = here.cluster.requests.findLast(({ api }) => api.key === apis.fetch.key);
    const topics = (last?.body as RequestOf<typeof apis.fetch> | undefined)?.topics ?? [];
    expect(topics[0]?.partitions[0]?.currentLeaderEpoch).toBe(1);
    expect(here.cluster.countOf('OffsetForLeaderEpoch')).toBe(1);
    await here.world.until(collector.stop());
  });

  it('goes back to where the logs part when the new leader has another one (KIP-320)', async () => {
    const here = scene({ brokerCount: 2 });
    const { partitions } = here.cluster.createTopic('t', 1);
    const partition = partitions[0]!;
    await write(here, 't', 0, numbered(0, 4));
    await write(here, 't', 0, ['lost']);
    const collector = new Collector(assigned(here, [0], { autoOffsetReset: 'earliest' }));
    await here.world.untilTrue(() => collector.values.length === 5);
    partition.batches.pop();
    partition.moveTo(2);
    await write(here, 't', 0, ['other', 'more']);
    await here.world.untilTrue(() => collector.values.length === 7);
    expect(collector.values).toEqual([...numbered(0, 4), 'lost', 'other', 'more']);
    await here.world.until(collector.stop());
    const strict = assigned(here, [0], { autoOffsetReset: 'none' });
    const failing = new Collector(strict);
    await here.world.untilTrue(() => failing.values.length === 6);
    partition.batches.pop();
    partition.moveTo(1);
    await expect(here.world.until(failing.ended)).rejects.toMatchObject({ code: 'LOG_TRUNCATED' });
    expect(strict.health()).toMatchObject({ state: 'failed', lastError: { code: 'LOG_TRUNCATED' } });
  });

  it('survives lost connections, brokers that are away, and answers that never come', async () => {
    const here = scene({ brokerCount: 3, requestTimeoutMs: 500 });
    here.cluster.createTopic('t', 3);
    for (let partition = 0; partition < 3; partition++) await write(here, 't', partition, numbered(0, 30));
    const collector = new Collector(
      assigned(here, [0, 1, 2], { maxPartitionFetchBytes: 300, maxPollRecords: 5 }),
    );
    let requests = 0;
    here.cluster.fate = ({ api }) => {
      requests += 1;
      if (api.key !== apis.fetch.key || requests % 3 !== 0) return 'serve';
      return requests % 2 === 0 ? 'close after' : 'swallow';
    };
    here.cluster.stop(2);
    await here.world.pass(3000);
    here.cluster.start(2);
    await here.world.untilTrue(() => collector.values.length === 90);
    expect(collector.values.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      numbered(0, 30).flatMap((value) => [value, value, value]),
    );
    await here.world.until(collector.stop());
  });

  it('a damaged batch is fetched again; one that stays damaged fails the consumer and names the place', async () => {
    const here = scene();
    const { partitions } = here.cluster.createTopic('t', 1);
    await write(here, 't', 0, ['a']);
    await write(here, 't', 0, ['b']);
    const bytes = partitions[0]!.batches[1]!.bytes;
    bytes[bytes.length - 1]! ^= 1;
    const collector = new Collector(assigned(here, [0]));
    await expect(here.world.until(collector.ended)).rejects.toMatchObject({
      code: 'CORRUPT_MESSAGE',
      message: expect.stringContaining('t-0 at 1'),
    });
    expect(collector.values).toEqual(['a']);
    bytes[bytes.length - 1]! ^= 1;
    let garbled = 1;
    here.cluster.fate = ({ api }) => {
      if (api.key !== apis.fetch.key || garbled-- <= 0) return 'serve';
      bytes[bytes.length - 1]! ^= 1;
      here.world.schedule(3, () => void (bytes[bytes.length - 1]! ^= 1));
      return 'serve';
    };
    const again = new Collector(assigned(here, [0]));
    await here.world.untilTrue(() => again.values.length === 2);
    await here.world.until(again.stop());
  });

  it('asks for more when a batch does not fit, up to fetchMaxBytes', async () => {
    const here = scene();
    here.cluster.createTopic('t', 1);
    await write(here, 't', 0, ['x'.repeat(5000), 'y']);
    // As brokers did before they gave at least one batch whatever its size.
    here.cluster.fate = ({ api, body }) =>
      api.key === apis.fetch.key
        ? {
            garble: (response) => {
              const { responses } = response as { responses: { partitions: { records: Uint8Array }[] }[] };
              const limit =
                (body as RequestOf<typeof apis.fetch>).topics[0]?.partitions[0]?.partitionMaxBytes ?? 0;
              for (const { partitions } of responses) {
                for (const partition of partitions) partition.records = partition.records.subarray(0, limit);
              }
              return response;
            },
          }
        : 'serve';
    const collector = new Collector(assigned(here, [0], { maxPartitionFetchBytes: 200 }));
    await here.world.untilTrue(() => collector.values.length === 2);
    await here.world.until(collector.stop());
    const small = new Collector(assigned(here, [0], { maxPartitionFetchBytes: 200, fetchMaxBytes: 1000 }));
    await expect(here.world.until(small.ended)).rejects.toMatchObject({ code: 'RECORD_TOO_LARGE' });
  });

  it('fetches ahead of a slow loop, but no further than its buffer', async () => {
    const here = scene();
    here.cluster.createTopic('t', 1);
    for (let index = 0; index < 40; index++) await write(here, 't', 0, [String(index).padEnd(1000, '.')]);
    const consumer = assigned(here, [0], { maxPollRecords: 1, maxPartitionFetchBytes: 3000 });
    const collector = new Collector(
      consumer,
      () => new Promise((resolve) => void here.world.schedule(100, resolve)),
    );
    await here.world.pass(950);
    const fetched = here.cluster.countOf('Fetch');
    expect(collector.values.length).toBe(10);
    expect(fetched).toBeLessThanOrEqual(7);
    await here.world.untilTrue(() => collector.values.length === 40);
    await here.world.until(collector.stop());
  });

  it('a partition with news does not wait for one without', async () => {
    const here = scene();
    here.cluster.createTopic('t', 2);
    const collector = new Collector(
      assigned(here, [0, 1], { fetchMaxWaitMs: 10_000, maxPartitionFetchBytes: 100, maxPollRecords: 1 }),
      () => new Promise((resolve) => void here.world.schedule(20, resolve)),
    );
    await here.world.pass(100);
    for (let index = 0; index < 20; index++) await write(here, 't', 0, [String(index).padEnd(120, '.')]);
    const begin = here.world.monotonic();
    await here.world.untilTrue(() => collector.values.length === 20);
    expect(here.world.monotonic() - begin).toBeLessThan(2000);
    await here.world.until(collector.stop());
  });

  it('pause holds a partition, seek moves it, and neither gives what was fetched before', async () => {
    const here = scene();
    here.cluster.createTopic('t', 2);
    await write(here, 't', 0, numbered(0, 6));
    await write(here, 't', 1, ['one']);
    const consumer = assigned(here, [0, 1], { maxPollRecords: 2 });
    consumer.pause([{ topic: 't', partition: 0 }]);
    const collector = new Collector(consumer);
    await here.world.pass(2000);
    expect(collector.values).toEqual(['one']);
    consumer.seek({ topic: 't', partition: 0, offset: 3 });
    consumer.resume([{ topic: 't', partition: 0 }]);
    await here.world.untilTrue(() => collector.values.length === 4);
    expect(collector.values).toEqual(['one', '3', '4', '5']);
    expect(() => consumer.seek({ topic: 't', partition: 9, offset: 0 })).toThrow(
      expect.objectContaining({ code: 'NOT_ASSIGNED' }),
    );
    await here.world.until(collector.stop());
  });

  it('a seek does not wait for the fetch that is under way', async () => {
    const here = scene();
    here.cluster.createTopic('t', 1);
    await write(here, 't', 0, numbered(0, 3));
    const consumer = assigned(here, [0], { fetchMaxWaitMs: 10_000 });
    const collector = new Collector(consumer);
    await here.world.untilTrue(() => collector.values.length === 3);
    await here.world.pass(100);
    consumer.seek({ topic: 't', partition: 0, offset: 1 });
    await here.world.pass(100);
    expect(collector.values).toEqual(['0', '1', '2', '1', '2']);
    await here.world.until(collector.stop());
  });

  it('refuses what makes no sense', async () => {
    const here = scene();
    here.cluster.createTopic('t', 1);
    const consumer = assigned(here, [0]);
    const collector = new Collector(consumer);
    expect(() => consumer.batches()).toThrow('another loop');
    await expect(consumer.commit([{ topic: 't', partition: 0, offset: 1 }])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await here.world.until(collector.stop());
    expect(() => consumer.batches()).toThrow(expect.objectContaining({ code: 'CLIENT_CLOSED' }));
    expect(() => here.client.consumer({ maxPollRecords: 0 })).toThrow('maxPollRecords');
    expect(() => here.client.consumer({ heartbeatIntervalMs: 40_000 })).toThrow('heartbeatIntervalMs');
    expect(() => here.client.consumer({ assignors: ['made-up' as 'range'] })).toThrow('assignors');
  });

  it('an error that is for good reaches the loop', async () => {
    const here = scene();
    here.cluster.createTopic('t', 1);
    await write(here, 't', 0, ['a']);
    here.cluster.fate = ({ api }) =>
      api.key === apis.fetch.key
        ? { answer: refusalOf(here, ErrorCode.TOPIC_AUTHORIZATION_FAILED) }
        : 'serve';
    const collector = new Collector(assigned(here, [0]));
    await expect(here.world.until(collector.ended)).rejects.toMatchObject({
      code: 'TOPIC_AUTHORIZATION_FAILED',
    });
  });
});

function refusalOf({ cluster }: Scene, errorCode: number) {
  const topicId = cluster.topics.get('t')?.topicId ?? '';
  const partition = {
    partitionIndex: 0,
    errorCode,
    highWatermark: -1,
    abortedTransactions: null,
    records: new Uint8Array(),
  };
  return { responses: [{ topicId, partitions: [partition] }] };
}
