/** How the topics of the coordinators look on this broker. */
import { GROUP_OFFSETS_TOPIC, type InternalTopic } from '@seatlog/metadata-quorum';
import type { BrokerConfig } from '../config/broker-config.ts';

/** For `ensureInternalTopic`, at the first FindCoordinator for a group. */
export function groupOffsetsTopic({ values }: BrokerConfig): InternalTopic {
  return {
    name: GROUP_OFFSETS_TOPIC,
    numPartitions: values['offsets.topic.num.partitions'],
    replicationFactor: values['offsets.topic.replication.factor'],
    configs: {
      'cleanup.policy': 'compact',
      'compression.type': 'producer',
      'segment.bytes': String(values['offsets.topic.segment.bytes']),
    },
  };
}
