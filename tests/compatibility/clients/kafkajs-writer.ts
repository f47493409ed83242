/** Writes by kafkajs until it is asked to end. */
import { Kafka, logLevel } from 'kafkajs';
import { writerOrders, writeUntilAsked } from '../writer-script.ts';

const orders = writerOrders();
const { brokers, topic } = orders;
const kafka = new Kafka({
  clientId: 'kafkajs-writer',
  brokers: brokers.split(','),
  logLevel: logLevel.NOTHING,
  retry: { retries: 20, initialRetryTime: 100, maxRetryTime: 1000 },
});
const producer = kafka.producer();
await producer.connect();
await writeUntilAsked(orders, (partition, value) =>
  producer.send({ topic, acks: -1, messages: [{ partition, value }] }),
);
await producer.disconnect();
