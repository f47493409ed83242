/** Who may join an ISR, who must leave it, and who holds the high watermark back (R7, R11, R12). Pure. */
import { type ClusterView, isActive } from '../cluster-view.ts';
import { type FollowerState, isCaughtUp } from './follower-state.ts';

export interface LeaderPosition {
  readonly cluster: ClusterView;
  /** Replicas that take no appends. */
  readonly lost: readonly number[];
  readonly highWatermark: number;
  readonly logEndOffset: number;
  readonly epochStartOffset: number;
  readonly nowMs: number;
  readonly lagTimeMaxMs: number;
}

/** The controller would take it: it is live and not lost, and its fetches are of the process that is registered. */
function isEligible({ brokerId, brokerEpoch }: FollowerState, { cluster, lost }: LeaderPosition): boolean {
  const broker = cluster.broker(brokerId);
  return isActive(broker) && broker?.epoch === brokerEpoch && !lost.includes(brokerId);
}

/**
 * The high watermark is not enough: a fresh leader may hold records above it that an earlier leader acknowledged, and a
 * member that lacks them could be elected next.
 */
export function mayJoin(follower: FollowerState, leader: LeaderPosition): boolean {
  return (
    follower.logEndOffset >= leader.highWatermark &&
    follower.logEndOffset >= leader.epochStartOffset &&
    isEligible(follower, leader)
  );
}

export function laggards(
  followers: Iterable<FollowerState>,
  isr: readonly number[],
  leader: LeaderPosition,
): readonly FollowerState[] {
  return [...followers].filter((follower) => isr.includes(follower.brokerId) && !keepsUp(follower, leader));
}

/**
 * The log end offsets that bound the high watermark. Those of replicas that are about to join count as well, or it would
 * run ahead of them for ever while the leader is alone.
 */
export function* boundsOfHighWatermark(
  followers: Iterable<FollowerState>,
  maximalIsr: readonly number[],
  leader: LeaderPosition,
): Iterable<number> {
  for (const follower of followers) {
    const isAboutToJoin = isEligible(follower, leader) && keepsUp(follower, leader);
    if (maximalIsr.includes(follower.brokerId) || isAboutToJoin) yield follower.logEndOffset;
  }
}

/** R27: the lowest log start of the replicas that are heard of. */
export function lowestLogStart(
  own: number,
  followers: Iterable<FollowerState>,
  cluster: ClusterView,
): number {
  let lowest = own;
  for (const { brokerId, logStartOffset } of followers) {
    const broker = cluster.broker(brokerId);
    if (broker !== undefined && !broker.fenced) lowest = Math.min(lowest, logStartOffset);
  }
  return lowest;
}

function keepsUp(follower: FollowerState, { logEndOffset, nowMs, lagTimeMaxMs }: LeaderPosition): boolean {
  return isCaughtUp(follower, logEndOffset, nowMs, lagTimeMaxMs);
}
