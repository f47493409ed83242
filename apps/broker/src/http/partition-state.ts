/** One local replica in `/state`: its place in the cluster, its log, and, where it leads, what its followers hold. */
import type { Partition } from '../replica-manager/partition.ts';
import type { BrokerServices } from '../services.ts';

export function partitionState(partition: Partition, { metadata }: BrokerServices): object {
  const { log } = partition;
  const known = metadata.image.topics.get(partition.topic)?.partitions[partition.index];
  const { lag, ...replication } = partition.describeReplication();
  return {
    topic: partition.topic,
    partition: partition.index,
    topicId: partition.topicId,
    leader: partition.leaderId,
    leaderEpoch: partition.leaderEpoch,
    partitionEpoch: partition.partitionEpoch,
    replicas: partition.replicas,
    isr: partition.isr,
    elr: known?.elr ?? [],
    lastKnownElr: known?.lastKnownElr ?? [],
    ...replication,
    ...(lag === null ? {} : { lag }),
    isUnderMinIsr: partition.isUnderMinIsr,
    logStartOffset: partition.logStartOffset,
    highWatermark: partition.highWatermark,
    lastStableOffset: partition.lastStableOffset,
    logEndOffset: partition.logEndOffset,
    sizeBytes: log.sizeBytes,
    recoveryPoint: log.recoveryPoint,
    leaderEpochs: log.leaderEpochs,
    segments: log.describeSegments(),
    failure: log.failure === null ? null : { code: log.failure.code, message: log.failure.message },
  };
}
