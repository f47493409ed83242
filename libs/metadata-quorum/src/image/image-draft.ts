/**
 * Folding records into an image.
 *
 * `foldAll` copies each map once, on its first change, and works on the copies: a batch of n records costs n plus
 * the size of the maps it touches. Records are facts that the controller has checked before it wrote them; one that
 * cannot be applied means that log and image do not fit together, and throws `MetadataError` with FOLD_MISMATCH.
 */
import { MetadataError } from '../metadata-error.ts';
import type {
  BrokerRegistrationChangeRecord,
  ConfigRecord,
  MetadataRecord,
  PartitionChangeRecord,
  PartitionRecord,
  RegisterBrokerRecord,
} from '../records/metadata-record.ts';
import { LEADER_UNCHANGED, RECOVERY_STATE_UNCHANGED } from '../records/metadata-record.ts';
import type {
  BrokerRegistration,
  ClusterImage,
  ConfigMap,
  ControllerRegistration,
  PartitionImage,
  TopicImage,
} from './cluster-image.ts';
import { configKey, ResourceType } from './cluster-image.ts';

/** The image after one record. Offset and epoch of the image stay: `foldAll` moves them by whole batches. */
export function fold(image: ClusterImage, record: MetadataRecord): ClusterImage {
  return foldAll(image, [record]);
}

/** The image after `records`, the last of which has the given offset and epoch (as they were, if not given). */
export function foldAll(
  image: ClusterImage,
  records: readonly MetadataRecord[],
  lastOffset: number = image.lastOffset,
  lastEpoch: number = image.lastEpoch,
): ClusterImage {
  const draft = new ImageDraft(image);
  for (const record of records) draft.apply(record);
  return draft.finish(lastOffset, lastEpoch);
}

class ImageDraft {
  readonly #base: ClusterImage;
  #brokers: Map<number, BrokerRegistration> | undefined;
  #controllers: Map<number, ControllerRegistration> | undefined;
  #topics: Map<string, TopicImage> | undefined;
  #topicNamesById: Map<string, string> | undefined;
  #configs: Map<string, ConfigMap> | undefined;
  #features: Map<string, number> | undefined;
  #nextProducerId: number;
  /** Partition arrays that this draft owns and may write to, by topic name. */
  readonly #openPartitions = new Map<string, PartitionImage[]>();
  /** Config maps that this draft owns, by key. */
  readonly #openConfigs = new Map<string, Map<string, string>>();

  constructor(base: ClusterImage) {
    this.#base = base;
    this.#nextProducerId = base.nextProducerId;
  }

  apply(record: MetadataRecord): void {
    switch (record.type) {
      case 'RegisterBrokerRecord':
        return void this.#brokersDraft().set(record.brokerId, registrationOf(record));
      case 'UnregisterBrokerRecord':
        this.#broker(record.brokerId, record.brokerEpoch, record.type);
        return void this.#brokersDraft().delete(record.brokerId);
      case 'FenceBrokerRecord':
        return this.#changeBroker(record.id, record.epoch, record.type, { fenced: true });
      case 'UnfenceBrokerRecord':
        return this.#changeBroker(record.id, record.epoch, record.type, { fenced: false });
      case 'BrokerRegistrationChangeRecord':
        return this.#changeBroker(
          record.brokerId,
          record.brokerEpoch,
          record.type,
          registrationChange(record),
        );
      case 'RegisterControllerRecord':
        return void this.#controllersDraft().set(record.controllerId, {
          id: record.controllerId,
          incarnationId: record.incarnationId,
          endpoints: record.endPoints,
          features: record.features,
        });
      case 'TopicRecord':
        return this.#createTopic(record.name, record.topicId);
      case 'PartitionRecord':
        return this.#createPartition(record);
      case 'PartitionChangeRecord':
        return this.#changePartition(record);
      case 'RemoveTopicRecord':
        return this.#removeTopic(record.topicId);
      case 'ClearElrRecord':
        return this.#clearElr(record.topicName);
      case 'ConfigRecord':
        return this.#setConfig(record);
      case 'FeatureLevelRecord':
        return this.#setFeature(record.name, record.featureLevel);
      case 'ProducerIdsRecord':
        return this.#raiseProducerId(record.nextProducerId);
      case 'NoOpRecord':
      case 'BeginTransactionRecord':
      case 'EndTransactionRecord':
      case 'AbortTransactionRecord':
        return;
    }
  }

  /** The image with all applied records. The draft must not be used after it. */
  finish(lastOffset: number, lastEpoch: number): ClusterImage {
    for (const [name, partitions] of this.#openPartitions) {
      const topics = this.#topicsDraft();
      const topic = topics.get(name);
      if (topic !== undefined) topics.set(name, { ...topic, partitions });
    }
    for (const [key, configs] of this.#openConfigs) {
      if (configs.size === 0) this.#configsDraft().delete(key);
      else this.#configsDraft().set(key, configs);
    }
    return {
      lastOffset,
      lastEpoch,
      brokers: this.#brokers ?? this.#base.brokers,
      controllers: this.#controllers ?? this.#base.controllers,
      topics: this.#topics ?? this.#base.topics,
      topicNamesById: this.#topicNamesById ?? this.#base.topicNamesById,
      configs: this.#configs ?? this.#base.configs,
      features: this.#features ?? this.#base.features,
      nextProducerId: this.#nextProducerId,
    };
  }

  #changeBroker(id: number, epoch: number, type: string, change: Partial<BrokerRegistration>): void {
    this.#brokersDraft().set(id, { ...this.#broker(id, epoch, type), ...change });
  }

  #broker(id: number, epoch: number, type: string): BrokerRegistration {
    const broker = (this.#brokers ?? this.#base.brokers).get(id);
    if (broker === undefined) throw mismatch(`${type} names broker ${id}, which is not registered`);
    if (broker.epoch !== epoch) {
      throw mismatch(
        `${type} names epoch ${epoch} of broker ${id}, which is registered with ${broker.epoch}`,
      );
    }
    return broker;
  }

  #createTopic(name: string, id: string): void {
    const topics = this.#topicsDraft();
    if (topics.has(name)) throw mismatch(`TopicRecord creates ${name}, which exists`);
    topics.set(name, { name, id, partitions: [] });
    this.#topicNamesDraft().set(id, name);
    this.#openPartitions.set(name, []);
  }

  #removeTopic(id: string): void {
    const name = this.#topicName(id, 'RemoveTopicRecord');
    this.#topicsDraft().delete(name);
    this.#topicNamesDraft().delete(id);
    this.#openPartitions.delete(name);
    const key = configKey(ResourceType.TOPIC, name);
    this.#openConfigs.delete(key);
    if ((this.#configs ?? this.#base.configs).has(key)) this.#configsDraft().delete(key);
  }

  #createPartition(record: PartitionRecord): void {
    const partitions = this.#partitions(record.topicId, record.type);
    if (record.partitionId !== partitions.length) {
      throw mismatch(`PartitionRecord ${record.partitionId} does not follow ${partitions.length} partitions`);
    }
    partitions.push(partitionOf(record));
  }

  #changePartition(record: PartitionChangeRecord): void {
    const partitions = this.#partitions(record.topicId, record.type);
    const partition = partitions[record.partitionId];
    if (partition === undefined) {
      throw mismatch(`PartitionChangeRecord names partition ${record.partitionId} of ${record.topicId}`);
    }
    partitions[record.partitionId] = changedPartition(partition, record);
  }

  #clearElr(topicName: string): void {
    const names = topicName === '' ? [...(this.#topics ?? this.#base.topics).keys()] : [topicName];
    for (const name of names) {
      const topic = (this.#topics ?? this.#base.topics).get(name);
      if (topic === undefined) throw mismatch(`ClearElrRecord names topic ${name}, which does not exist`);
      const current = this.#openPartitions.get(name) ?? topic.partitions;
      if (current.every((partition) => partition.elr.length === 0 && partition.lastKnownElr.length === 0))
        continue;
      const partitions = this.#partitions(topic.id, 'ClearElrRecord');
      for (const [index, partition] of partitions.entries()) {
        partitions[index] = { ...partition, elr: [], lastKnownElr: [] };
      }
    }
  }

  #setConfig(record: ConfigRecord): void {
    const key = configKey(record.resourceType, record.resourceName);
    let configs = this.#openConfigs.get(key);
    if (configs === undefined) {
      configs = new Map((this.#configs ?? this.#base.configs).get(key));
      this.#openConfigs.set(key, configs);
    }
    if (record.value === null) configs.delete(record.name);
    else configs.set(record.name, record.value);
  }

  #setFeature(name: string, level: number): void {
    this.#features ??= new Map(this.#base.features);
    if (level === 0) this.#features.delete(name);
    else this.#features.set(name, level);
  }

  #raiseProducerId(next: number): void {
    if (next <= this.#nextProducerId) {
      throw mismatch(`ProducerIdsRecord goes back from ${this.#nextProducerId} to ${next}`);
    }
    this.#nextProducerId = next;
  }

  #topicName(id: string, type: string): string {
    const name = (this.#topicNamesById ?? this.#base.topicNamesById).get(id);
    if (name === undefined) throw mismatch(`${type} names topic id ${id}, which does not exist`);
    return name;
  }

  #partitions(topicId: string, type: string): PartitionImage[] {
    const name = this.#topicName(topicId, type);
    let partitions = this.#openPartitions.get(name);
    if (partitions === undefined) {
      partitions = [...((this.#topics ?? this.#base.topics).get(name)?.partitions ?? [])];
      this.#openPartitions.set(name, partitions);
    }
    return partitions;
  }

  #brokersDraft(): Map<number, BrokerRegistration> {
    return (this.#brokers ??= new Map(this.#base.brokers));
  }

  #controllersDraft(): Map<number, ControllerRegistration> {
    return (this.#controllers ??= new Map(this.#base.controllers));
  }

  #topicsDraft(): Map<string, TopicImage> {
    return (this.#topics ??= new Map(this.#base.topics));
  }

  #topicNamesDraft(): Map<string, string> {
    return (this.#topicNamesById ??= new Map(this.#base.topicNamesById));
  }

  #configsDraft(): Map<string, ConfigMap> {
    return (this.#configs ??= new Map(this.#base.configs));
  }
}

function registrationOf(record: RegisterBrokerRecord): BrokerRegistration {
  return {
    id: record.brokerId,
    epoch: record.brokerEpoch,
    incarnationId: record.incarnationId,
    endpoints: record.endPoints,
    features: record.features,
    rack: record.rack,
    fenced: record.fenced,
    inControlledShutdown: record.inControlledShutdown,
    logDirs: record.logDirs,
  };
}

function registrationChange(record: BrokerRegistrationChangeRecord): Partial<BrokerRegistration> {
  return {
    ...(record.fenced === 0 ? {} : { fenced: record.fenced === 1 }),
    ...(record.inControlledShutdown === 1 ? { inControlledShutdown: true } : {}),
    ...(record.logDirs.length === 0 ? {} : { logDirs: record.logDirs }),
  };
}

function partitionOf(record: PartitionRecord): PartitionImage {
  return {
    index: record.partitionId,
    replicas: record.replicas,
    directories: record.directories,
    isr: record.isr,
    removingReplicas: record.removingReplicas,
    addingReplicas: record.addingReplicas,
    elr: record.eligibleLeaderReplicas ?? [],
    lastKnownElr: record.lastKnownElr ?? [],
    leader: record.leader,
    leaderEpoch: record.leaderEpoch,
    partitionEpoch: record.partitionEpoch,
    leaderRecoveryState: record.leaderRecoveryState,
  };
}

/**
 * Every change raises the partition epoch. The leader epoch rises when the leader changes, to none as well, and when
 * the leader is named again (an election that chose the same one).
 */
function changedPartition(partition: PartitionImage, record: PartitionChangeRecord): PartitionImage {
  const leaderNamed = record.leader !== LEADER_UNCHANGED;
  return {
    index: partition.index,
    replicas: record.replicas ?? partition.replicas,
    directories: record.directories ?? partition.directories,
    isr: record.isr ?? partition.isr,
    removingReplicas: record.removingReplicas ?? partition.removingReplicas,
    addingReplicas: record.addingReplicas ?? partition.addingReplicas,
    elr: record.eligibleLeaderReplicas ?? partition.elr,
    lastKnownElr: record.lastKnownElr ?? partition.lastKnownElr,
    leader: leaderNamed ? record.leader : partition.leader,
    leaderEpoch: partition.leaderEpoch + (leaderNamed ? 1 : 0),
    partitionEpoch: partition.partitionEpoch + 1,
    leaderRecoveryState:
      record.leaderRecoveryState === RECOVERY_STATE_UNCHANGED
        ? partition.leaderRecoveryState
        : record.leaderRecoveryState,
  };
}

function mismatch(message: string): MetadataError {
  return new MetadataError('FOLD_MISMATCH', message);
}
