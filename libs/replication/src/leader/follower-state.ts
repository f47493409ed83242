/**
 * What a leader knows of one of its followers. All changes are made here:
 *
 *     (assigned)  ──▶ unknown                      LEO unknown, which holds the high watermark until it fetches (R21)
 *     any ──fetched──▶ its fetch offset is its LEO  (R6), and the last moment at which it was caught up (R10)
 *     any ──epochRose under the same leader──▶      LEO stays; the lag is counted afresh (R21)
 */
import { UNKNOWN_BROKER_EPOCH } from '../cluster-view.ts';
import { UNKNOWN_OFFSET } from '../replica-log.ts';

export interface FollowerState {
  readonly brokerId: number;
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  /** Monotonic, as all times here. */
  readonly lastFetchTimeMs: number;
  /** The leader's LEO at that fetch. */
  readonly lastFetchLeaderEndOffset: number;
  readonly lastCaughtUpTimeMs: number;
  /** The incarnation that fetched last. */
  readonly brokerEpoch: number;
}

/** Longer ago than any lag that is allowed. */
export const NEVER = Number.NEGATIVE_INFINITY;

export function unknownFollower(brokerId: number, isInSync: boolean, nowMs: number): FollowerState {
  return {
    brokerId,
    logStartOffset: UNKNOWN_OFFSET,
    logEndOffset: UNKNOWN_OFFSET,
    lastFetchTimeMs: NEVER,
    lastFetchLeaderEndOffset: UNKNOWN_OFFSET,
    lastCaughtUpTimeMs: isInSync ? nowMs : NEVER,
    brokerEpoch: UNKNOWN_BROKER_EPOCH,
  };
}

export interface FetchReport {
  readonly fetchOffset: number;
  readonly logStartOffset: number;
  readonly brokerEpoch: number;
}

export function fetched(
  state: FollowerState,
  report: FetchReport,
  leaderEndOffset: number,
  nowMs: number,
): FollowerState {
  return {
    brokerId: state.brokerId,
    logStartOffset: report.logStartOffset,
    logEndOffset: report.fetchOffset,
    lastFetchTimeMs: nowMs,
    lastFetchLeaderEndOffset: leaderEndOffset,
    lastCaughtUpTimeMs: caughtUpTime(state, report.fetchOffset, leaderEndOffset, nowMs),
    brokerEpoch: report.brokerEpoch,
  };
}

/** Under a steady stream of appends a follower never reaches the end, but it reaches what was the end before. */
function caughtUpTime(
  state: FollowerState,
  fetchOffset: number,
  leaderEndOffset: number,
  nowMs: number,
): number {
  if (fetchOffset >= leaderEndOffset) return Math.max(state.lastCaughtUpTimeMs, nowMs);
  if (fetchOffset >= state.lastFetchLeaderEndOffset) {
    return Math.max(state.lastCaughtUpTimeMs, state.lastFetchTimeMs);
  }
  return state.lastCaughtUpTimeMs;
}

export function epochRose(
  state: FollowerState,
  isInSync: boolean,
  leaderEndOffset: number,
  nowMs: number,
): FollowerState {
  const time = isInSync ? nowMs : NEVER;
  return {
    ...state,
    lastFetchTimeMs: time,
    lastFetchLeaderEndOffset: leaderEndOffset,
    lastCaughtUpTimeMs: time,
  };
}

/** R11: only time counts, never how many records are missing; and an equal LEO is caught up for ever. */
export function isCaughtUp(
  state: FollowerState,
  leaderEndOffset: number,
  nowMs: number,
  lagTimeMaxMs: number,
): boolean {
  return state.logEndOffset === leaderEndOffset || nowMs - state.lastCaughtUpTimeMs <= lagTimeMaxMs;
}
