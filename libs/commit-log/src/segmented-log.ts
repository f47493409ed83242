import { AppendPath } from './append-path.ts';
import { failureOf } from './log-failure.ts';
import type { LogConfig } from './log-config.ts';
import { LogError } from './log-error.ts';
import type { LogParts } from './log-parts.ts';
import { LogReader } from './log-reader.ts';
import type {
  AppendCompletion,
  AppendOptions,
  AppendResult,
  BatchFound,
  EpochEndOffset,
  FlushCompletion,
  FollowerAppendOptions,
  LeaderEpochEntry,
  LogRead,
  PartitionLog,
  ProducerBatch,
  ProducerDescription,
  ReadOptions,
  SegmentDescription,
  SequenceCheck,
} from './partition-log.ts';
import { ReadGuard } from './read-guard.ts';
import { countDeletable } from './retention.ts';
import { probeRoom } from './room-probe.ts';
import { type OffsetRange, TimeLookup } from './time-lookup.ts';

/** Where a log stands when it was loaded. */
export interface LogStart {
  readonly logStartOffset: number;
  readonly recoveryPoint: number;
  readonly highWatermark: number;
}

/** Writes the recovery points down, before a log is cut: no start may trust what is written there later. */
export type SaveRecoveryPoints = (done: FlushCompletion) => void;

/** A partition's log as a row of segments on disk. The contract stands at `PartitionLog`. */
export class SegmentedLog implements PartitionLog {
  readonly topic: string;
  readonly partition: number;
  readonly topicId: string | null;
  readonly #parts: LogParts;
  readonly #path: AppendPath;
  readonly #reader: LogReader;
  readonly #times: TimeLookup;
  readonly #guard = new ReadGuard((error) => this.#path.fence(error));
  readonly #saveRecoveryPoints: SaveRecoveryPoints;
  #logStartOffset: number;
  #highWatermark: number;
  #closed = false;

  constructor(parts: LogParts, start: LogStart, saveRecoveryPoints: SaveRecoveryPoints) {
    const { environment, local, tail } = parts;
    this.topic = local.identity.topic;
    this.partition = local.identity.partition;
    this.topicId = local.identity.topicId;
    this.#parts = parts;
    this.#saveRecoveryPoints = saveRecoveryPoints;
    this.#path = new AppendPath(parts, start.recoveryPoint, {
      logEndOffsetAdvanced: () => environment.listener.logEndOffsetAdvanced?.(this),
      failed: (error) => environment.listener.failed?.(this, error),
    });
    this.#reader = new LogReader(local.segments, tail, environment.openSegments, environment.readBuffers);
    this.#times = new TimeLookup(local.segments, environment.openSegments);
    this.#logStartOffset = start.logStartOffset;
    this.#highWatermark = start.highWatermark;
  }

  get config(): LogConfig {
    return this.#parts.config;
  }

  get logStartOffset(): number {
    return this.#logStartOffset;
  }

  get logEndOffset(): number {
    return this.#path.logEndOffset;
  }

  get nextAppendOffset(): number {
    return this.#path.nextAppendOffset;
  }

  get highWatermark(): number {
    return this.#highWatermark;
  }

  get lastStableOffset(): number {
    const firstUnstable = this.#parts.producers.firstUnstableOffset;
    return firstUnstable === null ? this.#highWatermark : Math.min(this.#highWatermark, firstUnstable);
  }

  get recoveryPoint(): number {
    return this.#path.recoveryPoint;
  }

  get sizeBytes(): number {
    return this.#parts.local.segments.sizeBytes;
  }

  get queuedBytes(): number {
    return this.#path.queuedBytes;
  }

  get failure(): LogError | null {
    return this.#path.failure;
  }

  get latestLeaderEpoch(): number {
    return this.#parts.epochs.cache.latestEpoch;
  }

  get leaderEpochs(): readonly LeaderEpochEntry[] {
    return this.#parts.epochs.cache.entries;
  }

  get producers(): readonly ProducerDescription[] {
    return this.#parts.producers.describe();
  }

  append(
    batches: Uint8Array,
    leaderEpoch: number,
    done: AppendCompletion,
    options?: AppendOptions,
  ): AppendResult {
    return this.#path.appendAsLeader(batches, leaderEpoch, options?.origin !== 'broker', done);
  }

  appendAsFollower(
    batches: Uint8Array,
    done: AppendCompletion,
    options?: FollowerAppendOptions,
  ): AppendResult {
    const allowGaps = options?.allowGaps ?? this.config.cleanupPolicy !== 'delete';
    return this.#path.appendAsFollower(batches, allowGaps, done);
  }

  writeQueued(): void {
    this.#path.writeQueued();
  }

  flush(done: FlushCompletion): void {
    this.#path.flush(done);
  }

  read(offset: number, options: ReadOptions): LogRead {
    this.#requireOpen();
    if (offset < this.#logStartOffset || offset > this.logEndOffset) {
      throw new LogError(
        'OFFSET_OUT_OF_RANGE',
        `offset ${offset} of ${this.topic}-${this.partition} is outside [${this.#logStartOffset}, ${this.logEndOffset}]`,
      );
    }
    const bound = Math.min(options.upperBound, this.logEndOffset);
    const { maxBytes, minOneBatch = true } = options;
    return this.#guard.read(offset, () => this.#reader.read({ offset, bound, maxBytes, minOneBatch }));
  }

  findByTimestamp(timestamp: number, upperBound = this.logEndOffset, lowerBound = 0): BatchFound | null {
    this.#requireOpen();
    return this.#guard.read(this.#logStartOffset, () =>
      this.#times.first(timestamp, this.#range(lowerBound, upperBound)),
    );
  }

  findMaxTimestamp(upperBound = this.logEndOffset, lowerBound = 0): BatchFound | null {
    this.#requireOpen();
    return this.#guard.read(this.#logStartOffset, () =>
      this.#times.latest(this.#range(lowerBound, upperBound)),
    );
  }

  updateHighWatermark(offset: number): void {
    this.#highWatermark = Math.max(this.#logStartOffset, Math.min(offset, this.logEndOffset));
  }

  updateConfig(config: LogConfig): void {
    this.#parts.config = config;
    this.#path.configChanged();
  }

  assignLeaderEpoch(epoch: number, startOffset: number): void {
    this.#requireOpen();
    // Nothing is appended in the epoch, and what a fenced log has beyond its end, which the next start may find, is none of it.
    if (this.failure !== null) return;
    if (this.#parts.epochs.cache.assign(epoch, startOffset)) this.#parts.epochs.saveInBackground();
  }

  endOffsetForEpoch(epoch: number): EpochEndOffset {
    return this.#parts.epochs.cache.endOffsetFor(epoch, this.logEndOffset);
  }

  checkSequence(batch: ProducerBatch): SequenceCheck {
    return this.#parts.producers.check(batch);
  }

  removeExpiredProducers(expirationMs: number): void {
    this.#parts.producers.removeExpired(this.#parts.environment.clock.now(), expirationMs);
  }

  truncateTo(offset: number, done: FlushCompletion): void {
    const { local } = this.#parts;
    const endAfter = (): number => (offset < this.#logStartOffset ? offset : local.endAfterCut(offset));
    this.#exclusively(endAfter, done, () => {
      if (offset < this.#logStartOffset) this.#startAnew(offset);
      else if (offset < local.endOffset) this.#cut(offset);
      else this.#forgetEpochsFrom(offset);
    });
  }

  truncateFullyAndStartAt(offset: number, done: FlushCompletion): void {
    this.#exclusively(
      () => Math.min(offset, this.#logStartOffset),
      done,
      () => this.#startAnew(offset),
    );
  }

  distrust(): void {
    const { rotFrom } = this.#guard;
    if (rotFrom === null) return;
    const { segments } = this.#parts.local;
    this.#path.lowerRecoveryPoint(
      segments.all[segments.indexOf(rotFrom)]?.baseOffset ?? this.#logStartOffset,
    );
    // Without it the next start trusts the rot, until it is read again.
    this.#saveRecoveryPoints(() => {});
  }

  probeRoom(done: FlushCompletion): void {
    probeRoom(this.#parts.environment.files, this.#parts.local.identity.directory, done);
  }

  deleteRecordsBefore(offset: number): void {
    this.#requireOpen();
    if (offset > this.#highWatermark) {
      throw new LogError(
        'OFFSET_OUT_OF_RANGE',
        `offset ${offset} is above the high watermark ${this.#highWatermark}`,
      );
    }
    this.#raiseLogStart(offset);
    this.#removeOldest(this.#wholeSegmentsBelow(this.#logStartOffset));
  }

  applyRetention(now: number): number {
    if (this.#closed || this.failure !== null) return 0;
    const { local, config } = this.#parts;
    const segments = local.segments.all;
    const limits = { config, now, logStartOffset: this.#logStartOffset, highWatermark: this.#highWatermark };
    let count = countDeletable(segments, limits);
    if (count === segments.length && !this.#rollIfIdle()) count -= 1;
    this.#removeOldest(count);
    return count;
  }

  roll(): void {
    this.#requireOpen();
    this.#path.writeQueued();
    this.#path.whenIdle(() => this.#rollIfIdle());
  }

  describeSegments(): readonly SegmentDescription[] {
    return this.#parts.local.describe();
  }

  close(done: FlushCompletion): void {
    if (this.#closed) return done(null);
    this.#closed = true;
    this.#path.shut();
    return this.#path.whenIdle(() => {
      const failure = this.failure ?? failureOf(() => this.#finish());
      this.#parts.tail.clear();
      this.#parts.local.closeFiles();
      done(failure);
    });
  }

  /** The partition was just made: with its first sync, its directory's name is made to last too. */
  noteCreated(parentDirectory: string): void {
    this.#path.noteCreated(parentDirectory);
  }

  /** Lets go of everything without saving: the partition is being removed. */
  abandon(): void {
    this.#closed = true;
    this.#path.abandon(new LogError('LOG_CLOSED', `${this.topic}-${this.partition} is being removed`));
    this.#parts.tail.clear();
    this.#parts.local.closeFiles();
  }

  /** For the epoch file: a background write of it is done. */
  epochsSaved(): void {
    this.#path.epochsSaved();
  }

  #finish(): void {
    const { local, producers, snapshots, epochs } = this.#parts;
    if (!epochs.saved) epochs.save();
    local.saveDerived('An index', () => local.segments.active.seal());
    local.saveDerived('A producer snapshot', () => snapshots.take(local.endOffset, producers));
    this.#path.syncNow();
  }

  /**
   * Runs a change of the log's shape once nothing is in flight; appends are refused until it is done. What it leaves
   * as it is ends at `endAfter`: the recovery point is lowered to that on disk first.
   */
  #exclusively(endAfter: () => number, done: FlushCompletion, change: () => void): void {
    if (this.#closed) return done(new LogError('LOG_CLOSED', `${this.topic}-${this.partition} is closed`));
    const truncated = new LogError('LOG_TRUNCATED', 'the log is being truncated');
    const settle = (failure: LogError | null): void => {
      if (failure !== null) this.#path.fence(failure);
      if (!this.#closed) this.#path.readmit();
      done(failure);
    };
    return this.#path.quiesce('LOG_TRUNCATED', truncated, () => {
      const lowered = this.failure ?? failureOf(() => this.#path.lowerRecoveryPoint(endAfter()));
      if (lowered !== null) return settle(lowered);
      return this.#saveRecoveryPoints((error) => settle(error ?? this.failure ?? failureOf(change)));
    });
  }

  #cut(offset: number): void {
    const { local, tail, producers, snapshots } = this.#parts;
    this.#path.forget(local.truncateTo(offset));
    const end = local.endOffset;
    tail.truncate(end);
    snapshots.rebuild(producers, local.segments.all, end);
    this.#path.truncate(end, new LogError('LOG_TRUNCATED', `the log was truncated to offset ${end}`));
    this.#highWatermark = Math.min(this.#highWatermark, end);
    this.#forgetEpochsFrom(end);
    this.#path.syncNow();
  }

  #startAnew(offset: number): void {
    const { local, tail, producers, snapshots, epochs } = this.#parts;
    this.#path.forget(local.startAnewAt(offset));
    tail.clear();
    snapshots.removeAbove(-1);
    producers.reset(offset, new Map());
    epochs.cache.clear();
    epochs.saveInBackground();
    this.#logStartOffset = offset;
    this.#highWatermark = offset;
    this.#path.restart(offset, new LogError('LOG_TRUNCATED', `the log begins anew at offset ${offset}`));
  }

  #forgetEpochsFrom(offset: number): void {
    const { epochs } = this.#parts;
    if (epochs.cache.truncateFromEnd(offset)) epochs.saveInBackground();
  }

  #raiseLogStart(offset: number): void {
    if (offset <= this.#logStartOffset) return;
    const { epochs, environment } = this.#parts;
    this.#logStartOffset = offset;
    this.#highWatermark = Math.max(this.#highWatermark, offset);
    if (epochs.cache.truncateFromStart(offset)) epochs.saveInBackground();
    environment.listener.logStartOffsetRaised?.(this);
  }

  #removeOldest(count: number): void {
    if (count === 0) return;
    const { local, config } = this.#parts;
    const next = local.segments.all[count];
    this.#path.forget(local.removeOldest(count, config.fileDeleteDelayMs));
    if (next !== undefined) this.#raiseLogStart(next.baseOffset);
  }

  #wholeSegmentsBelow(offset: number): number {
    const sealed = this.#parts.local.segments.all.slice(0, -1);
    return sealed.filter((segment) => segment.nextOffset <= offset).length;
  }

  /** Whether the active segment is a fresh one afterwards. */
  #rollIfIdle(): boolean {
    const { local } = this.#parts;
    if (local.segments.active.sizeBytes === 0) return true;
    if (!this.#path.isIdle || this.failure !== null) return false;
    const failure = failureOf(() => this.#path.roll());
    if (failure !== null) local.report('warn', `No segment could be begun: ${failure.message}`);
    return failure === null;
  }

  #range(lowerBound: number, upperBound: number): OffsetRange {
    return {
      from: Math.max(lowerBound, this.#logStartOffset),
      bound: Math.min(upperBound, this.logEndOffset),
    };
  }

  #requireOpen(): void {
    if (this.#closed) throw new LogError('LOG_CLOSED', `${this.topic}-${this.partition} is closed`);
  }
}
