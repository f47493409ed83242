/**
 * A partition on a broker that follows: where it fetches from, and what it does with the answers.
 *
 *     follow ─────────────▶ ready; truncating to the HW first, where the log has no epochs; leaderless   R24
 *     ready ──takePosition──▶ fetching                                                                  R1
 *     fetching ──records────▶ appending ──appended──▶ ready, with the HW and log start of the answer    R3, R4, R27
 *     fetching ──a batch that begins before the log end──▶ truncating ──truncated──▶ appending
 *     fetching ──nothing────▶ ready, the same                                                           R4
 *     fetching ──diverging──▶ truncating ──truncated──▶ ready                                           R24
 *     fetching ──diverging below the leader's log start──▶ truncating, to begin anew there              R24
 *     fetching ──out of range──▶ asking-offsets ──leader-offsets──▶ truncating, or delayed              R26
 *     fetching ──fenced─────▶ fenced, until `follow`                                                    R25
 *     fetching, asking-offsets ──any other error──▶ delayed ──time──▶ ready                             R2
 *     fetching ──the leader has not heard that it leads──▶ delayed, shorter at first                    R2
 *     appending, truncating ──failed──▶ failed, until `follow`
 *
 * Promises: one event in, effects out. An answer counts only for the request it was sent for (R28, F23). The high
 * watermark of an answer that makes it truncate is not applied: the log is compared again first, and the answer that
 * finds it in line brings its own.
 * Expects of the caller: `follow` is the first event; effects are carried out before the next event; each `append`,
 * `truncate`, `restart-log` and `ask-leader-offsets` comes back once; while `isWriting` the log is touched by nobody else.
 */
import { batchBaseOffset, ErrorCode, errorByCode } from '@seatlog/kafka-protocol';
import { NO_LEADER } from '../cluster-view.ts';
import { logLine } from '../log-line.ts';
import type { Moment } from '../moment.ts';
import { type PartitionIdentity, partitionName } from '../partition-identity.ts';
import { type ReplicaLog, UNDEFINED_EPOCH } from '../replica-log.ts';
import { wakeFetches } from '../waiting-fetches.ts';
import type { FetchedRecords, FetchState } from './fetch-state.ts';
import { appendableBatches } from './fetched-batches.ts';
import type { FollowerEffect } from './follower-effects.ts';
import type { FetchedPartition, FetchPosition, FollowerEvent, LogOutcome } from './follower-events.ts';
import { truncationOffset } from './truncation.ts';

export interface PartitionFollowerOptions {
  readonly identity: PartitionIdentity;
  readonly log: ReplicaLog;
  /** `replica.fetch.backoff.ms`. */
  readonly fetchBackoffMs: number;
}

/**
 * What a leader says that has not heard yet what this follower has heard: metadata reaches both within milliseconds of
 * each other, and after a leader's death writes wait for the first fetch of every ISR member. The first pause is short
 * therefore, and doubles up to the back-off.
 */
const UNHEARD: ReadonlySet<number> = new Set([
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.UNKNOWN_LEADER_EPOCH,
  ErrorCode.UNKNOWN_TOPIC_ID,
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
]);
const FIRST_PAUSE_MS = 50;

export class PartitionFollower {
  readonly identity: PartitionIdentity;
  readonly #log: ReplicaLog;
  readonly #fetchBackoffMs: number;
  #state: FetchState = { kind: 'leaderless' };
  #leaderId = NO_LEADER;
  #leaderEpoch = -1;
  #leaderHighWatermark = 0;
  #nextAskId = 1;
  #nextPauseMs = FIRST_PAUSE_MS;
  /** What an operator was told of last, since the leader gave something. */
  #toldRefusal: number = ErrorCode.NONE;

  constructor({ identity, log, fetchBackoffMs }: PartitionFollowerOptions) {
    this.identity = identity;
    this.#log = log;
    this.#fetchBackoffMs = fetchBackoffMs;
  }

  get state(): FetchState {
    return this.#state;
  }

  get leaderId(): number {
    return this.#leaderId;
  }

  get leaderEpoch(): number {
    return this.#leaderEpoch;
  }

  /** The log is being appended to or truncated. */
  get isWriting(): boolean {
    return this.#state.kind === 'appending' || this.#state.kind === 'truncating';
  }

  /** How many records it lacks of what the leader has committed, as far as it was told (R30). */
  get lag(): number {
    return Math.max(0, this.#leaderHighWatermark - this.#log.logEndOffset);
  }

  /** When it may be fetched for again; -Infinity: now; +Infinity: not before an event. */
  get dueAtMs(): number {
    // A fetch says that this replica keeps up, which it could not with the next record.
    if (this.#log.failure !== null) return Number.POSITIVE_INFINITY;
    if (this.#state.kind === 'ready') return Number.NEGATIVE_INFINITY;
    return this.#state.kind === 'delayed' ? this.#state.untilMs : Number.POSITIVE_INFINITY;
  }

  /** Joins the fetch of that id. It must be due (`dueAtMs`). */
  takePosition(requestId: number): FetchPosition {
    const fetchOffset = this.#log.logEndOffset;
    this.#state = { kind: 'fetching', requestId, fetchOffset };
    return {
      currentLeaderEpoch: this.#leaderEpoch,
      fetchOffset,
      lastFetchedEpoch: this.#log.latestLeaderEpoch,
      logStartOffset: this.#log.logStartOffset,
    };
  }

  step(event: FollowerEvent, moment: Moment): readonly FollowerEffect[] {
    const effects: FollowerEffect[] = [];
    switch (event.type) {
      case 'follow':
        this.#follow(event.leaderId, event.leaderEpoch, effects);
        break;
      case 'fetched':
        if (!this.#isFetching(event.requestId)) break;
        if (this.#isWhereItFetched()) this.#takeAnswer(event.answer, moment, effects);
        else this.#enter({ kind: 'ready' }, effects);
        break;
      case 'fetch-failed':
        if (this.#isFetching(event.requestId)) this.#delay(moment, effects);
        break;
      case 'appended':
        this.#noteAppended(event.outcome, moment, effects);
        break;
      case 'truncated':
        this.#noteTruncated(event.outcome, moment, effects);
        break;
      case 'leader-offsets':
        if (this.#isAsking(event.askId))
          this.#fitIn(event.logStartOffset, event.logEndOffset, moment, effects);
        break;
      case 'leader-offsets-failed':
        if (this.#isAsking(event.askId)) this.#delay(moment, effects);
        break;
    }
    return effects;
  }

  #isFetching(requestId: number): boolean {
    return this.#state.kind === 'fetching' && this.#state.requestId === requestId;
  }

  /**
   * False when something that this broker appended as a leader was still being written: then the answer does not speak
   * of where the log ends now.
   */
  #isWhereItFetched(): boolean {
    const { logEndOffset, nextAppendOffset } = this.#log;
    const isStill = nextAppendOffset === logEndOffset;
    return isStill && this.#state.kind === 'fetching' && this.#state.fetchOffset === logEndOffset;
  }

  #isAsking(askId: number): boolean {
    return this.#state.kind === 'asking-offsets' && this.#state.askId === askId;
  }

  #follow(leaderId: number, leaderEpoch: number, effects: FollowerEffect[]): void {
    this.#leaderId = leaderId;
    this.#leaderEpoch = leaderEpoch;
    this.#nextPauseMs = FIRST_PAUSE_MS;
    this.#toldRefusal = ErrorCode.NONE;
    const state = this.#state;
    if (state.kind === 'appending' || state.kind === 'truncating') {
      this.#state = { ...state, superseded: true };
      return;
    }
    this.#begin(effects);
  }

  #begin(effects: FollowerEffect[]): void {
    const { latestLeaderEpoch, logEndOffset, highWatermark } = this.#log;
    if (this.#leaderId === NO_LEADER) this.#enter({ kind: 'leaderless' }, effects);
    else if (latestLeaderEpoch === UNDEFINED_EPOCH && logEndOffset > highWatermark) {
      // Nothing can be compared; what is below the high watermark is in every history.
      effects.push(
        logLine('info', this.#truncating(highWatermark, 'its high watermark, as it has no leader epochs')),
      );
      this.#truncate(highWatermark, effects);
    } else this.#enter({ kind: 'ready' }, effects);
  }

  #takeAnswer(answer: FetchedPartition, moment: Moment, effects: FollowerEffect[]): void {
    switch (answer.errorCode) {
      case ErrorCode.NONE:
        this.#toldRefusal = ErrorCode.NONE;
        if (answer.divergingEpoch.epoch === UNDEFINED_EPOCH) this.#takeBatches(answer, moment, effects);
        else this.#truncateTo(answer, effects);
        return;
      case ErrorCode.OFFSET_OUT_OF_RANGE:
        this.#askOffsets(effects);
        return;
      case ErrorCode.FENCED_LEADER_EPOCH:
        this.#enter({ kind: 'fenced' }, effects);
        return;
      default:
        this.#takeRefusal(answer.errorCode, moment, effects);
    }
  }

  /** A leader that has not heard of its leadership yet is a moment behind: an operator is told of one that stays so. */
  #takeRefusal(errorCode: number, moment: Moment, effects: FollowerEffect[]): void {
    const pauseMs = UNHEARD.has(errorCode) ? this.#takePause() : this.#fetchBackoffMs;
    const isNews = pauseMs >= this.#fetchBackoffMs && errorCode !== this.#toldRefusal;
    if (isNews) this.#toldRefusal = errorCode;
    const message = `The leader refused a fetch: ${errorByCode(errorCode).name}`;
    effects.push(logLine(isNews ? 'warn' : 'debug', message));
    this.#delay(moment, effects, pauseMs);
  }

  #takePause(): number {
    const pauseMs = Math.min(this.#nextPauseMs, this.#fetchBackoffMs);
    this.#nextPauseMs = 2 * pauseMs;
    return pauseMs;
  }

  #takeBatches(answer: FetchedPartition, moment: Moment, effects: FollowerEffect[]): void {
    const given = answer.records ?? new Uint8Array(0);
    const { records, stoppedBy } = appendableBatches(given, this.#leaderEpoch);
    // Of a later epoch nothing counts: what this log holds was not compared with it.
    const { highWatermark, logStartOffset } = stoppedBy === 'later-epoch' ? this.#log : answer;
    this.#leaderHighWatermark = highWatermark;
    if (stoppedBy === 'damage') {
      effects.push(logLine('error', 'The leader sent a batch whose checksum is wrong; it is not appended'));
    }
    if (records.length > 0) {
      this.#takeRecords(
        { records, leaderHighWatermark: highWatermark, leaderLogStart: logStartOffset },
        effects,
      );
      return;
    }
    this.#applyLeaderOffsets(highWatermark, logStartOffset, effects);
    // Nothing of what came could be used: asking again at once would bring the same.
    if (given.length > 0) this.#delay(moment, effects);
    else this.#enter({ kind: 'ready' }, effects);
  }

  #takeRecords(fetched: FetchedRecords, effects: FollowerEffect[]): void {
    const { logStartOffset, logEndOffset } = this.#log;
    const firstOffset = batchBaseOffset(fetched.records);
    if (firstOffset >= logEndOffset) {
      this.#append(fetched, effects);
      return;
    }
    // The leader's records were deleted up to inside of this batch, so that nothing before it could be compared. It
    // goes into the log as a whole, in place of what this log has there.
    const type = firstOffset < logStartOffset ? 'restart-log' : 'truncate';
    // The answer's bytes are the caller's, who may use them again once this step is carried out.
    this.#cut({ type, offset: firstOffset }, effects, {
      ...fetched,
      records: Uint8Array.from(fetched.records),
    });
  }

  #append({ records, leaderHighWatermark, leaderLogStart }: FetchedRecords, effects: FollowerEffect[]): void {
    effects.push({ type: 'append', records });
    this.#enter({ kind: 'appending', leaderHighWatermark, leaderLogStart, superseded: false }, effects);
  }

  /** R4, R27: neither may be beyond what this log holds, nor the log start beyond the high watermark. */
  #applyLeaderOffsets(leaderHighWatermark: number, leaderLogStart: number, effects: FollowerEffect[]): void {
    const { logStartOffset, logEndOffset } = this.#log;
    const before = this.#log.highWatermark;
    const highWatermark = Math.max(logStartOffset, Math.min(leaderHighWatermark, logEndOffset));
    if (highWatermark !== before) effects.push({ type: 'update-high-watermark', highWatermark });
    const logStart = Math.min(leaderLogStart, highWatermark);
    if (logStart > logStartOffset) effects.push({ type: 'raise-log-start', logStartOffset: logStart });
    if (highWatermark > before) effects.push(wakeFetches('high-watermark'));
  }

  #truncateTo(answer: FetchedPartition, effects: FollowerEffect[]): void {
    const { divergingEpoch: diverging, logStartOffset: leaderStart } = answer;
    if (diverging.endOffset <= leaderStart) {
      // What is left of the epoch on the leader is nothing: what this log has of it cannot be compared with what was
      // deleted there, and may be of another history.
      this.#restartAt(leaderStart, effects);
      return;
    }
    const offset = truncationOffset(this.#log, diverging);
    const reason = `leader epoch ${diverging.epoch}, which the leader ended at ${diverging.endOffset}`;
    effects.push(logLine('info', this.#truncating(offset, reason)));
    this.#truncate(offset, effects);
  }

  #truncating(offset: number, reason: string): string {
    return `Truncating partition ${partitionName(this.identity)} to offset ${offset} due to ${reason}`;
  }

  #truncate(offset: number, effects: FollowerEffect[]): void {
    const below = offset < this.#log.logStartOffset;
    this.#cut(below ? { type: 'restart-log', offset } : { type: 'truncate', offset }, effects);
  }

  #cut(effect: FollowerEffect, effects: FollowerEffect[], afterwards: FetchedRecords | null = null): void {
    const { logEndOffset, latestLeaderEpoch } = this.#log;
    effects.push(effect);
    this.#enter(
      {
        kind: 'truncating',
        endOffsetBefore: logEndOffset,
        latestEpochBefore: latestLeaderEpoch,
        afterwards,
        superseded: false,
      },
      effects,
    );
  }

  #noteAppended(outcome: LogOutcome, moment: Moment, effects: FollowerEffect[]): void {
    const state = this.#state;
    if (state.kind !== 'appending') return;
    if (outcome === 'failed') this.#fail(effects);
    else if (state.superseded) this.#begin(effects);
    else if (outcome === 'retry') this.#delay(moment, effects);
    else {
      this.#applyLeaderOffsets(state.leaderHighWatermark, state.leaderLogStart, effects);
      this.#enter({ kind: 'ready' }, effects);
    }
  }

  #noteTruncated(outcome: LogOutcome, moment: Moment, effects: FollowerEffect[]): void {
    const state = this.#state;
    if (state.kind !== 'truncating') return;
    const isUnchanged =
      state.endOffsetBefore === this.#log.logEndOffset &&
      state.latestEpochBefore === this.#log.latestLeaderEpoch;
    if (outcome === 'failed') this.#fail(effects);
    else if (state.superseded) this.#begin(effects);
    else if (outcome === 'retry' || isUnchanged) this.#delay(moment, effects);
    else if (state.afterwards !== null) this.#append(state.afterwards, effects);
    else this.#enter({ kind: 'ready' }, effects);
  }

  #askOffsets(effects: FollowerEffect[]): void {
    const askId = this.#nextAskId++;
    effects.push({ type: 'ask-leader-offsets', leaderId: this.#leaderId, askId });
    this.#enter({ kind: 'asking-offsets', askId }, effects);
  }

  /** R26: the leader's log does not reach to where this one ends, or begins after it. */
  #fitIn(leaderStart: number, leaderEnd: number, moment: Moment, effects: FollowerEffect[]): void {
    const { logEndOffset } = this.#log;
    if (leaderEnd < logEndOffset) {
      effects.push(logLine('warn', this.#truncating(leaderEnd, `the end of the leader’s log`)));
      this.#truncate(leaderEnd, effects);
    } else if (leaderStart > logEndOffset) {
      this.#restartAt(leaderStart, effects);
    } else this.#delay(moment, effects);
  }

  #restartAt(leaderStart: number, effects: FollowerEffect[]): void {
    const name = partitionName(this.identity);
    const what = `The leader’s log of ${name} begins at ${leaderStart}: this one is dropped and begins there`;
    effects.push(logLine('warn', what));
    this.#cut({ type: 'restart-log', offset: leaderStart }, effects);
  }

  #delay(moment: Moment, effects: FollowerEffect[], pauseMs = this.#fetchBackoffMs): void {
    this.#enter({ kind: 'delayed', untilMs: moment.monotonic + pauseMs }, effects);
  }

  #fail(effects: FollowerEffect[]): void {
    effects.push(logLine('error', 'The log failed; the partition is not fetched any more'));
    this.#enter({ kind: 'failed' }, effects);
  }

  #enter(state: FetchState, effects: FollowerEffect[]): void {
    this.#state = state;
    effects.push({ type: 'fetch-state-changed' });
  }
}
