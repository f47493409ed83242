/**
 * What a replica of the metadata log is told. One event a step; the contract stands in `quorum-replica.ts`.
 */
import type { SnapshotId } from '../quorum/snapshot.ts';
import type { LogBatch } from './quorum-log.ts';
import type { ReceivedRequest, ReceivedResponse } from './quorum-messages.ts';

export type QuorumEvent<Batch extends LogBatch = LogBatch> =
  /** Once, before all others. */
  | { readonly type: 'started' }
  /** `nextDueAtMs` has come. More often does no harm. */
  | { readonly type: 'tick' }
  | QuorumRequestEvent
  | QuorumResponseEvent<Batch>
  /**
   * A request that was sent cannot be answered any more: refused, broken off, timed out, or never sent. `closed`: the
   * connection was refused or closed from over there, by which one knows sooner than by silence that nobody is there.
   */
  | { readonly type: 'request-failed'; readonly requestId: number; readonly closed?: boolean }
  | LeaderAppendEvent<Batch>
  /** The synced end of the log moved, or an append, truncation or snapshot took its effect: the log is looked at anew. */
  | { readonly type: 'log-changed' }
  /**
   * A batch was not written, and nothing of it is left in the log. A leader resigns. A log that cannot go on at all is
   * the caller's to stop for: it gives no further event.
   */
  | { readonly type: 'append-failed' }
  /** The answer to `install-snapshot`: the snapshot is in place, or was found to be unfit and is removed. */
  | { readonly type: 'snapshot-installed'; readonly id: SnapshotId }
  | { readonly type: 'snapshot-unfit'; readonly id: SnapshotId }
  /** The leader is to give up its leadership: the image could not be applied, or an operator wants it. */
  | { readonly type: 'resign' }
  /** The node stops. Go on with events until the `closed` effect, which comes within a bounded time. */
  | { readonly type: 'shutdown' };

/** `token` names the request in the effect that answers it; each request is answered once, at once or later. */
export type QuorumRequestEvent = {
  readonly type: 'request';
  readonly token: number;
} & ReceivedRequest;

/**
 * `batches`: the whole batches of a fetch's answer, in their order, checked (CRC, structure) by the caller, who cuts
 * off what is not whole; empty for other answers.
 */
export type QuorumResponseEvent<Batch extends LogBatch = LogBatch> = {
  readonly type: 'response';
  readonly requestId: number;
  readonly batches: readonly Batch[];
} & ReceivedResponse;

/**
 * The active controller's batch, made of `RecordsToAppend`: it is written as it is if this node leads in the batch's
 * epoch and the batch begins at `nextAppendOffset`; otherwise `append-refused` comes back and nothing is written.
 */
export interface LeaderAppendEvent<Batch extends LogBatch = LogBatch> {
  readonly type: 'append';
  readonly batch: Batch;
}
