/** The topics of ticketing as a cluster has to have them; nothing relies on their being created by use. */
import { refundEvents, reservationDeadLetters, reservationEvents } from '@seatlog/booking';
import { createClient, type TopicToCreate } from '@seatlog/kafka-client';

/** Of the topics that are worked on: the most workers of one group that can share the work. */
export const PARTITIONS = 6;
const TOPIC_DEADLINE_MS = 30_000;

/** With three replicas, losing one neither stops the sale nor loses a record that was acknowledged. */
export function ticketingTopics(
  replicationFactor: number,
  partitions = PARTITIONS,
): readonly TopicToCreate[] {
  const configs = { 'min.insync.replicas': String(Math.max(1, replicationFactor - 1)) };
  return [
    { name: reservationEvents.name, partitions, replicationFactor, configs },
    { name: refundEvents.name, partitions, replicationFactor, configs },
    { name: reservationDeadLetters.name, partitions: 1, replicationFactor, configs },
  ];
}

/** Topics that exist are left as they are. */
export async function createTicketingTopics(
  brokers: string,
  replicationFactor: number,
  partitions = PARTITIONS,
): Promise<void> {
  const client = createClient({ brokers, clientId: 'seatlog-topics', allowAutoTopicCreation: false });
  try {
    const topics = ticketingTopics(replicationFactor, partitions);
    await client.admin().createTopics(topics, { ifNotExists: true, timeoutMs: TOPIC_DEADLINE_MS });
  } finally {
    await client.close();
  }
}
