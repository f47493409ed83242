/** Topics that come into being by themselves, with this broker's defaults. */
import { GROUP_OFFSETS_TOPIC } from '@seatlog/metadata-quorum';
import type { BrokerConfig } from '../config/broker-config.ts';
import type { TopicToCreate } from '../controller/automatic-topics.ts';

/** The log of the group coordinators. */
export function groupOffsetsTopic({ values }: BrokerConfig): TopicToCreate {
  return {
    name: GROUP_OFFSETS_TOPIC,
    numPartitions: values['offsets.topic.num.partitions'],
    replicationFactor: values['offsets.topic.replication.factor'],
    assignments: [],
    configs: [
      { name: 'cleanup.policy', value: 'compact' },
      { name: 'compression.type', value: 'producer' },
      { name: 'segment.bytes', value: String(values['offsets.topic.segment.bytes']) },
    ],
  };
}

/** What a client asked for that does not exist. */
export function topicAskedFor(name: string, config: BrokerConfig): TopicToCreate {
  if (name === GROUP_OFFSETS_TOPIC) return groupOffsetsTopic(config);
  return {
    name,
    numPartitions: config.values['num.partitions'],
    replicationFactor: config.values['default.replication.factor'],
    assignments: [],
    configs: [],
  };
}
