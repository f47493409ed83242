/** R5, R23, R25: what a leader answers to a fetch before it reads. Pure, and the same when a parked fetch is read. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { type ClusterView, UNKNOWN_BROKER_EPOCH } from '../cluster-view.ts';
import {
  CONSUMER,
  type CurrentLeader,
  type FetchLook,
  type FetchVerdict,
  refused,
} from '../fetch-verdict.ts';
import { leaderEpochError } from '../leader-epoch-fence.ts';
import { type ReplicaLog, UNDEFINED_EPOCH, UNKNOWN_OFFSET } from '../replica-log.ts';
import type { FollowerState } from './follower-state.ts';

export interface LedLog {
  readonly log: ReplicaLog;
  readonly leader: CurrentLeader;
  readonly cluster: ClusterView;
  follower(brokerId: number): FollowerState | undefined;
}

export function checkLeaderFetch(look: FetchLook, led: LedLog): FetchVerdict {
  const { log, leader } = led;
  const epochError = leaderEpochError(look.currentLeaderEpoch, leader.leaderEpoch);
  if (epochError !== ErrorCode.NONE) return refused(epochError, leader);
  const senderError = look.replicaId === CONSUMER ? ErrorCode.NONE : followerError(look, led);
  if (senderError !== ErrorCode.NONE) return refused(senderError);
  if (look.fetchOffset < log.logStartOffset) return refused(ErrorCode.OFFSET_OUT_OF_RANGE);
  if (look.lastFetchedEpoch !== UNDEFINED_EPOCH) {
    const { epoch, endOffset } = log.endOffsetForEpoch(look.lastFetchedEpoch);
    if (epoch === UNDEFINED_EPOCH) return refused(ErrorCode.OFFSET_OUT_OF_RANGE);
    if (epoch < look.lastFetchedEpoch || endOffset < look.fetchOffset)
      return { kind: 'diverging', epoch, endOffset };
    if (endOffset === log.logStartOffset && isBeforeAllThatIsKnown(look, led))
      return { kind: 'diverging', epoch, endOffset };
  }
  if (look.fetchOffset > log.logEndOffset) return refused(ErrorCode.OFFSET_OUT_OF_RANGE);
  if (look.replicaId !== CONSUMER) return { kind: 'read', bound: 'log-end' };
  return { kind: 'read', bound: look.isReadCommitted ? 'last-stable' : 'high-watermark' };
}

/**
 * The follower ends where this log begins, in an epoch that has nothing left here: whether it holds what was deleted or
 * another history cannot be told. It has to begin anew, unless it was in line with this leader before.
 */
function isBeforeAllThatIsKnown(look: FetchLook, { log, follower }: LedLog): boolean {
  const { logStartOffset, latestLeaderEpoch } = log;
  if (look.replicaId === CONSUMER || look.lastFetchedEpoch >= latestLeaderEpoch) return false;
  if (look.fetchOffset !== logStartOffset || look.logStartOffset >= logStartOffset) return false;
  return follower(look.replicaId)?.logEndOffset === UNKNOWN_OFFSET;
}

function followerError({ replicaId, brokerEpoch, currentLeaderEpoch }: FetchLook, led: LedLog): number {
  if (led.follower(replicaId) === undefined) {
    // One that knows the epoch may know an assignment that has not come here yet: it shall try again.
    return currentLeaderEpoch === UNDEFINED_EPOCH
      ? ErrorCode.NOT_LEADER_OR_FOLLOWER
      : ErrorCode.UNKNOWN_LEADER_EPOCH;
  }
  const registered = led.cluster.broker(replicaId)?.epoch ?? UNKNOWN_BROKER_EPOCH;
  // A fetch of a process that is no more says nothing of what its successor holds.
  return brokerEpoch !== UNKNOWN_BROKER_EPOCH && brokerEpoch < registered
    ? ErrorCode.NOT_LEADER_OR_FOLLOWER
    : ErrorCode.NONE;
}
