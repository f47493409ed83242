/** Makes a topic and writes values to all its partitions in turn: `{ brokers, topic, partitions, values, replicationFactor }`. */
import { Kafka, logLevel } from 'kafkajs';

const orders = JSON.parse(process.argv[2] ?? '') as {
  readonly brokers: string;
  readonly topic: string;
  readonly partitions: number;
  readonly values: readonly string[];
  readonly replicationFactor: number;
};
const { topic, partitions, values, replicationFactor } = orders;
const kafka = new Kafka({
  clientId: 'kafkajs-writer',
  brokers: orders.brokers.split(','),
  logLevel: logLevel.ERROR,
});
const admin = kafka.admin();
await admin.connect();
await admin.createTopics({
  topics: [{ topic, numPartitions: partitions, replicationFactor }],
  waitForLeaders: true,
});
await admin.disconnect();
const producer = kafka.producer();
await producer.connect();
if (values.length > 0) {
  const messages = values.map((value, index) => ({ value, partition: index % partitions }));
  await producer.send({ topic, acks: -1, messages });
}
await producer.disconnect();
