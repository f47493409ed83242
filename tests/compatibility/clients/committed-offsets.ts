/** Asks, through the admin of kafkajs, what a group has committed and where the partitions end. */
import { Kafka, logLevel } from 'kafkajs';
import { storyFromArguments, tellOutcome } from '../story.ts';

const { brokers, topic, group } = storyFromArguments();
const kafka = new Kafka({ clientId: 'story-reader', brokers: brokers.split(','), logLevel: logLevel.ERROR });
const admin = kafka.admin();
await admin.connect();
const committed: Record<string, number> = {};
for (const { partitions } of await admin.fetchOffsets({ groupId: group, topics: [topic] })) {
  for (const { partition, offset } of partitions) committed[partition] = Number(offset);
}
const ends: Record<string, number> = {};
for (const { partition, high } of await admin.fetchTopicOffsets(topic)) ends[partition] = Number(high);
await admin.disconnect();
tellOutcome({ consumed: [], committed, ends });
