/**
 * One node's part in the quorum of the metadata log: KRaft with static voters (`kraft.version` 0), as a pure state
 * machine. `QuorumStanding` has its roles and how they change. The only voter of a quorum elects itself within `started`.
 *
 * What it promises
 * - At most one leader in an epoch; no epoch is used twice by a node whose quorum-state file is kept.
 * - The high watermark never falls. A leader moves it to where a majority of voters holds the log SYNCED, and only once
 *   that covers a record of its own epoch; then what lies below it is in the log of every later leader.
 * - Every request is answered once: at once, or from a later step if it is a fetch that waits.
 * - It never truncates below the high watermark, nor begins a log anew before it: it throws `MetadataError`
 *   COMMITTED_RECORDS_LOST instead, for then some voter has lost what it had synced.
 *
 * What it expects
 * - `started` comes first. `QuorumLog` is then whole: `logStartOffset <= latestSnapshot end <= logEndOffset`, and all
 *   of it is synced.
 * - Effects are carried out in order, those of one step before the next step begins. `persist-state` is SYNCED before
 *   any later `send`, `respond` or append; if that fails the node must stop, having done none of what follows.
 * - `append`, `append-leader-change`, `truncate` and `install-snapshot` may finish later. What was asked for shows in
 *   `nextAppendOffset` at once, and in `logEndOffset` only when it is synced; `log-changed` is given then. Nothing may
 *   be told to another node, nor applied, on the strength of a write that is not synced: the replica sees to it by
 *   looking at `logEndOffset` alone.
 * - Answers are matched by `requestId`. Late, doubled and lost ones do no harm; nor do those to a former run of the
 *   process, whose ids are others.
 * - The caller runs `tick` when `nextDueAtMs` has come.
 * - The image is built of what lies below the high watermark, which `high-watermark` tells; at the start that is the
 *   latest snapshot.
 */
import type { apis, RequestOf, ResponseInput } from '@seatlog/kafka-protocol';
import type { QuorumState } from '../quorum/quorum-state.ts';
import { describeQuorum } from './describe-quorum.ts';
import { HighWatermark } from './high-watermark.ts';
import { LogChanges } from './log-changes.ts';
import { QuorumContext, type QuorumSurroundings } from './quorum-context.ts';
import type { QuorumDescription } from './quorum-description.ts';
import type { LeaderAndEpoch, LeaderBefore, QuorumEffect } from './quorum-effects.ts';
import type { QuorumEvent } from './quorum-events.ts';
import type { LogBatch } from './quorum-log.ts';
import type { QuorumMoment } from './quorum-moment.ts';
import { QuorumStanding } from './quorum-standing.ts';
import { RequestAnswers } from './request-answers.ts';
import { CLOSED_BY_THE_ABSENT } from './request-round.ts';
import { ResponseReader } from './response-reader.ts';

export interface QuorumReplicaOptions extends QuorumSurroundings {
  /** What the quorum-state file says; null if there is none. */
  readonly storedState: QuorumState | null;
}

/** How many election time-outs a stopping leader waits for another one, at most. */
const CLOSING_ELECTION_TIMEOUTS = 2;
/** Which part of a fetch time-out it lets the others catch up for before it resigns, at most. */
const FAREWELL_SHARE = 4;

export class QuorumReplica<Batch extends LogBatch = LogBatch> {
  readonly #context: QuorumContext<Batch>;
  readonly #changes: LogChanges<Batch>;
  readonly #highWatermark: HighWatermark<Batch>;
  readonly #standing: QuorumStanding<Batch>;
  readonly #requests: RequestAnswers<Batch>;
  readonly #responses: ResponseReader<Batch>;
  /** When a stopping leader resigns at the latest; Infinity while it does not stop, or once it has resigned. */
  #resignsAtMs = Infinity;
  /** When a stopping node closes at the latest; Infinity while it does not stop, or once it has closed. */
  #closesAtMs = Infinity;

  constructor(options: QuorumReplicaOptions) {
    const context = new QuorumContext<Batch>(options);
    this.#context = context;
    this.#changes = new LogChanges(context);
    this.#highWatermark = new HighWatermark(context);
    const { storedState } = options;
    this.#standing = new QuorumStanding({
      context,
      changes: this.#changes,
      highWatermark: this.#highWatermark,
      storedState,
    });
    this.#requests = new RequestAnswers(context, this.#standing);
    this.#responses = new ResponseReader(context, this.#standing);
  }

  /** When `tick` is due, on the monotonic clock; Infinity if nothing is waited for. It may change with every step. */
  get nextDueAtMs(): number {
    return Math.min(this.#standing.nextDueAtMs, this.#closesAtMs);
  }

  get leaderAndEpoch(): LeaderAndEpoch {
    return this.#standing.leader;
  }

  /** Whom this node followed before it led; null if nobody, or if it has led since. */
  get leaderBefore(): LeaderBefore | null {
    return this.#standing.leaderBefore;
  }

  /** What is committed as far as this node knows; at the start, the end of its snapshot. */
  get highWatermark(): number {
    return this.#highWatermark.offset;
  }

  /** Whether this node leads, its term begun or not. */
  get isLeader(): boolean {
    return this.#standing.state.role === 'leader';
  }

  /** For `/state` and metrics. */
  get description(): QuorumDescription {
    const { state, leader, votedId } = this.#standing;
    const members = state.role === 'leader' ? state.leadership.members : null;
    return {
      nodeId: this.#context.nodeId,
      role: state.role,
      isVoter: this.#context.isVoter,
      leader,
      votedId,
      highWatermark: this.#highWatermark.offset,
      logEndOffset: this.#context.log.logEndOffset,
      voters: members?.voters ?? [],
      observers: members?.observers ?? [],
    };
  }

  /** Any node can be asked; one that does not lead answers NOT_LEADER_OR_FOLLOWER and says who does. `version`: the request's. */
  describeQuorum(
    request: RequestOf<typeof apis.describeQuorum>,
    version = 2,
  ): ResponseInput<typeof apis.describeQuorum> {
    return describeQuorum(this.description, this.#context.settings, request, version);
  }

  step(event: QuorumEvent<Batch>, moment: QuorumMoment): readonly QuorumEffect<Batch>[] {
    this.#context.beginStep(moment);
    this.#changes.beginStep();
    this.#take(event);
    this.#standing.drive();
    this.#resignIfDone();
    this.#closeIfDone();
    return this.#context.effects;
  }

  #take(event: QuorumEvent<Batch>): void {
    switch (event.type) {
      case 'started':
        return this.#standing.start();
      case 'tick':
        return;
      case 'request':
        return this.#requests.answer(event);
      case 'response':
        return this.#responses.read(event);
      case 'request-failed':
        return this.#responses.failed(event.requestId, event.closed === true);
      case 'append':
        return this.#append(event.batch);
      case 'log-changed':
        return this.#lookAtLog();
      case 'append-failed':
        return this.#appendFailed();
      case 'snapshot-installed':
        if (this.#changes.installed(event.id)) this.#highWatermark.raise(event.id.endOffset);
        return this.#lookAtLog();
      case 'snapshot-unfit':
        this.#changes.installed(event.id);
        return this.#appendFailed();
      case 'resign':
        return this.#standing.resign('asked to');
      case 'shutdown':
        return this.#close();
    }
  }

  #append(batch: Batch): void {
    const { state } = this.#standing;
    if (state.role === 'leader') state.leadership.append(batch);
    else this.#context.emit({ type: 'append-refused', batch });
  }

  #lookAtLog(): void {
    this.#changes.look();
    const { state } = this.#standing;
    if (state.role === 'leader') state.leadership.logChanged();
    else if (state.role === 'follower') state.following.logChanged();
  }

  #appendFailed(): void {
    const { state } = this.#standing;
    if (state.role === 'leader') this.#standing.resign('the metadata log could not be written');
    else if (state.role === 'follower') state.following.pause();
    this.#lookAtLog();
  }

  #close(): void {
    this.#standing.close();
    const { settings, monotonic, otherVoterIds } = this.#context;
    const leads = this.#standing.state.role === 'leader' && otherVoterIds.length > 0;
    this.#resignsAtMs = leads ? monotonic + settings.timing.fetchTimeoutMs / FAREWELL_SHARE : monotonic;
    this.#closesAtMs = this.#resignsAtMs;
  }

  /**
   * A leader that stops first lets the others have what is decided: who succeeds it can then be elected at once, and what
   * they wait for before they stop themselves has come to them.
   */
  #resignIfDone(): void {
    const { state } = this.#standing;
    if (this.#resignsAtMs === Infinity) return;
    const { monotonic, otherVoterIds, settings } = this.#context;
    if (state.role === 'leader' && monotonic < this.#resignsAtMs && !state.leadership.hasToldAll) return;
    this.#resignsAtMs = Infinity;
    this.#standing.resign('this node stops');
    const waits = this.#standing.state.role === 'resigned' && otherVoterIds.length > 0;
    const patienceMs = waits ? CLOSING_ELECTION_TIMEOUTS * settings.timing.electionTimeoutMs : 0;
    this.#closesAtMs = monotonic + patienceMs;
    this.#standing.drive();
  }

  /** It then stays until another one is known, so that its vote is there for the election, if anybody is left for one. */
  #closeIfDone(): void {
    if (this.#closesAtMs === Infinity || this.#resignsAtMs !== Infinity) return;
    const { state } = this.#standing;
    const isDue = this.#context.monotonic >= this.#closesAtMs;
    const gone = state.role === 'resigned' ? state.farewell.closedAtLeast(CLOSED_BY_THE_ABSENT) : 0;
    const isLeftAlone = state.role === 'resigned' && gone === this.#context.otherVoterIds.length;
    if (!isDue && state.role !== 'follower' && !isLeftAlone) return;
    this.#closesAtMs = Infinity;
    this.#context.emit({ type: 'closed' });
  }
}
