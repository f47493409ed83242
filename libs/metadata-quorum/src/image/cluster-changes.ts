/**
 * What is different between two images: what a broker has to do when it goes from one to the other.
 *
 * A topic that was deleted and created again under the same name is both a deleted and a created topic: its id tells.
 */
import type { BrokerRegistration, ClusterImage, PartitionImage, TopicImage } from './cluster-image.ts';
import { configResource } from './cluster-image.ts';

export interface PartitionDifference {
  readonly topic: TopicImage;
  /** Undefined for a partition that did not exist. */
  readonly before: PartitionImage | undefined;
  readonly after: PartitionImage;
}

export interface ChangedConfig {
  readonly resourceType: number;
  readonly resourceName: string;
}

export interface ChangedBroker {
  readonly id: number;
  readonly before: BrokerRegistration | undefined;
  readonly after: BrokerRegistration | undefined;
}

export interface ClusterChanges {
  readonly createdTopics: readonly TopicImage[];
  readonly deletedTopics: readonly TopicImage[];
  /** Every partition whose image differs, those of created topics included; those of deleted topics are not. */
  readonly partitions: readonly PartitionDifference[];
  readonly configs: readonly ChangedConfig[];
  readonly brokers: readonly ChangedBroker[];
  readonly featuresChanged: boolean;
}

export function changesBetween(before: ClusterImage, after: ClusterImage): ClusterChanges {
  const createdTopics: TopicImage[] = [];
  const deletedTopics: TopicImage[] = [];
  const partitions: PartitionDifference[] = [];
  if (before.topics !== after.topics) {
    for (const topic of before.topics.values()) {
      if (after.topics.get(topic.name)?.id !== topic.id) deletedTopics.push(topic);
    }
    for (const topic of after.topics.values()) {
      const previous = before.topics.get(topic.name);
      if (previous === topic) continue;
      const same = previous?.id === topic.id ? previous : undefined;
      if (same === undefined) createdTopics.push(topic);
      for (const partition of topic.partitions) {
        const old = same?.partitions[partition.index];
        if (old !== partition) partitions.push({ topic, before: old, after: partition });
      }
    }
  }
  return {
    createdTopics,
    deletedTopics,
    partitions,
    configs: changedKeys(before.configs, after.configs).map(configResource),
    brokers: changedKeys(before.brokers, after.brokers).map((id) => ({
      id,
      before: before.brokers.get(id),
      after: after.brokers.get(id),
    })),
    featuresChanged: before.features !== after.features,
  };
}

function changedKeys<Key, Value>(
  before: ReadonlyMap<Key, Value>,
  after: ReadonlyMap<Key, Value>,
): readonly Key[] {
  if (before === after) return [];
  const changed: Key[] = [];
  for (const [key, value] of after) if (before.get(key) !== value) changed.push(key);
  for (const key of before.keys()) if (!after.has(key)) changed.push(key);
  return changed;
}
