/** kafkajs moves a partition to another broker, waits until nothing is under way, and reads it there. */
import { Kafka, logLevel } from 'kafkajs';
import type { MovedPartition } from '../moved-partition.ts';

const LOOK_AGAIN_MS = 50;

const [brokers = '', topic = '', records = '0'] = process.argv.slice(2);
const kafka = new Kafka({
  clientId: 'kafkajs-moves',
  brokers: brokers.split(','),
  logLevel: logLevel.NOTHING,
});
const admin = kafka.admin();
await admin.connect();
await admin.createTopics({
  topics: [{ topic, replicaAssignment: [{ partition: 0, replicas: [1, 2] }] }],
  waitForLeaders: true,
});
const producer = kafka.producer();
await producer.connect();
const messages = Array.from({ length: Number(records) }, (_, index) => ({ value: `record-${index}` }));
await producer.send({ topic, acks: -1, messages });
await producer.disconnect();

await admin.alterPartitionReassignments({
  topics: [{ topic, partitionAssignment: [{ partition: 0, replicas: [3, 2] }] }],
});
const lookAgain = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
for (;;) {
  const { topics } = await admin.listPartitionReassignments({ topics: [{ topic, partitions: [0] }] });
  if (topics.length === 0) break;
  await lookAgain();
}

/** The controller knows first; the broker that is asked for metadata hears of it a moment later. */
async function placeAfterwards() {
  for (;;) {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const [partition] = topics[0]?.partitions ?? [];
    if (partition !== undefined && !partition.replicas.includes(1)) return partition;
    await lookAgain();
  }
}

const partition = await placeAfterwards();
const values: string[] = [];
const consumer = kafka.consumer({ groupId: `${topic}-readers` });
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
const allRead = Promise.withResolvers<void>();
await consumer.run({
  eachMessage: async ({ message }) => {
    values.push(String(message.value));
    if (values.length === messages.length) allRead.resolve();
  },
});
await allRead.promise;
await consumer.disconnect();
await admin.disconnect();
const moved: MovedPartition = {
  leader: partition.leader,
  replicas: partition.replicas,
  values,
};
process.stdout.write(`${JSON.stringify(moved)}\n`);
