/** Writes by @platformatic/kafka until it is asked to end. */
import { Producer, stringSerializers } from '@platformatic/kafka';
import { writerOrders, writeUntilAsked } from '../writer-script.ts';

const orders = writerOrders();
const { brokers, topic } = orders;
const producer = new Producer({
  clientId: 'platformatic-writer',
  bootstrapBrokers: brokers.split(','),
  serializers: stringSerializers,
  retries: 20,
  retryDelay: 200,
});
await writeUntilAsked(orders, (partition, value) =>
  producer.send({ acks: -1, messages: [{ topic, partition, value }] }),
);
await producer.close();
