import {
  createClient,
  defineTopic,
  json,
  partitionOfKey,
  string,
  type KafkaClient,
} from '@seatlog/kafka-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freshTopic, TestCluster } from './test-cluster.ts';

let cluster: TestCluster;
let client: KafkaClient;

beforeAll(async () => {
  cluster = await TestCluster.start();
  client = createClient({ brokers: cluster.address, clientId: 'integration' });
});

afterAll(async () => {
  await client?.close();
  await cluster?.[Symbol.asyncDispose]();
});

beforeEach(() => cluster.tellLastWords());

/** Everything in the topic up to its end when asked. */
async function readAll(topic: string): Promise<string[]> {
  const admin = client.admin();
  const [description] = await admin.describeTopics([topic]);
  const partitions = description?.partitions.map(({ partition }) => ({ topic, partition })) ?? [];
  const ends = await admin.listOffsets(partitions, 'latest');
  const left = new Map(ends.map(({ partition, offset }) => [partition, offset ?? 0]));
  const seen: string[] = [];
  await using consumer = client.consumer({});
  consumer.assign(partitions.map((partition) => ({ ...partition, offset: 'earliest' })));
  const isRead = (): boolean => [...left.values()].every((offset) => offset <= 0);
  if (isRead()) return seen;
  for await (const batch of consumer.batches()) {
    for (const { partition, offset, value } of batch.records) {
      seen.push(`${partition}:${offset}:${Buffer.from(value ?? []).toString()}`);
    }
    if (batch.nextOffset >= (left.get(batch.partition) ?? 0)) left.set(batch.partition, 0);
    if (isRead()) break;
  }
  return seen;
}

describe('produce and consume', () => {
  it('K12: the same key goes to the partition that its hash names', async () => {
    const topic = await freshTopic(client, 'keyed', { partitions: 12 });
    const producer = client.producer();
    for (const key of ['A-1-1', 'A-1-2', 'Zürich', '']) {
      const { partition } = await producer.send({ topic, key, value: 'x' });
      expect(partition).toBe(partitionOfKey(Buffer.from(key), 12));
    }
  });

  it.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const)(
    'K14: %s comes back as it was sent, with key, headers and timestamp',
    async (compression) => {
      const topic = await freshTopic(client, `codec-${compression}`);
      const producer = client.producer({ compression });
      const value = Buffer.alloc(3000, 'abc');
      const records = Array.from({ length: 50 }, (_, index) => ({
        key: `k${index}`,
        value,
        headers: { index: String(index), none: null },
        timestamp: 1_700_000_000_000 + index,
      }));
      const { ranges } = await producer.sendBatch(topic, records);
      expect(ranges).toEqual([{ firstIndex: 0, count: 50, partition: 0, firstOffset: 0 }]);
      await using consumer = client.consumer({ topics: [topic] });
      consumer.assign([{ topic, partition: 0, offset: 0 }]);
      for await (const batch of consumer.batches()) {
        expect(batch.records.length).toBe(50);
        batch.records.forEach((record, index) => {
          expect(record).toMatchObject({
            topic,
            partition: 0,
            offset: index,
            timestamp: 1_700_000_000_000 + index,
          });
          expect(Buffer.from(record.key ?? []).toString()).toBe(`k${index}`);
          expect(Buffer.compare(record.value ?? Buffer.alloc(0), value)).toBe(0);
          expect(record.headers).toEqual([
            { key: 'index', value: Buffer.from(String(index)) },
            { key: 'none', value: null },
          ]);
        });
        break;
      }
    },
  );

  it('typed topics carry values both ways, and a poisoned record does not stop its neighbours', async () => {
    const topic = await freshTopic(client, 'typed');
    const Taken = z.object({ seatId: z.string(), price: z.number() });
    const seats = defineTopic({ name: topic, key: string, value: json(Taken) });
    const producer = client.producer();
    await producer.send({ topic: seats, key: 'A-1', value: { seatId: 'A-1', price: 10 } });
    await producer.send({ topic, key: 'A-2', value: '{"seatId":' });
    await producer.send({ topic: seats, key: 'A-3', value: { seatId: 'A-3', price: 30 } });
    await expect(
      producer.send({
        topic: seats,
        key: 'A-4',
        value: { seatId: 'A-4', price: 'much' as unknown as number },
      }),
    ).rejects.toMatchObject({ code: 'ENCODE_FAILED', outcome: 'not-written' });
    const prices: unknown[] = [];
    await using consumer = client.consumer({
      groupId: topic,
      topics: [seats],
      autoOffsetReset: 'earliest',
    });
    for await (const batch of consumer.batches()) {
      for (const record of batch.records) {
        try {
          prices.push(record.value.price);
        } catch (error) {
          prices.push((error as { code: string }).code);
        }
      }
      if (prices.length >= 3) break;
    }
    expect(prices).toEqual([10, 'DECODE_FAILED', 30]);
  });

  it('K16: a thousand records of one send lie in one batch; a batch that the topic refuses is split', async () => {
    const wholeTopic = await freshTopic(client, 'whole');
    const narrowTopic = await freshTopic(client, 'narrow', { configs: { 'max.message.bytes': '20000' } });
    const value = Buffer.alloc(1000, 'v');
    const records = Array.from({ length: 1000 }, () => ({ value }));
    const producer = client.producer();
    const whole = await producer.sendBatch(wholeTopic, records);
    expect(whole.ranges).toEqual([{ firstIndex: 0, count: 1000, partition: 0, firstOffset: 0 }]);
    const numbered = Array.from({ length: 100 }, (_, index) => ({ value: `${index}-`.padEnd(1000, 'x') }));
    const narrow = await producer.sendBatch(narrowTopic, numbered);
    expect(narrow.ranges.reduce((sum, { count }) => sum + count, 0)).toBe(100);
    expect(narrow.ranges.length).toBeGreaterThan(1);
    const seen = (await readAll(narrowTopic)).map((line) => line.split(':')[2]?.split('-')[0]);
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
    await expect(producer.send({ topic: narrowTopic, value: Buffer.alloc(30_000) })).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
      outcome: 'not-written',
    });
    expect(await producer.send({ topic: narrowTopic, value: 'after' })).toMatchObject({ offset: 100 });
  });

  it('records sent at once keep their order within each partition', async () => {
    const topic = await freshTopic(client, 'ordered', { partitions: 4 });
    const producer = client.producer();
    const sends = Array.from({ length: 2000 }, (_, index) =>
      producer.send({ topic, partition: index % 4, value: String(index).padStart(5, '0') }),
    );
    await Promise.all(sends);
    const seen = await readAll(topic);
    expect(seen.length).toBe(2000);
    for (const partition of ['0', '1', '2', '3']) {
      const values = seen
        .filter((line) => line.startsWith(`${partition}:`))
        .map((line) => line.split(':')[2]);
      expect(values).toEqual(values.toSorted((a, b) => Number(a) - Number(b)));
    }
  });

  it('seek goes back, pause holds, resume goes on', async () => {
    const topic = await freshTopic(client, 'moves');
    const producer = client.producer();
    await producer.sendBatch(
      topic,
      Array.from({ length: 30 }, (_, index) => ({ value: String(index), partition: 0 })),
    );
    await using consumer = client.consumer({ maxPollRecords: 10 });
    consumer.assign([{ topic, partition: 0, offset: 5 }]);
    const firsts: number[] = [];
    for await (const batch of consumer.batches()) {
      firsts.push(batch.firstOffset);
      if (firsts.length === 2) consumer.seek({ topic, partition: 0, offset: 1 });
      if (firsts.length === 3) {
        consumer.pause([{ topic, partition: 0 }]);
        setTimeout(() => consumer.resume([{ topic, partition: 0 }]), 50);
      }
      if (firsts.length === 4) break;
    }
    expect(firsts).toEqual([5, 15, 1, 11]);
  });

  it('an offset that the log does not hold is reset by autoOffsetReset, or an error', async () => {
    const topic = await freshTopic(client, 'ranged');
    const producer = client.producer();
    await producer.sendBatch(topic, [
      { value: 'a', partition: 0 },
      { value: 'b', partition: 0 },
    ]);
    await using reset = client.consumer({ autoOffsetReset: 'earliest' });
    reset.assign([{ topic, partition: 0, offset: 99 }]);
    for await (const batch of reset.batches()) {
      expect(batch.firstOffset).toBe(0);
      break;
    }
    await using strict = client.consumer({ autoOffsetReset: 'none' });
    strict.assign([{ topic, partition: 0, offset: 99 }]);
    await expect(strict.batches().next()).rejects.toMatchObject({ code: 'OFFSET_OUT_OF_RANGE' });
    expect(strict.health()).toMatchObject({ state: 'failed', healthy: false });
  });
});
