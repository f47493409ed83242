/** What the log says of an ISR, in the words that people search for (R30). */
import { errorByCode } from '@seatlog/kafka-protocol';
import { type FollowerState, NEVER } from './follower-state.ts';
import type { LeaderPosition } from './isr-membership.ts';
import type { Moment } from '../moment.ts';
import { UNKNOWN_OFFSET } from '../replica-log.ts';

export function shrinkingIsr(
  from: readonly number[],
  outOfSync: readonly FollowerState[],
  { highWatermark, logEndOffset }: LeaderPosition,
  moment: Moment,
): string {
  const leaving = new Set(outOfSync.map((follower) => follower.brokerId));
  const to = from.filter((id) => !leaving.has(id));
  const lagging = outOfSync.map((follower) => {
    const end = follower.logEndOffset === UNKNOWN_OFFSET ? 'unknown' : follower.logEndOffset;
    return `(brokerId: ${follower.brokerId}, endOffset: ${end}, lastCaughtUpTimeMs: ${wallTime(follower, moment)})`;
  });
  return (
    `Shrinking ISR from ${from.join(',')} to ${to.join(',')}. ` +
    `Leader: (highWatermark: ${highWatermark}, endOffset: ${logEndOffset}). ` +
    `Out of sync replicas: ${lagging.join(' ')}.`
  );
}

export function isrUpdated(isr: readonly number[], partitionEpoch: number, isUnderMinIsr: boolean): string {
  return `ISR updated to ${isr.join(',')}${isUnderMinIsr ? ' (under-min-isr)' : ''} and version updated to ${partitionEpoch}`;
}

export function proposalRefused(errorCode: number, outcome: 'taken-back' | 'left-pending'): string {
  const fate = outcome === 'taken-back' ? 'it is taken back' : 'it stays pending until newer metadata comes';
  return `A proposed ISR was refused (${errorByCode(errorCode).name}); ${fate}`;
}

/** Lag is measured on the monotonic clock; people compare it with the times of other lines. */
function wallTime(follower: FollowerState, moment: Moment): number {
  if (follower.lastCaughtUpTimeMs === NEVER) return 0;
  return Math.round(moment.now - (moment.monotonic - follower.lastCaughtUpTimeMs));
}
