/**
 * Changes of the log that were asked for and have not all taken effect. While the log is unsettled a follower does not
 * fetch and a voter does not stand for election: it could not yet say what it holds.
 */
import { MetadataError } from '../metadata-error.ts';
import type { SnapshotId } from '../quorum/snapshot.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { LogBatch } from './quorum-log.ts';

export class LogChanges<Batch extends LogBatch> {
  readonly #context: QuorumContext<Batch>;
  #truncatingTo: number | null = null;
  #installing: SnapshotId | null = null;
  /** An append was asked for in this step: the log does not show it yet. */
  #appending = false;

  constructor(context: QuorumContext<Batch>) {
    this.#context = context;
  }

  get isSettled(): boolean {
    const { nextAppendOffset, logEndOffset } = this.#context.log;
    const isChanging = this.#appending || this.#truncatingTo !== null || this.#installing !== null;
    return !isChanging && nextAppendOffset === logEndOffset;
  }

  /** A step begins: what was appended in the one before shows in the log. */
  beginStep(): void {
    this.#appending = false;
  }

  append(batches: readonly Batch[]): void {
    this.#appending = true;
    this.#context.emit({ type: 'append', batches });
  }

  appendLeaderChange(baseOffset: number, epoch: number, grantingVoters: readonly number[]): void {
    this.#appending = true;
    const { nodeId: leaderId, voterIds: voters } = this.#context;
    const record = { type: 'LeaderChange', leaderId, voters, grantingVoters } as const;
    this.#context.emit({ type: 'append-leader-change', baseOffset, epoch, record });
  }

  truncate(endOffset: number, highWatermark: number): void {
    if (endOffset < highWatermark) throw lost(`the log would be cut at ${endOffset}`, highWatermark);
    this.#truncatingTo = endOffset;
    this.#context.say('info', 'Truncating the metadata log to what the leader holds', { endOffset });
    this.#context.emit({ type: 'truncate', endOffset });
  }

  install(id: SnapshotId): void {
    this.#installing = id;
    this.#context.emit({ type: 'install-snapshot', id });
  }

  /** `log-changed`: a truncation is over once the end shows it and nothing is being written. */
  look(): void {
    const { nextAppendOffset, logEndOffset } = this.#context.log;
    if (this.#truncatingTo !== null && Math.max(logEndOffset, nextAppendOffset) <= this.#truncatingTo) {
      this.#truncatingTo = null;
    }
  }

  /** Gives whether it is the snapshot that was waited for. */
  installed(id: SnapshotId): boolean {
    if (this.#installing?.endOffset !== id.endOffset || this.#installing.epoch !== id.epoch) return false;
    this.#installing = null;
    return true;
  }
}

export function lost(what: string, highWatermark: number): MetadataError {
  return new MetadataError(
    'COMMITTED_RECORDS_LOST',
    `${what}, but the metadata log is committed up to offset ${highWatermark}`,
  );
}
