/**
 * Makes this broker's replicas what a metadata image says: opens or creates logs, deletes those of deleted topics and
 * those that are assigned to others, hands leadership on, applies changed topic configs. Replicas of topics that the image does not know are set aside
 * at start, never deleted by guess.
 */
import { type LogDirectory, LogError, type PartitionLog } from '@seatlog/commit-log';
import {
  changesBetween,
  type ClusterImage,
  configsOf,
  emptyImage,
  METADATA_TOPIC,
  type PartitionImage,
  ResourceType,
  type TopicImage,
} from '@seatlog/metadata-quorum';
import type { BrokerConfig } from '../config/broker-config.ts';
import { logConfigOf } from '../config/log-config.ts';
import { type TopicConfig, topicConfigOf } from '../config/topic-config.ts';
import type { Logger } from '../logger.ts';
import type { LocalPartition } from './local-partition.ts';
import type { LocalReplicas } from './local-replicas.ts';

export interface ImageApplicationOptions {
  readonly nodeId: number;
  readonly directory: LogDirectory;
  readonly replicas: LocalReplicas;
  readonly config: BrokerConfig;
  readonly log: Logger;
}

export class ImageApplication {
  readonly #options: ImageApplicationOptions;

  /** What the replicas are in line with. */
  #applied: ClusterImage = emptyImage;

  constructor(options: ImageApplicationOptions) {
    this.#options = options;
  }

  /** Loads what lies on disk, as the image says; what it does not know is set aside. Once, before `apply`. */
  load(image: ClusterImage): void {
    const { directory, log } = this.#options;
    for (const found of directory.notLoaded()) {
      const topic = image.topics.get(found.topic);
      const isOurs =
        topic?.partitions[found.partition]?.replicas.includes(this.#options.nodeId) === true &&
        (found.topicId === null || found.topicId === topic.id);
      if (found.topic === METADATA_TOPIC || isOurs) continue;
      log.warn('A partition on disk is not in the metadata; it is set aside', {
        topic: found.topic,
        partition: found.partition,
      });
      directory.moveAside(found.topic, found.partition);
    }
    directory.loadAll(({ topic }) => logConfigOf(this.#topicConfig(image, topic)));
    for (const [name, error] of directory.failures) {
      log.error('A partition cannot be served', {
        partition: name,
        code: error.code,
        hint: error.hint,
        error,
      });
    }
  }

  readonly apply = (image: ClusterImage): void => {
    const { replicas } = this.#options;
    const changes = changesBetween(this.#applied, image);
    this.#applied = image;
    replicas.clusterChanged(image);
    for (const topic of changes.deletedTopics) this.#deleteTopic(topic);
    for (const { topic, after } of changes.partitions) {
      if (after.replicas.includes(this.#options.nodeId)) this.#applyPartition(image, topic, after);
      else this.#deletePartition(topic.name, after.index);
    }
    for (const { resourceType, resourceName } of changes.configs) {
      if (resourceType !== ResourceType.TOPIC) continue;
      const topic = image.topics.get(resourceName);
      for (const { index } of topic?.partitions ?? []) {
        replicas.partition(resourceName, index)?.reconfigured(this.#topicConfig(image, resourceName));
      }
    }
  };

  #applyPartition(image: ClusterImage, topic: TopicImage, partitionImage: PartitionImage): void {
    const { replicas } = this.#options;
    const partition =
      replicas.partition(topic.name, partitionImage.index) ?? this.#open(image, topic, partitionImage);
    if (partition === undefined) replicas.unopened(topic, partitionImage);
    else partition.applied(partitionImage, this.#topicConfig(image, topic.name));
  }

  /** A log that cannot be opened leaves its partition offline; the others are served. */
  #open(image: ClusterImage, topic: TopicImage, { index }: PartitionImage): LocalPartition | undefined {
    const { directory, replicas, log } = this.#options;
    if (directory.failures.has(`${topic.name}-${index}`)) return undefined;
    const config = this.#topicConfig(image, topic.name);
    let partitionLog: PartitionLog;
    try {
      partitionLog =
        directory.get(topic.name, index) ??
        directory.create(topic.name, index, { topicId: topic.id, config: logConfigOf(config) });
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      log.error('A partition cannot be created', {
        topic: topic.name,
        partition: index,
        hint: error.hint,
        error,
      });
      return undefined;
    }
    return replicas.open(topic.id, partitionLog, config);
  }

  #deleteTopic(topic: TopicImage): void {
    for (const { index, replicas: assigned } of topic.partitions) {
      if (assigned.includes(this.#options.nodeId)) this.#deletePartition(topic.name, index);
    }
  }

  /** Deleted with its topic, or assigned to other brokers. */
  #deletePartition(topic: string, index: number): void {
    const { directory, replicas } = this.#options;
    const partition = replicas.partition(topic, index);
    if (partition !== undefined) replicas.remove(partition);
    directory.delete(topic, index);
  }

  #topicConfig(image: ClusterImage, topic: string): TopicConfig {
    return topicConfigOf(this.#options.config, configsOf(image, ResourceType.TOPIC, topic));
  }
}
