/** A member of a group, by @platformatic/kafka: handles a record, commits it, says so. */
import {
  Consumer,
  MessagesStreamFallbackModes,
  MessagesStreamModes,
  stringDeserializers,
} from '@platformatic/kafka';
import { HEARTBEAT_MS, leaveOnRequest, memberOrders, tell } from '../member-script.ts';

const { brokers, topic, group, sessionTimeoutMs, instanceId } = memberOrders();
const consumer = new Consumer({
  clientId: 'platformatic-member',
  bootstrapBrokers: brokers.split(','),
  groupId: group,
  deserializers: stringDeserializers,
  retries: 100,
  retryDelay: 200,
  ...(instanceId === null ? {} : { groupInstanceId: instanceId }),
});
consumer.on('consumer:group:join', () => {
  const partitions = consumer.assignments?.flatMap((assignment) =>
    assignment.topic === topic ? assignment.partitions : [],
  );
  tell({ kind: 'assigned', partitions: partitions ?? [] });
});
const stream = await consumer.consume({
  topics: [topic],
  autocommit: false,
  mode: MessagesStreamModes.COMMITTED,
  fallbackMode: MessagesStreamFallbackModes.EARLIEST,
  sessionTimeout: sessionTimeoutMs,
  rebalanceTimeout: Math.max(10_000, sessionTimeoutMs),
  heartbeatInterval: HEARTBEAT_MS,
  maxWaitTime: 100,
});
leaveOnRequest(() => consumer.close(true));
for await (const message of stream) {
  tell({ kind: 'read', value: message.value });
  await message.commit();
  tell({
    kind: 'handled',
    partition: message.partition,
    offset: Number(message.offset),
    value: message.value,
  });
}
