/** @platformatic/kafka writes: idempotent, acks of all, and patient enough for an election. */
import { Producer, stringSerializers } from '@platformatic/kafka';
import { writeUntilTold, writerOrders } from '../writer-script.ts';

const { brokers, topic } = writerOrders();
const producer = new Producer({
  clientId: 'platformatic-writer',
  bootstrapBrokers: brokers.split(','),
  idempotent: true,
  serializers: stringSerializers,
  retries: 100,
  retryDelay: 200,
  connectTimeout: 2_000,
});
await writeUntilTold(async (value) => {
  const messages = [{ topic, key: `key-${value % 12}`, value: String(value) }];
  const { offsets } = await producer.send({ acks: -1, messages });
  const [written] = offsets ?? [];
  return { partition: written?.partition ?? -1, offset: Number(written?.offset ?? -1) };
});
await producer.close();
process.exit(0);
