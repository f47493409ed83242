/**
 * Makes this broker's replicas what a metadata image says: opens or creates logs, deletes those of deleted topics and
 * those that are assigned to others, hands leadership on, applies changed topic configs. Replicas of topics that the image
 * does not know are set aside at start, never deleted by guess.
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
import type { Clock } from '@seatlog/runtime';
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
  readonly clock: Clock;
  readonly log: Logger;
}

/** Partitions on disk that are to be loaded, and how many of them are. */
export interface LoadProgress {
  readonly partitions: number;
  readonly loaded: number;
}

/** How often a long start tells how far it is. */
const PROGRESS_MS = 5000;

export class ImageApplication {
  readonly #options: ImageApplicationOptions;

  /** What the replicas are in line with. */
  #applied: ClusterImage = emptyImage;
  /** What was loaded by. */
  #loadedBy: ClusterImage = emptyImage;
  /** How many there were to be loaded; null while nothing is being loaded. */
  #toLoad: number | null = null;

  constructor(options: ImageApplicationOptions) {
    this.#options = options;
  }

  /**
   * Loads what lies on disk, as the image says; what it does not know is set aside. Once, before `apply`; it takes as many
   * turns as it needs, so that the node lives on meanwhile. It does not resolve when the directory is closed before.
   */
  async load(image: ClusterImage): Promise<void> {
    const { directory, log, clock } = this.#options;
    this.#loadedBy = image;
    this.#setStrangersAside(image);
    this.#toLoad = directory.notLoaded().length;
    const began = clock.monotonic();
    let toldAt = began;
    await new Promise<void>((resolve) => {
      directory.loadAllInTurns(({ topic }) => {
        if (clock.monotonic() - toldAt >= PROGRESS_MS) {
          toldAt = clock.monotonic();
          log.info('Loading partitions', { ...this.progress });
        }
        return logConfigOf(this.#topicConfig(image, topic));
      }, resolve);
    });
    if (this.#toLoad > 0) {
      const ms = Math.round(clock.monotonic() - began);
      log.info('Loaded partitions', { partitions: this.#toLoad, failed: directory.failures.size, ms });
    }
    this.#toLoad = null;
    for (const [name, error] of directory.failures) {
      log.error('A partition cannot be served', {
        partition: name,
        code: error.code,
        hint: error.hint,
        error,
      });
    }
  }

  /** Null while nothing is being loaded. */
  get progress(): LoadProgress | null {
    const partitions = this.#toLoad;
    if (partitions === null) return null;
    return { partitions, loaded: partitions - this.#options.directory.notLoaded().length };
  }

  #setStrangersAside(image: ClusterImage): void {
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
  }

  readonly apply = (image: ClusterImage): void => {
    const { replicas } = this.#options;
    const changes = changesBetween(this.#applied, image);
    this.#applied = image;
    replicas.clusterChanged(image);
    // Topics that were deleted while their logs were being loaded.
    for (const topic of changesBetween(this.#loadedBy, image).deletedTopics) this.#deleteTopic(topic);
    this.#loadedBy = emptyImage;
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
