/** kafkajs tells the story: its producer, its consumer group, its admin. */
import { CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { keyOf, type StoryOutcome, storyFromArguments, tellOutcome, valueOf } from '../story.ts';

const { brokers, topic, group, partitions, records, compression, idempotent, onlyConsume } =
  storyFromArguments();
const kafka = new Kafka({ clientId: 'kafkajs-story', brokers: brokers.split(','), logLevel: logLevel.ERROR });

const admin = kafka.admin();
await admin.connect();
if (onlyConsume !== true) await write();

async function write(): Promise<void> {
  await admin.createTopics({
    topics: [{ topic, numPartitions: partitions, replicationFactor: 1 }],
    waitForLeaders: true,
  });
  const producer = kafka.producer({ idempotent: idempotent ?? false, maxInFlightRequests: 1 });
  await producer.connect();
  const messages = Array.from({ length: records }, (_, index) => ({
    key: keyOf(index),
    value: valueOf(index),
    headers: { index: String(index) },
  }));
  // gzip is the one codec that comes with kafkajs.
  const codec = compression === 'gzip' ? CompressionTypes.GZIP : CompressionTypes.None;
  for (let start = 0; start < records; start += 100) {
    await producer.send({
      topic,
      acks: -1,
      compression: codec,
      messages: messages.slice(start, start + 100),
    });
  }
  await producer.disconnect();
}

const consumed: string[] = [];
const consumer = kafka.consumer({ groupId: group, sessionTimeout: 10_000 });
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
const allRead = Promise.withResolvers<void>();
await consumer.run({
  autoCommit: false,
  eachMessage: async ({ partition, message }) => {
    consumed.push(`${partition}:${message.offset}:${String(message.key)}=${String(message.value)}`);
    await consumer.commitOffsets([{ topic, partition, offset: String(Number(message.offset) + 1) }]);
    if (consumed.length === records) allRead.resolve();
  },
});
await allRead.promise;
await consumer.disconnect();

const committed: Record<string, number> = {};
for (const { partitions: offsets } of await admin.fetchOffsets({ groupId: group, topics: [topic] })) {
  for (const { partition, offset } of offsets) committed[partition] = Number(offset);
}
const ends: Record<string, number> = {};
for (const { partition, high } of await admin.fetchTopicOffsets(topic)) ends[partition] = Number(high);
await admin.disconnect();
tellOutcome({ consumed: consumed.sort(), committed, ends } satisfies StoryOutcome);
