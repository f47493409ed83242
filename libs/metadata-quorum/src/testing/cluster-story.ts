/**
 * Random histories of a cluster, each step of which is a decision of the controller.
 */
import fc from 'fast-check';
import { ZERO_UUID } from '@seatlog/kafka-protocol';
import { alterPartitions } from '../controller/alter-partition.ts';
import { assignDirectories } from '../controller/assign-directories.ts';
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
import { balanceLeaders, electLeaders, ElectionType } from '../controller/elect-leaders.ts';
import { allocateProducerIds } from '../controller/producer-ids.ts';
import { reassignPartitions } from '../controller/reassign-partitions.ts';
import type { ClusterImage } from '../image/cluster-image.ts';
import {
  isActive,
  isLost,
  LeaderRecoveryState,
  LOST_DIRECTORY,
  ResourceType,
} from '../image/cluster-image.ts';
import { TestCluster, testSchema, topicRequest } from './cluster.ts';

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
  | { readonly kind: 'move'; readonly topic: string; readonly replicas: readonly number[] | null }
  | { readonly kind: 'elect'; readonly unclean: boolean }
  | { readonly kind: 'balance' }
  /** A broker says of its replicas of a topic that their directory is lost, or that they are where it has one. */
  | { readonly kind: 'lose' | 'find'; readonly topic: string; readonly broker: number }
  /** The leaders of a topic propose those of their replicas that may be in sync, less one now and then. */
  | { readonly kind: 'synchronize'; readonly topic: string; readonly without: number };

const broker = fc.integer({ min: 1, max: 4 });
const topic = fc.constantFrom('a', 'b', 'c.d', 'long-name-of-a-topic');

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
  fc.record({
    kind: fc.constant('move'),
    topic,
    replicas: fc.option(fc.uniqueArray(broker, { minLength: 1, maxLength: 3 }), { freq: 4 }),
  }),
  fc.record({ kind: fc.constant('elect'), unclean: fc.boolean() }),
  fc.record({ kind: fc.constant('balance') }),
  fc.record({ kind: fc.constantFrom('lose', 'find'), topic, broker }),
  fc.record({ kind: fc.constant('synchronize'), topic, without: fc.integer({ min: 1, max: 8 }) }),
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
    case 'move': {
      const partitions = [{ partitionIndex: 0, replicas: step.replicas }];
      const topics = [{ name: step.topic, partitions }];
      return void cluster.decide(
        reassignPartitions(image, { allowReplicationFactorChange: true, topics }, testSchema),
      );
    }
    case 'elect': {
      const electionType = step.unclean ? ElectionType.UNCLEAN : ElectionType.PREFERRED;
      return void cluster.decide(electLeaders(image, { electionType, topicPartitions: null }, testSchema));
    }
    case 'balance':
      return void cluster.decide(
        balanceLeaders(image, { imbalancePercentage: 10, maxElections: 3 }, testSchema),
      );
    case 'lose':
    case 'find':
      return nameDirectories(cluster, step.topic, step.broker, step.kind === 'lose');
    case 'synchronize':
      return synchronize(cluster, step.topic, step.without);
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

function nameDirectories(cluster: TestCluster, name: string, brokerId: number, isLost: boolean): void {
  const { image } = cluster;
  const broker = image.brokers.get(brokerId);
  const topic = image.topics.get(name);
  const directoryId = (isLost ? undefined : broker?.logDirs[0]) ?? LOST_DIRECTORY;
  const replicas = (topic?.partitions ?? []).map(({ index }) => ({
    topicId: topic?.id ?? '',
    partitionIndex: index,
    directoryId,
  }));
  const request = { brokerId, brokerEpoch: broker?.epoch ?? -1, replicas };
  cluster.decide(assignDirectories(image, request, testSchema));
}

function synchronize(cluster: TestCluster, name: string, without: number): void {
  const topic = cluster.image.topics.get(name);
  for (const { index, leader } of topic?.partitions ?? []) {
    const { brokers } = cluster.image;
    const partition = cluster.partition(name, index);
    const { replicas, leaderEpoch, partitionEpoch } = partition;
    const mayJoin = (id: number): boolean =>
      id !== without && isActive(brokers.get(id)) && !isLost(partition, id);
    const isr = replicas
      .filter((id) => id === leader || mayJoin(id))
      .map((brokerId) => ({ brokerId, brokerEpoch: brokers.get(brokerId)?.epoch ?? -1 }));
    const proposal = { topicId: topic?.id ?? '', partitionIndex: index, leaderEpoch, partitionEpoch, isr };
    const brokerEpoch = brokers.get(leader)?.epoch ?? -1;
    const partitions = [{ ...proposal, leaderRecoveryState: LeaderRecoveryState.RECOVERED }];
    cluster.decide(alterPartitions(cluster.image, { brokerId: leader, brokerEpoch, partitions }, testSchema));
  }
}
