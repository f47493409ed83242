/**
 * An image as the records that make it: what a snapshot holds. Folding them into the empty image gives the image.
 */
import type { MetadataRecord } from '../records/metadata-record.ts';
import type { BrokerRegistration, ClusterImage, PartitionImage, TopicImage } from './cluster-image.ts';
import { configResource } from './cluster-image.ts';

export function* imageRecords(image: ClusterImage): Generator<MetadataRecord> {
  for (const [name, featureLevel] of image.features) yield { type: 'FeatureLevelRecord', name, featureLevel };
  for (const broker of image.brokers.values()) yield registerBroker(broker);
  for (const controller of image.controllers.values()) {
    yield {
      type: 'RegisterControllerRecord',
      controllerId: controller.id,
      incarnationId: controller.incarnationId,
      zkMigrationReady: false,
      endPoints: controller.endpoints,
      features: controller.features,
    };
  }
  for (const topic of image.topics.values()) yield* topicRecords(topic);
  for (const [key, configs] of image.configs) {
    for (const [name, value] of configs) yield { type: 'ConfigRecord', ...configResource(key), name, value };
  }
  if (image.nextProducerId > 0) {
    yield { type: 'ProducerIdsRecord', brokerId: -1, brokerEpoch: -1, nextProducerId: image.nextProducerId };
  }
}

function registerBroker(broker: BrokerRegistration): MetadataRecord {
  return {
    type: 'RegisterBrokerRecord',
    brokerId: broker.id,
    isMigratingZkBroker: false,
    incarnationId: broker.incarnationId,
    brokerEpoch: broker.epoch,
    endPoints: broker.endpoints,
    features: broker.features,
    rack: broker.rack,
    fenced: broker.fenced,
    inControlledShutdown: broker.inControlledShutdown,
    logDirs: broker.logDirs,
  };
}

function* topicRecords(topic: TopicImage): Generator<MetadataRecord> {
  yield { type: 'TopicRecord', name: topic.name, topicId: topic.id };
  for (const partition of topic.partitions) yield partitionRecord(topic.id, partition);
}

function partitionRecord(topicId: string, partition: PartitionImage): MetadataRecord {
  return {
    type: 'PartitionRecord',
    partitionId: partition.index,
    topicId,
    replicas: partition.replicas,
    isr: partition.isr,
    removingReplicas: partition.removingReplicas,
    addingReplicas: partition.addingReplicas,
    leader: partition.leader,
    leaderRecoveryState: partition.leaderRecoveryState,
    leaderEpoch: partition.leaderEpoch,
    partitionEpoch: partition.partitionEpoch,
    directories: partition.directories,
    eligibleLeaderReplicas: partition.elr.length === 0 ? null : partition.elr,
    lastKnownElr: partition.lastKnownElr.length === 0 ? null : partition.lastKnownElr,
  };
}
