/**
 * What a replica of the metadata log asks for. In order, each before the next; the contract stands in
 * `quorum-replica.ts`.
 */
import type { QuorumState } from '../quorum/quorum-state.ts';
import type { SnapshotId } from '../quorum/snapshot.ts';
import type { LeaderChange } from '../records/control-records.ts';
import type { LogBatch } from './quorum-log.ts';
import type { RequestToSend, ResponseToSend } from './quorum-messages.ts';

export type QuorumEffect<Batch extends LogBatch = LogBatch> =
  | PersistState
  | SendRequest
  | Respond
  | WriteEffect<Batch>
  | SnapshotEffect
  | StandingEffect
  | { readonly type: 'log'; readonly line: QuorumLogLine }
  /** After `shutdown`: nothing is left to be done here. */
  | { readonly type: 'closed' };

/** Write the quorum-state file and sync it BEFORE any later effect, of this step or of another, is carried out. */
export interface PersistState {
  readonly type: 'persist-state';
  readonly state: QuorumState;
}

/** To the voter of that id. Give `response` or `request-failed` back with the id, at most once. */
export type SendRequest = {
  readonly type: 'send';
  readonly requestId: number;
  readonly to: number;
  /** The replica ignores an answer that comes later. */
  readonly timeoutMs: number;
} & RequestToSend;

/**
 * Answer the request of that token. With `read`, fill in the record bytes first: whole batches for `log` (at least the
 * first one, if `fromOffset` is below `toOffset`), bytes for `snapshot`. They go where the body has empty records.
 */
export type Respond = {
  readonly type: 'respond';
  readonly token: number;
  readonly read: LogReadRequest | SnapshotReadRequest | null;
} & ResponseToSend;

export interface LogReadRequest {
  readonly from: 'log';
  readonly fromOffset: number;
  /** Read nothing at or beyond it. */
  readonly toOffset: number;
  readonly maxBytes: number;
}

export interface SnapshotReadRequest {
  readonly from: 'snapshot';
  readonly id: SnapshotId;
  readonly position: number;
  readonly maxBytes: number;
}

export type WriteEffect<Batch extends LogBatch = LogBatch> =
  /** Append these, as they are, at `nextAppendOffset`, and sync them; then `log-changed`, or `append-failed`. */
  | { readonly type: 'append'; readonly batches: readonly Batch[] }
  /** A new epoch begins in the log at that offset: note it, then append and sync a control batch of this one record. */
  | {
      readonly type: 'append-leader-change';
      readonly baseOffset: number;
      readonly epoch: number;
      readonly record: LeaderChange;
    }
  /** Cut everything from the offset on (a batch that holds it goes whole), synced; then `log-changed`. */
  | { readonly type: 'truncate'; readonly endOffset: number }
  /** The controller's batch was not taken: this node does not lead in its epoch, or the batch has a wrong offset. */
  | { readonly type: 'append-refused'; readonly batch: Batch };

/** How a snapshot comes in: begin, chunks in rising order without a gap, install. A `begin` drops what is half done. */
export type SnapshotEffect =
  | { readonly type: 'begin-snapshot'; readonly id: SnapshotId; readonly sizeInBytes: number }
  | {
      readonly type: 'write-snapshot';
      readonly id: SnapshotId;
      readonly position: number;
      readonly bytes: Uint8Array;
    }
  /**
   * All bytes are written: check it, sync it, put it in place; then drop the whole log and begin it at the snapshot's
   * end; then `snapshot-installed`. A snapshot that is not whole is removed: `snapshot-unfit`.
   */
  | { readonly type: 'install-snapshot'; readonly id: SnapshotId }
  | { readonly type: 'discard-snapshot'; readonly id: SnapshotId };

/** How this node and its quorum stand. */
export type StandingEffect =
  /** Everything below is committed: apply it. It never falls. */
  | { readonly type: 'high-watermark'; readonly offset: number }
  /** Who leads in which epoch, as far as this node knows. */
  | { readonly type: 'leader-changed'; readonly leader: LeaderAndEpoch }
  /**
   * This node leads and the LeaderChange record of its epoch is committed: all that was committed before is below the
   * high watermark. After applying up to `offset` the active controller can begin its work at `offset`.
   */
  | { readonly type: 'term-began'; readonly epoch: number; readonly offset: number }
  /** A term that began is over: nothing more is committed in it by this node. */
  | { readonly type: 'term-ended'; readonly epoch: number };

/** A leader that was followed: when it answered last, on the monotonic clock, or began to be followed if it never did. */
export interface LeaderBefore {
  readonly leaderId: number;
  readonly epoch: number;
  readonly lastHeardMs: number;
}

export interface LeaderAndEpoch {
  /** -1: none is known. */
  readonly leaderId: number;
  readonly epoch: number;
}

export interface QuorumLogLine {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, number | string | boolean>>;
}
