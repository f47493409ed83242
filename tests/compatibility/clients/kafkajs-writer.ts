/** kafkajs writes: idempotent, acks of all, and patient enough for an election. */
import { Kafka, logLevel } from 'kafkajs';
import { writeUntilTold, writerOrders } from '../writer-script.ts';

const { brokers, topic } = writerOrders();
const kafka = new Kafka({
  clientId: 'kafkajs-writer',
  brokers: brokers.split(','),
  logLevel: logLevel.NOTHING,
  connectionTimeout: 2_000,
  retry: { retries: 100, initialRetryTime: 100, maxRetryTime: 500 },
});
const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
await producer.connect();
await writeUntilTold(async (value) => {
  const messages = [{ key: `key-${value % 12}`, value: String(value) }];
  const [written] = await producer.send({ topic, acks: -1, messages });
  return { partition: written?.partition ?? -1, offset: Number(written?.baseOffset ?? -1) };
});
await producer.disconnect();
process.exit(0);
