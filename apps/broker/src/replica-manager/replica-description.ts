import type { FollowerState, Moment, PartitionReplica } from '@seatlog/replication';
import type { FollowerDescription, ReplicationDescription } from './partition.ts';

/** What a replica is at, for consoles and people. */
export function describeReplica(replica: PartitionReplica, moment: Moment): ReplicationDescription {
  const { role, leader, follower } = replica;
  return {
    role,
    maximalIsr: leader?.maximalIsr ?? [],
    isrState: leader?.isrState.kind ?? null,
    followers:
      leader === null ? [] : Array.from(leader.followers, (state) => describeFollower(state, moment)),
    fetchState: follower?.state.kind ?? null,
    lag: follower?.lag ?? null,
  };
}

/** Lag is measured on the monotonic clock; people compare it with other times. */
function describeFollower(state: FollowerState, moment: Moment): FollowerDescription {
  const { brokerId, logEndOffset, logStartOffset, lastCaughtUpTimeMs, brokerEpoch } = state;
  return {
    brokerId,
    logEndOffset,
    logStartOffset,
    lastCaughtUpTimeMs: Number.isFinite(lastCaughtUpTimeMs)
      ? Math.round(moment.now - (moment.monotonic - lastCaughtUpTimeMs))
      : null,
    brokerEpoch,
  };
}
