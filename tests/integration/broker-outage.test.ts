import { createClient, type KafkaClientError } from '@seatlog/kafka-client';
import { describe, expect, it } from 'vitest';
import { CuttingConnector } from './cutting-connector.ts';
import { freshTopic, skippedOnGivenBrokers, TestCluster, until } from './test-cluster.ts';

const PARTITIONS = 3;
const CAUGHT_UP_WITHIN_MS = 120_000;

interface Acked {
  readonly value: string;
  readonly partition: number;
  readonly offset: number;
}

const isSkipped = skippedOnGivenBrokers('a broker that goes away', 'it stops and kills its broker');

describe.skipIf(isSkipped)('a broker that goes away', () => {
  it('K15: stops and crashes under a producer and a group; what was acked is there once, in order, and is consumed', async () => {
    await using cluster = await TestCluster.start();
    await using client = createClient({ brokers: cluster.address, requestTimeoutMs: 5000 });
    await client.admin().createTopics([{ name: 't', partitions: PARTITIONS }]);
    const producer = client.producer();
    const acked: Acked[] = [];
    const failed: KafkaClientError[] = [];
    const sending = { on: true };
    const send = async (partition: number): Promise<void> => {
      for (let index = 0; sending.on; index++) {
        const value = `${partition}-${String(index).padStart(6, '0')}`;
        try {
          const { offset } = await producer.send({ topic: 't', partition, value });
          acked.push({ value, partition, offset });
        } catch (error) {
          failed.push(error as KafkaClientError);
        }
      }
    };
    const senders = Array.from({ length: PARTITIONS * 4 }, (_, index) => send(index % PARTITIONS));
    const seen = new Map<string, number>();
    const consumer = client.consumer({
      groupId: 'g',
      topics: ['t'],
      autoOffsetReset: 'earliest',
      sessionTimeoutMs: 10_000,
      heartbeatIntervalMs: 500,
    });
    const stop = new AbortController();
    const consuming = (async () => {
      for await (const batch of consumer.batches({ signal: stop.signal })) {
        for (const record of batch.records)
          seen.set(
            `${record.partition}:${record.offset}`,
            (seen.get(`${record.partition}:${record.offset}`) ?? 0) + 1,
          );
        await batch.commit().catch(() => undefined);
      }
    })();
    const more = (count: number): Promise<void> => {
      const enough = acked.length + count;
      return until(
        'more is acked',
        () => acked.length >= enough,
        CAUGHT_UP_WITHIN_MS,
        () => `${acked.length} acked, ${failed.length} failed`,
      );
    };

    await more(300);
    await cluster.stop();
    await cluster.startAgain();
    await more(300);
    await cluster.kill();
    await cluster.startAgain();
    await more(300);
    sending.on = false;
    await Promise.all(senders);

    expect(failed.map(({ message }) => message)).toEqual([]);
    const ends = await client.admin().listOffsets(
      Array.from({ length: PARTITIONS }, (_, partition) => ({ topic: 't', partition })),
      'latest',
    );
    const total = ends.reduce((sum, { offset }) => sum + (offset ?? 0), 0);
    expect(total).toBe(acked.length);
    expect(new Set(acked.map(({ partition, offset }) => `${partition}:${offset}`)).size).toBe(acked.length);
    await until(
      'all is consumed',
      () => seen.size >= total,
      CAUGHT_UP_WITHIN_MS,
      () => `${seen.size} of ${total}, ${JSON.stringify(consumer.health())}`,
    );
    stop.abort();
    await consuming;
    for (const { partition, offset } of acked) expect(seen.has(`${partition}:${offset}`)).toBe(true);
  });

  it('F63: with no broker at all a send fails within its time as not written', async () => {
    const cluster = await TestCluster.start();
    await using client = createClient({ brokers: cluster.address, requestTimeoutMs: 300 });
    const producer = client.producer({ maxBlockMs: 500, deliveryTimeoutMs: 500 });
    // The first of all, which connects and learns of its topic, may take longer than a send of this producer may.
    await expect.poll(() => producer.send({ topic: 'gone', value: 'here' }).catch(() => null)).not.toBeNull();
    await cluster[Symbol.asyncDispose]();
    const known = await producer.send({ topic: 'gone', value: 'never' }).catch((error: unknown) => error);
    expect(known).toMatchObject({ code: 'DELIVERY_TIMEOUT', outcome: 'not-written', retriable: true });
    const unknown = await producer
      .send({ topic: 'unheard-of', value: 'never' })
      .catch((error: unknown) => error);
    expect(unknown).toMatchObject({ code: 'METADATA_TIMEOUT', outcome: 'not-written', retriable: true });
  });
});

describe('a broker that cannot be heard', () => {
  it('F29: answers are lost on the way; each record is written once, and its sender learns the offset where it lies', async () => {
    await using cluster = await TestCluster.start();
    const connector = new CuttingConnector();
    await using direct = createClient({ brokers: cluster.address });
    const topic = await freshTopic(direct, 'cut');
    await using client = createClient({
      brokers: cluster.address,
      requestTimeoutMs: 2000,
      ports: { connector },
    });
    const producer = client.producer();
    await producer.send({ topic, value: '000000' });
    let answers = 0;
    connector.cutAnswer = () => {
      answers += 1;
      return answers % 7 === 0;
    };
    const sends = [];
    for (let burst = 0; burst < 20; burst++) {
      for (let index = 0; index < 10; index++) {
        const value = String(burst * 10 + index + 1).padStart(6, '0');
        sends.push(producer.send({ topic, value }).then(({ offset }) => ({ value, offset })));
      }
      // Two bursts are under way at most, so that there are answers enough to lose some.
      await sends.at(-20);
    }
    const told = await Promise.all(sends);
    connector.cutAnswer = () => false;
    expect(connector.cuts).toBeGreaterThan(0);
    const values: string[] = [];
    await using consumer = direct.consumer({});
    consumer.assign([{ topic, partition: 0, offset: 0 }]);
    for await (const batch of consumer.batches()) {
      for (const { value } of batch.records) values.push(Buffer.from(value ?? []).toString());
      if (values.length >= 201 || batch.nextOffset === batch.highWatermark) break;
    }
    expect(values).toEqual(Array.from({ length: 201 }, (_, index) => String(index).padStart(6, '0')));
    for (const { value, offset } of told) expect(offset).toBe(Number(value));
  });
});
