import type { Cancel } from '@seatlog/runtime';
import {
  discontinuity,
  malformed,
  queueBatches,
  sequenceVerdict,
  spannedOffsets,
  stampBatches,
} from './append-admission.ts';
import { CommitGate, failAll } from './commit-gate.ts';
import { LogError, type LogErrorCode } from './log-error.ts';
import { asLogFailure } from './log-failure.ts';
import type { LogParts } from './log-parts.ts';
import type { LogSegment } from './log-segment.ts';
import { LogSyncer } from './log-syncer.ts';
import { LogWriter, type QueuedBatch } from './log-writer.ts';
import type { AppendCompletion, AppendResult, FlushCompletion } from './partition-log.ts';

/** What the log hears of its append path. */
export interface AppendPathOwner {
  logEndOffsetAdvanced(): void;
  /** Fenced for good, or out of room for now. */
  failed(error: LogError): void;
}

/**
 * From `append` to the log end offset: offsets are assigned and the batches queued; at the end of the turn they are
 * written; written and, where asked for, synced, they are the log. A write that fails takes everything behind it
 * along and leaves the log as it was; a failed sync fences it.
 */
export class AppendPath {
  readonly #parts: LogParts;
  readonly #owner: AppendPathOwner;
  readonly #writer: LogWriter;
  readonly #syncer: LogSyncer;
  readonly #gate: CommitGate;
  #isWriteScheduled = false;
  readonly #writeQueue = (): void => {
    this.#isWriteScheduled = false;
    this.#writer.write();
  };
  #nextOffset: number;
  #recoveryPoint: number;
  #failure: LogError | null = null;
  /** Why appends are refused for the time being. */
  #closedBy: LogErrorCode | null = null;
  #flushTimer: Cancel | null = null;

  constructor(parts: LogParts, recoveryPoint: number, owner: AppendPathOwner) {
    const { environment, local } = parts;
    this.#parts = parts;
    this.#owner = owner;
    this.#nextOffset = local.endOffset;
    this.#recoveryPoint = recoveryPoint;
    this.#gate = new CommitGate(local.endOffset);
    this.#writer = new LogWriter({
      segmentFor: (batch) => (local.takes(batch, parts.config, null) ? local.segments.active : this.roll()),
      staysIn: (batch, ahead) => local.takes(batch, parts.config, ahead),
      written: (batches, segment) => this.#written(batches, segment),
      writeFailed: (batches, error) => this.#writeFailed(batches, error),
    });
    this.#syncer = new LogSyncer(
      environment.files,
      local.identity.directory,
      { synced: () => this.#synced(), syncFailed: (error) => this.fence(error) },
      recoveryPoint,
    );
  }

  get nextAppendOffset(): number {
    return this.#nextOffset;
  }

  get logEndOffset(): number {
    return this.#gate.logEndOffset;
  }

  get queuedBytes(): number {
    return this.#writer.queuedBytes;
  }

  get recoveryPoint(): number {
    return this.#recoveryPoint;
  }

  get failure(): LogError | null {
    return this.#failure;
  }

  appendAsLeader(
    batches: Uint8Array,
    leaderEpoch: number,
    checksSequences: boolean,
    done: AppendCompletion,
  ): AppendResult {
    const refusal = this.#refusal(batches, false);
    if (refusal !== null) return { accepted: false, error: refusal };
    const verdict = checksSequences ? sequenceVerdict(batches, this.#parts.producers) : null;
    if (verdict?.outcome === 'refused') return { accepted: false, error: verdict.error };
    if (verdict?.outcome === 'duplicate') {
      const { firstOffset, lastOffset } = verdict;
      this.#acceptRetry(lastOffset + 1, done);
      return {
        accepted: true,
        firstOffset,
        lastOffset,
        logAppendTime: this.#stampsTime() ? verdict.timestamp : -1,
        duplicate: true,
      };
    }
    const firstOffset = this.#nextOffset;
    const appendTime = this.#stampsTime() ? this.#parts.environment.clock.now() : null;
    stampBatches(batches, { firstOffset, leaderEpoch, appendTime });
    return this.#accept(batches, firstOffset, appendTime ?? -1, done);
  }

  appendAsFollower(batches: Uint8Array, allowGaps: boolean, done: AppendCompletion): AppendResult {
    const refusal = this.#refusal(batches, true) ?? discontinuity(batches, this.#nextOffset, allowGaps);
    if (refusal !== null) return { accepted: false, error: refusal };
    return this.#accept(batches, spannedOffsets(batches).first, -1, done);
  }

  writeQueued(): void {
    this.#writer.write();
  }

  /** Syncs everything that is written. */
  flush(done?: FlushCompletion): void {
    this.#flushTimer?.();
    this.#flushTimer = null;
    this.#syncer.request(this.#parts.local.endOffset, done);
  }

  /** Closes the active segment, with the producers as they stand there, and syncs it in the background. */
  roll(): LogSegment {
    const { local, producers, snapshots } = this.#parts;
    const segment = local.roll();
    local.saveDerived('A producer snapshot', () => snapshots.take(segment.baseOffset, producers));
    this.#syncer.noteNames();
    this.#syncer.request(segment.baseOffset);
    return segment;
  }

  get isIdle(): boolean {
    return this.#writer.isIdle;
  }

  isSynced(segment: LogSegment): boolean {
    return this.#syncer.isSynced(segment);
  }

  forget(segments: readonly LogSegment[]): void {
    for (const segment of segments) this.#syncer.forget(segment);
  }

  /** Takes no appends from now on; what is queued is still written. */
  shut(): void {
    this.#closedBy = 'LOG_CLOSED';
    this.#flushTimer?.();
    this.#writer.write();
  }

  /** Runs the action once nothing is queued or in flight, and begins nothing of its own until `readmit`. */
  quiesce(code: LogErrorCode, error: LogError, action: () => void): void {
    this.#closedBy = code;
    this.#writer.failQueued(error);
    this.#syncer.pause();
    this.whenIdle(action);
  }

  readmit(): void {
    this.#closedBy = null;
    this.#syncer.resume();
  }

  lowerRecoveryPoint(offset: number): void {
    this.#recoveryPoint = Math.min(this.#recoveryPoint, offset);
  }

  noteCreated(parentDirectory: string): void {
    this.#syncer.noteNames();
    this.#syncer.noteParent(parentDirectory);
  }

  /** Runs the action once nothing is queued or in flight. */
  whenIdle(action: () => void): void {
    this.#writer.whenIdle(() => this.#syncer.whenIdle(() => this.#parts.epochs.whenIdle(action)));
  }

  /** Syncs everything before returning; nothing may be in flight. */
  syncNow(): void {
    this.#syncer.syncNow(this.#parts.local.endOffset);
    this.#synced();
  }

  /** The log was cut and ends here now. */
  truncate(endOffset: number, error: LogError): void {
    this.#nextOffset = endOffset;
    this.#recoveryPoint = Math.min(this.#recoveryPoint, endOffset);
    this.#syncer.truncate(endOffset, error);
    failAll(this.#gate.truncate(endOffset), error);
  }

  /** The log was replaced by an empty one at the offset. */
  restart(offset: number, error: LogError): void {
    this.#nextOffset = offset;
    this.#recoveryPoint = offset;
    failAll(this.#gate.abandon(), error);
    this.#gate.restart(offset);
    this.#syncer.truncate(-1, error);
    this.#syncer.syncNow(offset);
  }

  /** Takes no appends any more. What waits fails, for nothing can be promised of it. */
  fence(error: LogError): void {
    if (this.#failure !== null) return;
    this.abandon(error);
    this.#owner.failed(error);
  }

  /** `fence` without a word to the owner, who is removing the log. */
  abandon(error: LogError): void {
    this.#failure ??= error;
    this.#flushTimer?.();
    this.#writer.stop();
    this.#writer.failQueued(error);
    this.#syncer.fail(error);
    failAll(this.#gate.abandon(), error);
  }

  /** The topic's configuration is another: what waited under the old one may pass. */
  configChanged(): void {
    this.#advance();
  }

  #refusal(batches: Uint8Array, keepsOffsets: boolean): LogError | null {
    if (this.#failure !== null) return this.#failure;
    if (this.#closedBy !== null)
      return new LogError(this.#closedBy, 'the log takes no appends at the moment');
    const limit = this.#parts.environment.limits.queuedBytesPerPartition;
    const queued = this.#writer.queuedBytes + batches.length;
    if (queued > limit && this.#writer.queuedBytes > 0) {
      return new LogError('LOG_QUEUE_FULL', `${queued} bytes would wait to be written, ${limit} may`);
    }
    return malformed(batches, keepsOffsets);
  }

  #accept(
    batches: Uint8Array,
    firstOffset: number,
    logAppendTime: number,
    done: AppendCompletion,
  ): AppendResult {
    const { tail, producers, environment } = this.#parts;
    const { last: lastOffset } = spannedOffsets(batches);
    queueBatches(batches, tail, producers, done, this.#writer);
    this.#nextOffset = lastOffset + 1;
    if (!this.#isWriteScheduled) {
      this.#isWriteScheduled = true;
      environment.schedule.atEndOfTurn(this.#writeQueue);
    }
    return { accepted: true, firstOffset, lastOffset, logAppendTime, duplicate: false };
  }

  #acceptRetry(nextOffset: number, done: AppendCompletion): void {
    if (nextOffset <= this.logEndOffset) this.#parts.environment.schedule.atEndOfTurn(() => done(null));
    else this.#gate.admitRetry(nextOffset, done);
  }

  #stampsTime(): boolean {
    return this.#parts.config.messageTimestampType === 'LogAppendTime';
  }

  #written(batches: readonly QueuedBatch[], segment: LogSegment): void {
    if (this.#failure !== null) return this.#settleAfterFailure(batches, this.#failure);
    try {
      this.#record(batches, segment);
    } catch (cause) {
      this.fence(asLogFailure(cause));
      return this.#settleAfterFailure(batches, asLogFailure(cause));
    }
    for (const batch of batches) if (batch.done !== null) this.#gate.admit(batch.lastOffset + 1, batch.done);
    this.#askForSync();
    return this.#advance();
  }

  /** Takes note of batches that are in the file. */
  #record(batches: readonly QueuedBatch[], segment: LogSegment): void {
    const { local, producers, epochs, config } = this.#parts;
    const { indexIntervalBytes } = config;
    let epochBegan = false;
    for (const batch of batches) {
      segment.noteAppended(batch.size, batch.lastOffset, batch.maxTimestamp, indexIntervalBytes);
      if (batch.producer !== null) producers.commit(batch.producer);
      if (batch.leaderEpoch > epochs.cache.latestEpoch) {
        epochBegan = epochs.cache.assign(batch.leaderEpoch, batch.baseOffset) || epochBegan;
      }
    }
    producers.advanceTo(local.endOffset);
    this.#nextOffset = Math.max(this.#nextOffset, local.endOffset);
    this.#syncer.noteWritten(segment);
    if (epochBegan) epochs.saveInBackground();
    if (segment.indexes.saveIsDue) local.saveDerived('An index', () => segment.indexes.save());
  }

  /** A write that was in flight when the log was fenced: it may be there or not, and is acknowledged to nobody. */
  #settleAfterFailure(batches: readonly QueuedBatch[], failure: LogError): void {
    failAll(completionsOf(batches), failure);
  }

  /** Syncs as the topic's configuration asks. */
  #askForSync(): void {
    const { local, config, environment } = this.#parts;
    if (local.endOffset - this.#syncer.syncedOffset >= config.flushMessages) this.flush();
    else if (config.flushMs !== Number.POSITIVE_INFINITY) {
      this.#flushTimer ??= environment.timers.schedule(config.flushMs, () => this.flush());
    }
  }

  #synced(): void {
    const { epochs } = this.#parts;
    if (epochs.saved) this.#recoveryPoint = this.#syncer.syncedOffset;
    else epochs.saveInBackground();
    this.#advance();
  }

  /** For the epoch file: once it is on disk the recovery point may follow. */
  epochsSaved(): void {
    if (this.#failure === null && this.#parts.epochs.saved) this.#recoveryPoint = this.#syncer.syncedOffset;
  }

  #advance(): void {
    const before = this.#gate.logEndOffset;
    const passed = this.#gate.pass(this.#syncer.syncedOffset, this.#parts.config.flushMessages);
    if (this.#gate.logEndOffset > before) this.#owner.logEndOffsetAdvanced();
    for (const done of passed) done(null);
  }

  /** Lets the log end follow to what is written, for which nobody waits any more. */
  #keep(endOffset: number): void {
    if (endOffset <= this.#gate.logEndOffset) return;
    this.#gate.admit(endOffset, () => undefined);
    this.#askForSync();
    this.#advance();
  }

  #writeFailed(batches: readonly QueuedBatch[], error: LogError): void {
    const { local, tail, producers } = this.#parts;
    const endOffset = local.endOffset;
    this.#nextOffset = endOffset;
    tail.truncate(endOffset);
    producers.dropStaged();
    const lost = [...completionsOf(batches), ...this.#gate.truncate(endOffset)];
    // What a follower appends at once may go to several segments: what is written of it is the log, told or not.
    if (this.#failure === null && error.code !== 'LOG_FENCED') this.#keep(endOffset);
    if (error.code === 'LOG_FENCED') this.fence(error);
    // The disk is full, or no segment could be begun: nothing is lost but these appends, and it may pass.
    else if (error.code === 'LOG_OUT_OF_SPACE' || error.code === 'LOG_IO_FAILED') this.#owner.failed(error);
    failAll(lost, error);
  }
}

function completionsOf(batches: readonly QueuedBatch[]): AppendCompletion[] {
  return batches.map((batch) => batch.done).filter((done) => done !== null);
}
