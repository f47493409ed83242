/**
 * Leaders from outside of their ISR: said aloud and counted by the active controller, and confirmed by the broker that
 * leads once it serves (F25, R20).
 *
 * Such a partition is RECOVERING: records that were acknowledged may be missing from it. When its leader has opened
 * its log there is nothing more that it could recover, and it says so to the controller.
 */
import { apis, type RequestInput } from '@seatlog/kafka-protocol';
import {
  changesBetween,
  LeaderRecoveryState,
  type PartitionDifference,
  type PartitionImage,
} from '@seatlog/metadata-quorum';
import type { ControllerRequests } from '../controller/controller-requests.ts';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';
import type { MetadataQuorum } from '../quorum/metadata-quorum.ts';

/** So many partitions are named in a line of the log; all are counted. */
const MAX_NAMED = 50;
/** How long the controller may take to hear of a recovery; the next change of a partition tells it again. */
const CONFIRMATION_MS = 30_000;

type AlterPartitionRequest = RequestInput<typeof apis.alterPartition>;

/** Logs and counts the partitions that become RECOVERING while this node is the active controller. */
export function watchElections(quorum: MetadataQuorum, log: Logger, metrics: BrokerMetrics): void {
  quorum.subscribe((image, previous) => {
    if (quorum.term !== null) reportElections(changesBetween(previous, image).partitions, log, metrics);
  });
}

/** Tells the controller of those that this broker leads. `brokerEpoch`: of this process. */
export function confirmRecoveries(
  quorum: MetadataQuorum,
  controller: ControllerRequests,
  brokerEpoch: () => number,
): void {
  quorum.subscribe((image, previous) => {
    const { partitions } = changesBetween(previous, image);
    const request = confirmation(partitions, quorum.nodeId, brokerEpoch());
    if (request === null) return;
    const { maxVersion } = apis.alterPartition;
    controller.send(apis.alterPartition, maxVersion, request, { timeoutMs: CONFIRMATION_MS }, () => {});
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

function confirmation(
  changed: readonly PartitionDifference[],
  brokerId: number,
  brokerEpoch: number,
): AlterPartitionRequest | null {
  const led = changed.filter(({ after }) => after.leader === brokerId && isRecovering(after));
  if (led.length === 0) return null;
  const topics = led.map(({ topic, after }) => ({
    topicId: topic.id,
    partitions: [
      {
        partitionIndex: after.index,
        leaderEpoch: after.leaderEpoch,
        partitionEpoch: after.partitionEpoch,
        newIsrWithEpochs: [{ brokerId, brokerEpoch }],
        leaderRecoveryState: LeaderRecoveryState.RECOVERED,
      },
    ],
  }));
  return { brokerId, brokerEpoch, topics };
}

function isRecovering(partition: PartitionImage): boolean {
  return partition.leaderRecoveryState === LeaderRecoveryState.RECOVERING;
}
