/**
 * What the controller has to know of configs to create topics and to change configs, from this broker's definitions.
 * Configs of topics can be changed; those of brokers stand in their files.
 */
import { type ConfigMap, type ConfigSchema, ResourceType } from '@seatlog/metadata-quorum';
import type { BrokerConfig } from './broker-config.ts';
import { checkTopicConfig, describeTopicConfig, isListConfig } from './topic-config.ts';

const none: ConfigMap = new Map();

export function controllerSchema(broker: BrokerConfig): ConfigSchema {
  const defaults = new Map(describeTopicConfig(broker, none).map((entry) => [entry.name, entry.value]));
  return {
    problem(resourceType, resourceName, configs) {
      if (resourceType === ResourceType.TOPIC) return checkTopicConfig(configs)?.message ?? null;
      const [name] = configs.keys();
      if (name === undefined) return null;
      return resourceType === ResourceType.BROKER
        ? `${name} cannot be changed while broker ${resourceName || '(all)'} runs; set it in server.properties.`
        : `Configs of resource type ${resourceType} are not supported.`;
    },
    isList: (resourceType, name) => resourceType === ResourceType.TOPIC && isListConfig(name),
    defaultValue: (resourceType, name) =>
      resourceType === ResourceType.TOPIC ? (defaults.get(name) ?? null) : null,
  };
}
