/**
 * Random histories of a cluster, each step of which is a decision of the controller.
 */
import fc from 'fast-check';
import { ZERO_UUID } from '@seatlog/kafka-protocol';
import { ConfigOperation, incrementalAlterConfigs } from '../controller/alter-configs.ts';
import {
  beginControlledShutdown,
  fenceBroker,
  unfenceBroker,
  unregisterBroker,
} from '../controller/broker-lifecycle.ts';
import { createPartitions } from '../controller/create-partitions.ts';
import { createTopics } from '../controller/create-topics.ts';
import { deleteTopics } from '../controller/delete-topics.ts';
import { allocateProducerIds } from '../controller/producer-ids.ts';
import type { ClusterImage } from '../image/cluster-image.ts';
import { ResourceType } from '../image/cluster-image.ts';
import { TestCluster, testSchema, topicRequest } from './cluster.ts';
import { type PartitionStep, partitionStep, takePartitionStep, topic } from './partition-steps.ts';

export type Step =
  | { readonly kind: 'start' | 'fence' | 'unfence' | 'stop' | 'crash' | 'forget'; readonly broker: number }
  | {
      readonly kind: 'create';
      readonly topic: string;
      readonly partitions: number;
      readonly replicas?: number;
    }
  | { readonly kind: 'grow' | 'delete'; readonly topic: string }
  | { readonly kind: 'configure'; readonly topic: string; readonly minimum: number }
  | { readonly kind: 'allowUnclean'; readonly topic: string; readonly allowed: boolean }
  | { readonly kind: 'configureAll'; readonly value: string }
  | { readonly kind: 'producerIds'; readonly broker: number }
  | PartitionStep;

const broker = fc.integer({ min: 1, max: 4 });

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('start', 'start', 'fence', 'unfence', 'stop', 'crash', 'forget'),
    broker,
  }),
  fc.record({
    kind: fc.constant('create'),
    topic,
    partitions: fc.integer({ min: 1, max: 4 }),
    replicas: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constantFrom('grow', 'delete'), topic }),
  fc.record({ kind: fc.constant('configure'), topic, minimum: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('allowUnclean'), topic, allowed: fc.boolean() }),
  fc.record({ kind: fc.constant('configureAll'), value: fc.constantFrom('1', '2') }),
  fc.record({ kind: fc.constant('producerIds'), broker }),
  { arbitrary: partitionStep, weight: 5 },
);

export const clusterStories: fc.Arbitrary<readonly Step[]> = fc.array(step, {
  maxLength: 40,
  size: 'max',
});

/** The image at the end of a story; `look` sees the cluster after each step. */
export function tell(
  story: readonly Step[],
  look?: (cluster: TestCluster, step: Step) => void,
  cluster: TestCluster = new TestCluster(),
): ClusterImage {
  for (const each of story) {
    take(cluster, each);
    look?.(cluster, each);
  }
  return cluster.image;
}

function take(cluster: TestCluster, step: Step): void {
  const { image } = cluster;
  switch (step.kind) {
    case 'start':
    case 'crash':
    case 'fence':
    case 'unfence':
    case 'stop':
    case 'forget':
      return moveBroker(cluster, step.kind, step.broker);
    case 'create': {
      const request = topicRequest(step.topic, {
        numPartitions: step.partitions,
        replicationFactor: step.replicas ?? 1,
      });
      return void cluster.decide(
        createTopics(image, { topics: [request], validateOnly: false }, cluster.context),
      );
    }
    case 'grow': {
      const count = (image.topics.get(step.topic)?.partitions.length ?? 0) + 1;
      const topics = [{ name: step.topic, count, assignments: null }];
      return void cluster.decide(createPartitions(image, { topics, validateOnly: false }, cluster.random));
    }
    case 'delete':
      return void cluster.decide(deleteTopics(image, [{ name: step.topic, topicId: ZERO_UUID }]));
    case 'configure':
      return configure(cluster, ResourceType.TOPIC, step.topic, 'min.insync.replicas', String(step.minimum));
    case 'allowUnclean': {
      const value = String(step.allowed);
      return configure(cluster, ResourceType.TOPIC, step.topic, 'unclean.leader.election.enable', value);
    }
    case 'configureAll':
      return configure(cluster, ResourceType.BROKER, '', 'min.insync.replicas', step.value);
    case 'producerIds': {
      const epoch = image.brokers.get(step.broker)?.epoch ?? -1;
      return void cluster.decide(allocateProducerIds(image, step.broker, epoch));
    }
    default:
      return takePartitionStep(cluster, step);
  }
}

function moveBroker(
  cluster: TestCluster,
  kind: 'start' | 'crash' | 'fence' | 'unfence' | 'stop' | 'forget',
  id: number,
): void {
  const { image } = cluster;
  const epoch = image.brokers.get(id)?.epoch ?? -1;
  switch (kind) {
    case 'start':
      return void cluster.start(id, id % 2 === 0 ? 'even' : null, epoch);
    case 'crash':
      return void cluster.start(id, id % 2 === 0 ? 'even' : null, -1);
    case 'fence':
      return void cluster.decide(fenceBroker(image, id, epoch, testSchema));
    case 'unfence':
      return void cluster.decide(unfenceBroker(image, id, epoch, testSchema));
    case 'stop':
      return void cluster.decide(beginControlledShutdown(image, id, epoch, testSchema));
    case 'forget':
      return void cluster.decide(unregisterBroker(image, id, testSchema));
  }
}

function configure(
  cluster: TestCluster,
  resourceType: number,
  resourceName: string,
  name: string,
  value: string,
): void {
  const configs = [{ name, configOperation: ConfigOperation.SET, value }];
  cluster.decide(
    incrementalAlterConfigs(
      cluster.image,
      { resources: [{ resourceType, resourceName, configs }], validateOnly: false },
      testSchema,
    ),
  );
}
