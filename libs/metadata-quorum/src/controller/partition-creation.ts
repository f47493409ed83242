/**
 * The record of a partition that comes into being: all its live replicas are in sync, the first of them leads.
 */
import type { ClusterImage } from '../image/cluster-image.ts';
import { isActive, LeaderRecoveryState, NO_LEADER } from '../image/cluster-image.ts';
import type { PartitionRecord } from '../records/metadata-record.ts';
import { UNASSIGNED_DIRECTORY } from '../records/metadata-record.ts';

export function createdPartition(
  image: ClusterImage,
  topicId: string,
  partitionId: number,
  replicas: readonly number[],
): PartitionRecord {
  const isr = replicas.filter((id) => isActive(image.brokers.get(id)));
  return {
    type: 'PartitionRecord',
    partitionId,
    topicId,
    replicas,
    isr,
    removingReplicas: [],
    addingReplicas: [],
    leader: isr[0] ?? NO_LEADER,
    leaderRecoveryState: LeaderRecoveryState.RECOVERED,
    leaderEpoch: 0,
    partitionEpoch: 0,
    directories: replicas.map((id) => onlyDirectory(image, id)),
    eligibleLeaderReplicas: null,
    lastKnownElr: null,
  };
}

/** A broker with one log directory puts the replica there; one with several will say where it put it. */
export function onlyDirectory(image: ClusterImage, brokerId: number): string {
  const directories = image.brokers.get(brokerId)?.logDirs ?? [];
  return (directories.length === 1 ? directories[0] : undefined) ?? UNASSIGNED_DIRECTORY;
}
