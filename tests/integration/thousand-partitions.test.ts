/** Many partitions in one broker: made, written, read by a group, and all there after a restart. */
import { createClient, type KafkaClient, type TopicPartition } from '@seatlog/kafka-client';
import { describe, expect, it } from 'vitest';
import { skippedOnGivenBrokers, TestCluster, until } from './test-cluster.ts';

const TOPICS = 10;
const PARTITIONS_EACH = 100;
const RECORDS_EACH = 3;
const CONSUMED_WITHIN_MS = 120_000;
const GROUP = 'thousand';

const topics = Array.from({ length: TOPICS }, (_, index) => `thousand-${index}`);
const all: readonly TopicPartition[] = topics.flatMap((topic) =>
  Array.from({ length: PARTITIONS_EACH }, (_, partition) => ({ topic, partition })),
);

/** The records of a partition: their keys name it, so that one in a wrong place is seen. */
function keysOf({ topic, partition }: TopicPartition): string[] {
  return Array.from({ length: RECORDS_EACH }, (_, index) => `${topic}/${partition}/${index}`);
}

/** One of the group: what it was given, and what it has handled and committed. */
class Reader {
  readonly handled: string[] = [];
  readonly consumer;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(client: KafkaClient) {
    this.consumer = client.consumer({ groupId: GROUP, topics, autoOffsetReset: 'earliest' });
    this.#ended = this.#read();
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.#ended;
  }

  describe(): string {
    const { state, lastError } = this.consumer.health();
    return `${state}, ${this.consumer.assignment.length} partitions, ${this.handled.length} handled, ${lastError?.message ?? ''}`;
  }

  async #read(): Promise<void> {
    for await (const batch of this.consumer.batches({ signal: this.#stop.signal })) {
      const place = `${batch.topic}/${batch.partition}/`;
      for (const { key } of batch.records) {
        const text = Buffer.from(key ?? []).toString();
        if (!text.startsWith(place)) throw new Error(`the record ${text} came from ${place}`);
        this.handled.push(text);
      }
      await batch.commit();
    }
  }
}

async function writeToEach(client: KafkaClient): Promise<void> {
  const producer = client.producer();
  const written = all.map(async (place) => {
    const records = keysOf(place).map((key) => ({ key, value: 'taken', partition: place.partition }));
    const { ranges } = await producer.sendBatch(place.topic, records);
    return ranges;
  });
  for (const ranges of await Promise.all(written)) {
    expect(ranges).toMatchObject([{ firstIndex: 0, count: RECORDS_EACH, firstOffset: 0 }]);
  }
}

/** Begins once both have their half, so that neither reads what is then given to the other. */
async function readInTwo(client: KafkaClient, write: () => Promise<void>): Promise<readonly string[]> {
  const readers = [new Reader(client), new Reader(client)];
  const describeBoth = (): string => readers.map((reader) => reader.describe()).join('\n');
  const handled = (): string[] => readers.flatMap((reader) => reader.handled);
  try {
    const half = all.length / readers.length;
    const isShared = (): boolean => readers.every(({ consumer }) => consumer.assignment.length === half);
    await until('each has half of the partitions', isShared, CONSUMED_WITHIN_MS, describeBoth);
    await write();
    const count = all.length * RECORDS_EACH;
    await until('all is read', () => handled().length >= count, CONSUMED_WITHIN_MS, describeBoth);
    return handled();
  } finally {
    await Promise.all(readers.map((reader) => reader.stop()));
  }
}

/** `topic/partition offset` of each, in order of the partitions. */
function lines(offsets: readonly (TopicPartition & { readonly offset: number | null })[]): string[] {
  return offsets.map(({ topic, partition, offset }) => `${topic}/${partition} ${offset}`).toSorted();
}

const isSkipped = skippedOnGivenBrokers('1,000 partitions in one node', 'it restarts its broker');

describe.skipIf(isSkipped)('1,000 partitions in one node', () => {
  it('K11, K13: each is written, read by a group of two, and has its records and its commit after a restart', async () => {
    await using cluster = await TestCluster.start({ 'auto.create.topics.enable': 'false' });
    await using client = createClient({ brokers: cluster.address, clientId: 'thousand' });
    await client.admin().createTopics(topics.map((name) => ({ name, partitions: PARTITIONS_EACH })));

    const handled = await readInTwo(client, () => writeToEach(client));
    expect(handled.toSorted()).toEqual(all.flatMap(keysOf).toSorted());

    await cluster.stop();
    await cluster.startAgain();
    await using after = createClient({ brokers: cluster.address, clientId: 'thousand-after' });
    const admin = after.admin();
    const described = await admin.describeTopics(topics);
    expect(described.map(({ partitions }) => partitions.length)).toEqual(topics.map(() => PARTITIONS_EACH));
    const offsetsOfAll = (offset: number): string[] => lines(all.map((place) => ({ ...place, offset })));
    expect(lines(await admin.listOffsets(all, 'earliest'))).toEqual(offsetsOfAll(0));
    expect(lines(await admin.listOffsets(all, 'latest'))).toEqual(offsetsOfAll(RECORDS_EACH));
    expect(lines(await admin.fetchOffsets(GROUP))).toEqual(offsetsOfAll(RECORDS_EACH));
  });
});
