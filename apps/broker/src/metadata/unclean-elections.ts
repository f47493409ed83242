/**
 * Leaders from outside of their ISR: said aloud and counted by the active controller (F25, R20).
 *
 * Such a partition is RECOVERING: records that were acknowledged may be missing from it. Its leader proposes that it is
 * recovered, like any change of its ISR, as soon as it leads.
 */
import {
  changesBetween,
  LeaderRecoveryState,
  type PartitionDifference,
  type PartitionImage,
} from '@seatlog/metadata-quorum';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';
import type { MetadataQuorum } from '../quorum/metadata-quorum.ts';

/** So many partitions are named in a line of the log; all are counted. */
const MAX_NAMED = 50;

/** Logs and counts the partitions that become RECOVERING while this node is the active controller. */
export function watchElections(quorum: MetadataQuorum, log: Logger, metrics: BrokerMetrics): void {
  quorum.subscribe((image, previous) => {
    if (quorum.term !== null) reportElections(changesBetween(previous, image).partitions, log, metrics);
  });
}

function reportElections(changed: readonly PartitionDifference[], log: Logger, metrics: BrokerMetrics): void {
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

function isRecovering(partition: PartitionImage): boolean {
  return partition.leaderRecoveryState === LeaderRecoveryState.RECOVERING;
}
