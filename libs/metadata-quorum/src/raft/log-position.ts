/**
 * Where logs end and where they part ways. Every comparison goes by the epochs of records that are in the log: an epoch
 * that was begun and has no record does not count.
 */
import type { SnapshotId } from '../quorum/snapshot.ts';
import type { QuorumLog } from './quorum-log.ts';

/** The end of a log, and the epoch of the record before it; 0 when there is none. */
export interface LogPosition {
  readonly offset: number;
  readonly epoch: number;
}

/** The synced end of the log. */
export function endOf(log: QuorumLog): LogPosition {
  const { logEndOffset: offset, logStartOffset } = log;
  let epoch = offset > logStartOffset ? log.latestLeaderEpoch : 0;
  while (epoch > 0) {
    // It begins where those before it end.
    const before = log.endOffsetForEpoch(epoch - 1);
    if (before.endOffset < offset) return { offset, epoch };
    epoch = before.epoch;
  }
  const snapshot = log.latestSnapshot?.id;
  return { offset, epoch: snapshot?.endOffset === offset ? snapshot.epoch : 0 };
}

/** Whether a log that ends there holds all that could be committed in one that ends at `own`. */
export function isUpToDate(other: LogPosition, own: LogPosition): boolean {
  return other.epoch > own.epoch || (other.epoch === own.epoch && other.offset >= own.offset);
}

export type PositionVerdict =
  | { readonly kind: 'valid' }
  /** The logs part at or before this end of an epoch. */
  | { readonly kind: 'diverging'; readonly epoch: number; readonly endOffset: number }
  /** What the reader needs next is not in the log any more. */
  | { readonly kind: 'snapshot'; readonly id: SnapshotId };

const valid: PositionVerdict = { kind: 'valid' };

/** How a reader's log, which ends at `position`, stands to this log, its leader's. */
export function checkPosition(log: QuorumLog, position: LogPosition): PositionVerdict {
  const { logStartOffset, latestSnapshot } = log;
  const { offset, epoch } = position;
  if (offset === 0 && logStartOffset === 0) return valid;
  if (latestSnapshot !== null && offset < logStartOffset) return { kind: 'snapshot', id: latestSnapshot.id };
  const end = endOfEpoch(log, epoch);
  if (end !== null) {
    if (end.epoch === epoch && offset <= end.endOffset) return valid;
    return { kind: 'diverging', ...end };
  }
  // Of the records before the log nothing is known but the snapshot's last, where the log begins at its end.
  if (latestSnapshot === null) return { kind: 'diverging', epoch, endOffset: logStartOffset };
  const { id } = latestSnapshot;
  if (id.endOffset !== logStartOffset || epoch < id.epoch) return { kind: 'snapshot', id };
  if (epoch === id.epoch && offset === id.endOffset) return valid;
  return { kind: 'diverging', epoch: id.epoch, endOffset: id.endOffset };
}

/** The greatest epoch in the log that is not above the one asked for, and its end; null if all are above. */
function endOfEpoch(log: QuorumLog, epoch: number): { epoch: number; endOffset: number } | null {
  const end = endOf(log);
  if (log.latestLeaderEpoch < 0 || epoch < 0) return null;
  if (epoch > log.latestLeaderEpoch) {
    return end.offset === log.logStartOffset ? null : { epoch: end.epoch, endOffset: end.offset };
  }
  const { epoch: found, endOffset } = log.endOffsetForEpoch(epoch);
  // The epoch asked for, ending where the log begins: nothing of it is there.
  if (endOffset <= log.logStartOffset) return null;
  return { epoch: found, endOffset: Math.min(endOffset, end.offset) };
}

/** Where a follower cuts its log after its leader said that they part at the end of that epoch. */
export function truncationPoint(log: QuorumLog, diverging: { epoch: number; endOffset: number }): number {
  const own = log.endOffsetForEpoch(diverging.epoch);
  if (own.endOffset < 0) return Math.min(diverging.endOffset, log.logEndOffset);
  const end = Math.min(own.endOffset, log.logEndOffset);
  return own.epoch === diverging.epoch ? Math.min(end, diverging.endOffset) : end;
}
