/** What the controller's decisions need to create topics, from a node's own configuration. */
import type { CreateTopicsContext } from '@seatlog/metadata-quorum';
import type { Random } from '@seatlog/runtime';
import type { BrokerConfig } from './config/broker-config.ts';
import { controllerSchema } from './config/controller-schema.ts';

export function topicCreationContext(config: BrokerConfig, random: Random): CreateTopicsContext {
  return {
    defaults: {
      numPartitions: config.values['num.partitions'],
      replicationFactor: config.values['default.replication.factor'],
    },
    schema: controllerSchema(config),
    random,
  };
}
