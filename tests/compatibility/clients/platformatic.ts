/** @platformatic/kafka tells the story: its producer, its consumer stream, its admin. */
import {
  Admin,
  Consumer,
  MessagesStreamFallbackModes,
  MessagesStreamModes,
  Producer,
  stringDeserializers,
  stringSerializers,
} from '@platformatic/kafka';
import { keyOf, type StoryOutcome, storyFromArguments, tellOutcome, valueOf } from '../story.ts';

const { brokers, topic, group, partitions, records, compression, idempotent, onlyConsume } =
  storyFromArguments();
const client = { clientId: 'platformatic-story', bootstrapBrokers: brokers.split(',') };
const LATEST = -1n;

const admin = new Admin(client);
if (onlyConsume !== true) await write();

async function write(): Promise<void> {
  await admin.createTopics({ topics: [topic], partitions, replicas: 1 });
  const producer = new Producer({
    ...client,
    idempotent: idempotent ?? false,
    serializers: stringSerializers,
  });
  const messages = Array.from({ length: records }, (_, index) => ({
    topic,
    key: keyOf(index),
    value: valueOf(index),
    headers: { index: String(index) },
  }));
  for (let start = 0; start < records; start += 100) {
    const batch = messages.slice(start, start + 100);
    await producer.send({ acks: -1, messages: batch, ...(compression === undefined ? {} : { compression }) });
  }
  await producer.close();
}

const consumer = new Consumer({ ...client, groupId: group, deserializers: stringDeserializers });
const stream = await consumer.consume({
  topics: [topic],
  autocommit: false,
  mode: MessagesStreamModes.COMMITTED,
  fallbackMode: MessagesStreamFallbackModes.EARLIEST,
  sessionTimeout: 10_000,
  heartbeatInterval: 500,
  maxWaitTime: 100,
});
const consumed: string[] = [];
for await (const message of stream) {
  consumed.push(`${message.partition}:${message.offset}:${message.key}=${message.value}`);
  await message.commit();
  if (consumed.length === records) break;
}
const places = Array.from({ length: partitions }, (_, partition) => partition);
const committed: Record<string, number> = {};
const offsets = await consumer.listCommittedOffsets({ topics: [{ topic, partitions: places }] });
offsets.get(topic)?.forEach((offset, partition) => {
  committed[partition] = Number(offset);
});
await consumer.close(true);

const ends: Record<string, number> = {};
const [listed] = await admin.listOffsets({
  topics: [
    { name: topic, partitions: places.map((partitionIndex) => ({ partitionIndex, timestamp: LATEST })) },
  ],
});
for (const { partitionIndex, offset } of listed?.partitions ?? []) ends[partitionIndex] = Number(offset);
await admin.close();
tellOutcome({ consumed: consumed.sort(), committed, ends } satisfies StoryOutcome);
