/** A member of a group, by kafkajs: handles a record, commits it, says so. */
import { Kafka, logLevel } from 'kafkajs';
import { HEARTBEAT_MS, leaveOnRequest, memberOrders, tell } from '../member-script.ts';

const { brokers, topic, group, sessionTimeoutMs, retries = 100 } = memberOrders();
const kafka = new Kafka({
  clientId: 'kafkajs-member',
  brokers: brokers.split(','),
  logLevel: logLevel.ERROR,
});
const consumer = kafka.consumer({
  groupId: group,
  sessionTimeout: sessionTimeoutMs,
  rebalanceTimeout: Math.max(10_000, sessionTimeoutMs),
  heartbeatInterval: HEARTBEAT_MS,
  maxWaitTimeInMs: 100,
  retry: { retries, initialRetryTime: 100, maxRetryTime: 1000 },
});
consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
  tell({ kind: 'assigned', partitions: payload.memberAssignment[topic] ?? [] });
});
leaveOnRequest(() => consumer.disconnect());
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
await consumer.run({
  autoCommit: false,
  eachMessage: async ({ partition, message }) => {
    tell({ kind: 'read', value: String(message.value) });
    await consumer.commitOffsets([{ topic, partition, offset: String(Number(message.offset) + 1) }]);
    tell({ kind: 'handled', partition, offset: Number(message.offset), value: String(message.value) });
  },
});
