/**
 * A follower at its work, for as long as it follows one leader in one epoch: fetches the log, cuts its own where they
 * part, takes a snapshot where the leader's log begins later than its own ends.
 *
 * One request at a time, and none before all that was asked of the log is synced: the offset of a fetch is the follower's
 * word for what it holds.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { HighWatermark } from './high-watermark.ts';
import { type LogChanges, lost } from './log-changes.ts';
import { endOf, truncationPoint } from './log-position.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { LeaderBefore } from './quorum-effects.ts';
import type { LogBatch } from './quorum-log.ts';
import type { RequestToSend } from './quorum-messages.ts';
import { fetchRequest, fetchSnapshotRequest } from './quorum-requests.ts';
import type { FetchAnswered, SnapshotAnswered } from './received-answers.ts';
import { CLOSED_BY_THE_ABSENT, RequestRound } from './request-round.ts';
import { SnapshotDownload } from './snapshot-download.ts';

export interface FollowingOptions<Batch extends LogBatch> {
  readonly context: QuorumContext<Batch>;
  readonly changes: LogChanges<Batch>;
  readonly highWatermark: HighWatermark<Batch>;
  readonly leaderId: number;
  readonly epoch: number;
  /** How long from now the leader may be silent at first. */
  readonly patienceMs: number;
  /** How long from now it is followed even if it is found to be gone. */
  readonly leastPatienceMs: number;
}

export class Following<Batch extends LogBatch> {
  readonly leaderId: number;
  readonly #context: QuorumContext<Batch>;
  readonly #changes: LogChanges<Batch>;
  readonly #highWatermark: HighWatermark<Batch>;
  readonly #epoch: number;
  readonly #earliestStandMs: number;
  readonly #round: RequestRound<Batch>;
  #deadlineMs: number;
  #hearsLeader = false;
  #isLeaderGone = false;
  #wasHeard = false;
  #lastHeardMs: number;
  /** The log was being written to: the silence is not the leader's. */
  #wasKeptFromAsking = false;
  /** What the leader said is committed, which may be more than is here. */
  #leaderHighWatermark = -1;
  #download: SnapshotDownload<Batch> | null = null;

  constructor(options: FollowingOptions<Batch>) {
    const { context, leaderId, patienceMs, leastPatienceMs } = options;
    this.#context = context;
    this.#changes = options.changes;
    this.#highWatermark = options.highWatermark;
    this.#epoch = options.epoch;
    this.leaderId = leaderId;
    this.#deadlineMs = context.monotonic + patienceMs;
    this.#earliestStandMs = context.monotonic + leastPatienceMs;
    this.#lastHeardMs = context.monotonic;
    const { requestTimeoutMs, fetchTimeoutMs } = context.settings.timing;
    // One lost answer shall not cost the leader its follower.
    const timeoutMs = Math.min(requestTimeoutMs, fetchTimeoutMs / 2);
    this.#round = new RequestRound(context, [leaderId], timeoutMs, () => this.#question());
  }

  /** Whether the leader has answered since it is followed, and is not known to be gone since. */
  get hearsLeader(): boolean {
    return this.#hearsLeader;
  }

  /** `earlier`: the same of whom was followed before. A leader that is followed anew is not heard for that. */
  asLeaderBefore(earlier: LeaderBefore | null): LeaderBefore {
    const { leaderId } = this;
    const isSame = earlier?.leaderId === leaderId && earlier.epoch === this.#epoch;
    if (isSame && !this.#wasHeard) return earlier;
    return { leaderId, epoch: this.#epoch, lastHeardMs: this.#lastHeardMs };
  }

  /** The leader has been silent for too long, while nothing here kept the follower from asking. */
  get hasLostLeader(): boolean {
    return this.#changes.isSettled && this.#context.monotonic >= this.#deadlineMs;
  }

  get nextDueAtMs(): number {
    return this.#changes.isSettled ? Math.min(this.#deadlineMs, this.#round.nextDueAtMs) : Infinity;
  }

  run(): void {
    if (this.#changes.isSettled) this.#round.run();
    else this.#wasKeptFromAsking = true;
  }

  /** What was asked of the log is synced, or was given up. */
  logChanged(): void {
    this.#raiseHighWatermark();
    if (!this.#changes.isSettled || !this.#wasKeptFromAsking) return;
    this.#wasKeptFromAsking = false;
    this.#deadlineMs = Math.max(this.#deadlineMs, this.#nextDeadlineMs);
  }

  /** The log took none of it: once more, after a pause. */
  pause(): void {
    const { retryBackoffMs } = this.#context.settings.timing;
    this.#round.askAgain(this.leaderId, retryBackoffMs);
  }

  /** Whether the request was this follower's. It will be asked again, after a pause where nothing else is said. */
  take(requestId: number): boolean {
    return this.#round.take(requestId) !== null;
  }

  /**
   * No answer. A leader whose side does nothing but close connections is gone, most likely: it need not be waited for
   * until its time is over. If it is there for the others, they refuse the pre-vote.
   */
  failed(requestId: number, closed: boolean): void {
    if (this.#round.failed(requestId, closed) === null || this.#isLeaderGone) return;
    if (this.#round.closedAtLeast(CLOSED_BY_THE_ABSENT) === 0) return;
    this.#isLeaderGone = true;
    this.#hearsLeader = false;
    const earliestMs = Math.max(this.#context.monotonic, this.#earliestStandMs);
    this.#deadlineMs = Math.min(this.#deadlineMs, earliestMs + this.#turnMs);
  }

  fetchAnswered(answer: FetchAnswered, batches: readonly Batch[]): void {
    if (answer.errorCode !== ErrorCode.NONE) return this.#say(answer.errorCode);
    this.#heard();
    if (answer.diverging !== null) return this.#truncate(answer.diverging);
    if (answer.snapshotId !== null) return this.#beginDownload(answer.snapshotId);
    this.#leaderHighWatermark = answer.highWatermark;
    if (batches.length > 0) this.#append(batches);
    this.#raiseHighWatermark();
  }

  snapshotAnswered(answer: SnapshotAnswered): void {
    const download = this.#download;
    if (download === null) return;
    if (answer.errorCode !== ErrorCode.NONE || answer.chunk === null) {
      this.#say(answer.errorCode);
      this.#endDownload();
      return;
    }
    this.#heard();
    switch (download.take(answer.chunk)) {
      case 'more':
        return;
      case 'whole':
        this.#download = null;
        this.#changes.install(download.id);
        return;
      case 'unfit':
        this.#context.say('warn', 'The leader gave another part of the snapshot than was asked for', {
          leaderId: this.leaderId,
          endOffset: download.id.endOffset,
          position: download.position,
        });
        this.#endDownload();
        this.pause();
    }
  }

  /** Follows no more. */
  end(): void {
    this.#endDownload();
  }

  get #nextDeadlineMs(): number {
    return this.#context.monotonic + this.#context.settings.timing.fetchTimeoutMs;
  }

  /** Who is left does not stand all at once; observers look elsewhere last. */
  get #turnMs(): number {
    const { voterIds, nodeId } = this.#context;
    const left = voterIds.filter((id) => id !== this.leaderId).toSorted((one, other) => one - other);
    const all = left.includes(nodeId) ? left : [...left, nodeId];
    return this.#context.turnMs(all.indexOf(nodeId), all.length);
  }

  #question(): RequestToSend {
    const { settings, log } = this.#context;
    const download = this.#download;
    if (download !== null) return fetchSnapshotRequest(settings, this.#epoch, download.id, download.position);
    return fetchRequest(settings, this.#epoch, log, endOf(log), this.#maxWaitMs);
  }

  /** The leader must be heard of well before it is given up; the first time at once. */
  get #maxWaitMs(): number {
    const { fetchMaxWaitMs, fetchTimeoutMs } = this.#context.settings.timing;
    return this.#hearsLeader ? Math.floor(Math.min(fetchMaxWaitMs, fetchTimeoutMs / 4)) : 0;
  }

  #heard(): void {
    this.#hearsLeader = true;
    this.#isLeaderGone = false;
    this.#wasHeard = true;
    this.#lastHeardMs = this.#context.monotonic;
    this.#deadlineMs = this.#nextDeadlineMs;
    this.#round.askAgain(this.leaderId);
  }

  #truncate(diverging: { readonly epoch: number; readonly endOffset: number }): void {
    this.#changes.truncate(truncationPoint(this.#context.log, diverging), this.#highWatermark.offset);
  }

  #beginDownload(id: { readonly endOffset: number; readonly epoch: number }): void {
    const { offset } = this.#highWatermark;
    if (id.endOffset < offset) throw lost(`the leader's snapshot ends at ${id.endOffset}`, offset);
    this.#context.say('info', 'Fetching a snapshot of the metadata log', { ...id });
    this.#download = new SnapshotDownload(this.#context, id);
  }

  #endDownload(): void {
    this.#download?.discard();
    this.#download = null;
  }

  /** KAFKA-18723: nothing of a later epoch than the one that was asked in. */
  #append(batches: readonly Batch[]): void {
    const taken: Batch[] = [];
    let { offset: nextOffset, epoch } = endOf(this.#context.log);
    for (const batch of batches) {
      const continues = batch.baseOffset === nextOffset && batch.lastOffset >= batch.baseOffset;
      if (!continues || batch.epoch < epoch || batch.epoch > this.#epoch) break;
      taken.push(batch);
      nextOffset = batch.lastOffset + 1;
      epoch = batch.epoch;
    }
    if (taken.length > 0) return this.#changes.append(taken);
    this.#context.say('warn', 'The leader gave records that do not continue the metadata log', {
      leaderId: this.leaderId,
      logEndOffset: nextOffset,
    });
    this.pause();
  }

  #raiseHighWatermark(): void {
    this.#highWatermark.raise(Math.min(this.#leaderHighWatermark, this.#context.log.logEndOffset));
  }

  #say(errorCode: number): void {
    this.#context.say('debug', 'The leader refused a fetch of the metadata log', {
      leaderId: this.leaderId,
      errorCode,
    });
  }
}
