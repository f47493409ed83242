import { type EpochEndOffset, type ReplicaLog, UNDEFINED_EPOCH } from '../replica-log.ts';

/**
 * R24: how far a follower cuts its log when the leader says that in `diverging.epoch`, the greatest epoch of its own
 * that is not above the follower's last, its log ended at `diverging.endOffset`.
 *
 * The follower may not know that epoch. Then everything after the greatest smaller one that it knows may be of another
 * history; it cuts there, and the next fetch tells whether that was enough.
 */
export function truncationOffset(log: ReplicaLog, diverging: EpochEndOffset): number {
  const own = log.endOffsetForEpoch(diverging.epoch);
  if (own.epoch === UNDEFINED_EPOCH) return Math.min(diverging.endOffset, log.logEndOffset);
  if (own.epoch !== diverging.epoch) return Math.min(own.endOffset, log.logEndOffset);
  return Math.min(diverging.endOffset, own.endOffset, log.logEndOffset);
}
