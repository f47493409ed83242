/** R25: what a follower answers to a fetch. It serves consumers that may read from it, up to its own high watermark. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  CONSUMER,
  type CurrentLeader,
  type FetchLook,
  type FetchVerdict,
  refused,
} from '../fetch-verdict.ts';
import { leaderEpochError } from '../leader-epoch-fence.ts';
import type { ReplicaLog } from '../replica-log.ts';

export function checkFollowerFetch(look: FetchLook, log: ReplicaLog, leader: CurrentLeader): FetchVerdict {
  const epochError = leaderEpochError(look.currentLeaderEpoch, leader.leaderEpoch);
  if (epochError !== ErrorCode.NONE) return refused(epochError, leader);
  if (look.replicaId !== CONSUMER || !look.mayReadFromFollower) {
    return refused(ErrorCode.NOT_LEADER_OR_FOLLOWER, leader);
  }
  if (look.fetchOffset < log.logStartOffset) return refused(ErrorCode.OFFSET_OUT_OF_RANGE);
  // The consumer has seen more than has come here: that is this follower's lag, not the consumer's mistake.
  if (look.fetchOffset > log.highWatermark) return refused(ErrorCode.OFFSET_NOT_AVAILABLE);
  return { kind: 'read', bound: look.isReadCommitted ? 'last-stable' : 'high-watermark' };
}
