/** Steps of a cluster's history in which partitions change: moves, elections, directories, and what leaders propose. */
import fc from 'fast-check';
import { alterPartitions } from '../controller/alter-partition.ts';
import { assignDirectories } from '../controller/assign-directories.ts';
import { balanceLeaders, electLeaders, ElectionType } from '../controller/elect-leaders.ts';
import { reassignPartitions } from '../controller/reassign-partitions.ts';
import { isActive, isLost, LeaderRecoveryState, LOST_DIRECTORY } from '../image/cluster-image.ts';
import { type TestCluster, testSchema } from './cluster.ts';

export type PartitionStep =
  | { readonly kind: 'move'; readonly topic: string; readonly replicas: readonly number[] | null }
  | { readonly kind: 'elect'; readonly unclean: boolean }
  | { readonly kind: 'balance' }
  /** A broker says of its replicas of a topic that their directory is lost, or that they are where it has one. */
  | { readonly kind: 'lose' | 'find'; readonly topic: string; readonly broker: number }
  /** The leaders of a topic propose those of their replicas that may be in sync, less one now and then. */
  | { readonly kind: 'synchronize'; readonly topic: string; readonly without: number };

const broker = fc.integer({ min: 1, max: 4 });
/** The topics of all histories. */
export const topic = fc.constantFrom('a', 'b', 'c.d', 'long-name-of-a-topic');

export const partitionStep: fc.Arbitrary<PartitionStep> = fc.oneof(
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

export function takePartitionStep(cluster: TestCluster, step: PartitionStep): void {
  const { image } = cluster;
  switch (step.kind) {
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
