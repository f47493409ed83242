/**
 * Leaders from outside of their ISR: said aloud, counted, and confirmed once they serve (F25, R20).
 *
 * Such a partition is RECOVERING: records that were acknowledged may be missing from it. When its leader has opened
 * its log there is nothing more that it could recover, and it says so to the controller.
 */
import {
  alterPartitions,
  type AlterPartitionAnswer,
  type ClusterImage,
  type ConfigSchema,
  type Decision,
  type IsrProposal,
  LeaderRecoveryState,
  type PartitionDifference,
  type PartitionImage,
} from '@seatlog/metadata-quorum';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';

/** So many partitions are named in a line of the log; all are counted. */
const MAX_NAMED = 50;

/** Logs and counts the partitions that became RECOVERING. */
export function reportElections(
  changed: readonly PartitionDifference[],
  log: Logger,
  metrics: BrokerMetrics,
): void {
  const elected = changed.filter(
    ({ before, after }) => isRecovering(after) && (before === undefined || !isRecovering(before)),
  );
  if (elected.length === 0) return;
  metrics.uncleanLeaderElections += elected.length;
  log.warn('Unclean leader election: acknowledged records may be missing', {
    count: elected.length,
    partitions: elected.slice(0, MAX_NAMED).map(({ topic, after }) => ({
      partition: `${topic.name}-${after.index}`,
      leader: after.leader,
      leaderEpoch: after.leaderEpoch,
    })),
  });
}

/** The decision by which this broker ends the recovery of those partitions that it leads; null if there are none. */
export function recoveriesToConfirm(
  changed: readonly PartitionDifference[],
  brokerId: number,
  brokerEpoch: number,
  schema: ConfigSchema,
): ((image: ClusterImage) => Decision<AlterPartitionAnswer>) | null {
  const partitions = changed
    .filter(({ after }) => after.leader === brokerId && isRecovering(after))
    .map(
      ({ topic, after }): IsrProposal => ({
        topicId: topic.id,
        partitionIndex: after.index,
        leaderEpoch: after.leaderEpoch,
        partitionEpoch: after.partitionEpoch,
        isr: [{ brokerId, brokerEpoch }],
        leaderRecoveryState: LeaderRecoveryState.RECOVERED,
      }),
    );
  if (partitions.length === 0) return null;
  return (current) => alterPartitions(current, { brokerId, brokerEpoch, partitions }, schema);
}

function isRecovering(partition: PartitionImage): boolean {
  return partition.leaderRecoveryState === LeaderRecoveryState.RECOVERING;
}
