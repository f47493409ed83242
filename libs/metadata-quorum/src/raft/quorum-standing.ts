/**
 * The role of a replica, its epoch and its vote. This is the one place where they change:
 *
 *     unattached ──election time-out──▶ prospective ──a majority would──▶ candidate ──a majority does──▶ leader
 *     prospective ──refused, or time-out──▶ unattached, or follower if the leader of its epoch is known
 *     candidate ──refused, or time-out──▶ unattached, which stands again after a random pause
 *     leader ──no majority fetches, `resign`, `shutdown`, a failed append──▶ resigned ──election time-out──▶ prospective
 *     follower ──fetch time-out──▶ prospective (an observer: unattached)
 *     follower ──its leader has resigned──▶ unattached
 *     any ──a greater epoch──▶ unattached, or follower where its leader is named
 *     unattached, prospective, candidate ──the leader of its epoch is named──▶ follower
 *     unattached, prospective ──gives its vote──▶ unattached
 *
 * An observer is only ever unattached or follower. What must outlive a crash (epoch, vote, leader) is asked to be
 * persisted before the role's first word to anybody.
 */
import type { QuorumState } from '../quorum/quorum-state.ts';
import { Election } from './election.ts';
import { Following } from './following.ts';
import type { HighWatermark } from './high-watermark.ts';
import { LeaderSearch } from './leader-search.ts';
import { Leadership } from './leadership.ts';
import type { LogChanges } from './log-changes.ts';
import { endOf } from './log-position.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { LeaderAndEpoch, LeaderBefore } from './quorum-effects.ts';
import type { LogBatch } from './quorum-log.ts';
import { endQuorumEpochRequest } from './quorum-requests.ts';
import { RequestRound } from './request-round.ts';
import type { RoleState } from './role-state.ts';

const NOBODY = -1;
/** Of time-outs, after as many elections that came to nothing. */
const MOST_DOUBLINGS = 3;

export interface QuorumStandingOptions<Batch extends LogBatch> {
  readonly context: QuorumContext<Batch>;
  readonly changes: LogChanges<Batch>;
  readonly highWatermark: HighWatermark<Batch>;
  readonly storedState: QuorumState | null;
}

export class QuorumStanding<Batch extends LogBatch> {
  readonly #context: QuorumContext<Batch>;
  readonly #changes: LogChanges<Batch>;
  readonly #highWatermark: HighWatermark<Batch>;
  #persisted: QuorumState;
  #state: RoleState<Batch>;
  #epoch: number;
  #votedId: number;
  #announced: LeaderAndEpoch = { leaderId: NOBODY, epoch: -1 };
  /** An epoch whose leader has given up: nobody leads in it any more. */
  #resignedEpoch = -1;
  /** Elections in a row that this voter did not win, or that led to no term. */
  #lostElections = 0;
  #leaderBefore: LeaderBefore | null = null;
  /** A node that stops stands for no election. */
  #isClosing = false;

  constructor({ context, changes, highWatermark, storedState }: QuorumStandingOptions<Batch>) {
    this.#context = context;
    this.#changes = changes;
    this.#highWatermark = highWatermark;
    this.#persisted = storedState ?? { leaderId: NOBODY, leaderEpoch: 0, votedId: NOBODY };
    const { epoch: lastEpoch } = endOf(context.log);
    // A log that is ahead of the file tells of an epoch in which nothing is known of the vote.
    const isAhead = storedState === null || lastEpoch > storedState.leaderEpoch;
    this.#epoch = isAhead ? lastEpoch : storedState.leaderEpoch;
    this.#votedId = isAhead ? NOBODY : storedState.votedId;
    this.#state = { role: 'unattached', electionDueAtMs: Infinity, search: null };
  }

  get state(): RoleState<Batch> {
    return this.#state;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get votedId(): number {
    return this.#votedId;
  }

  get leader(): LeaderAndEpoch {
    return { leaderId: this.#leaderId, epoch: this.#epoch };
  }

  /** A leader of this epoch is known, or was there. */
  get knowsLeader(): boolean {
    return this.#leaderId !== NOBODY || this.#resignedEpoch === this.#epoch;
  }

  /** Whom this node followed last before it led, or before what it is now. */
  get leaderBefore(): LeaderBefore | null {
    return this.#leaderBefore;
  }

  get nextDueAtMs(): number {
    const state = this.#state;
    switch (state.role) {
      case 'unattached':
        return state.search === null ? this.#standsAt(state.electionDueAtMs) : state.search.nextDueAtMs;
      case 'prospective':
      case 'candidate':
        return state.election.nextDueAtMs;
      case 'leader':
        return state.leadership.nextDueAtMs;
      case 'follower':
        return state.following.nextDueAtMs;
      case 'resigned':
        return Math.min(state.farewell.nextDueAtMs, this.#standsAt(state.electionDueAtMs));
    }
  }

  /** Takes up what the file and the log say. */
  start(): void {
    const { isVoter, voterIds, nodeId } = this.#context;
    const stored = this.#persisted.leaderEpoch === this.#epoch ? this.#persisted.leaderId : NOBODY;
    if (isVoter && voterIds.length === 1) this.#unattached({ electionInMs: 0 });
    else if (stored === nodeId && isVoter) this.#resigned([]);
    else if (stored !== nodeId && this.#context.isVoterId(stored)) this.follow(this.#epoch, stored);
    else this.#unattached({});
  }

  close(): void {
    this.#isClosing = true;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Does what the time and the log allow, until nothing more follows. */
  drive(): void {
    let before: RoleState<Batch>;
    do {
      before = this.#state;
      this.#driveRole(before);
    } while (this.#state !== before);
  }

  /** Somebody says who leads in which epoch. Gives whether that was news that changed the role. */
  learn({ leaderId, epoch }: LeaderAndEpoch): boolean {
    if (epoch < this.#epoch) return false;
    const isLeader = this.#context.isVoterId(leaderId) && leaderId !== this.#context.nodeId;
    if (epoch > this.#epoch) {
      if (isLeader) this.follow(epoch, leaderId);
      else this.enterEpoch(epoch);
      return true;
    }
    const { role } = this.#state;
    const isOpen = role === 'unattached' || role === 'prospective' || role === 'candidate';
    if (!isLeader || !isOpen || this.knowsLeader) return false;
    this.follow(epoch, leaderId);
    return true;
  }

  /** A greater epoch, whose leader is not known. */
  enterEpoch(epoch: number): void {
    const since = this.#state;
    this.#epoch = epoch;
    this.#votedId = NOBODY;
    // Epochs that come one after another do not put its own election off for ever.
    this.#unattached(since.role === 'unattached' ? { electionDueAtMs: since.electionDueAtMs } : {});
  }

  giveVote(candidateId: number): void {
    this.#votedId = candidateId;
    this.#unattached({});
  }

  /** `pauseMs`: once more, after a pre-vote against that leader was lost; how long not to stand again. */
  follow(epoch: number, leaderId: number, pauseMs: number | null = null): void {
    if (epoch > this.#epoch) this.#votedId = NOBODY;
    this.#epoch = epoch;
    const { fetchTimeoutMs } = this.#context.settings.timing;
    // Long enough for the leader to be heard of, should it be there.
    const patienceMs = pauseMs === null ? fetchTimeoutMs : fetchTimeoutMs / 2 + pauseMs;
    const leastPatienceMs = pauseMs ?? 0;
    const following = new Following({ ...this.#parts, leaderId, epoch, patienceMs, leastPatienceMs });
    this.#enter({ role: 'follower', following }, leaderId);
  }

  /** The leader of this epoch is known to have given up. `electionInMs`: when this voter is to stand. */
  leaderResigned(electionInMs = this.#context.electionTimeoutMs()): void {
    const state = this.#state;
    // The same news again ends no election that it has begun.
    if (state.role === 'prospective' && this.#resignedEpoch === this.#epoch) return;
    const isKnown = state.role === 'unattached' && this.#resignedEpoch === this.#epoch;
    const earlier = isKnown ? state.electionDueAtMs : Infinity;
    this.#resignedEpoch = this.#epoch;
    this.#unattached({ electionDueAtMs: Math.min(earlier, this.#context.monotonic + electionInMs) });
  }

  /** A leader gives up. */
  resign(why: string): void {
    if (this.#state.role !== 'leader') return;
    this.#context.say('warn', 'Resigning as leader of the metadata quorum', { why, epoch: this.#epoch });
    if (!this.#state.leadership.hasBegun) this.#lostElections += 1;
    this.#resigned(this.#state.leadership.members.successors);
  }

  /** Where time-outs were too short for how slow disks and machines are at the moment, they are longer next time. */
  get #patience(): number {
    return 2 ** Math.min(this.#lostElections, MOST_DOUBLINGS);
  }

  get #parts() {
    return { context: this.#context, changes: this.#changes, highWatermark: this.#highWatermark };
  }

  get #leaderId(): number {
    const state = this.#state;
    switch (state.role) {
      case 'leader':
        return this.#context.nodeId;
      case 'follower':
        return state.following.leaderId;
      case 'prospective':
        return state.leaderId;
      default:
        return NOBODY;
    }
  }

  #standsAt(electionDueAtMs: number): number {
    return this.#changes.isSettled && !this.#isClosing ? electionDueAtMs : Infinity;
  }

  #driveRole(state: RoleState<Batch>): void {
    const { monotonic } = this.#context;
    switch (state.role) {
      case 'unattached':
        if (monotonic >= this.#standsAt(state.electionDueAtMs)) this.#stand();
        else state.search?.run();
        return;
      case 'prospective':
        if (state.election.outcome === 'won') this.#becomeCandidate();
        else if (state.election.outcome === 'lost') this.#loseElection(state.leaderId);
        else state.election.run();
        return;
      case 'candidate':
        if (state.election.outcome === 'won') this.#lead(state.election.grantingVoters);
        else if (state.election.outcome === 'lost') this.#loseElection(NOBODY);
        else state.election.run();
        return;
      case 'leader':
        if (state.leadership.hasBegun) this.#lostElections = 0;
        if (monotonic >= state.leadership.abandonedAtMs) this.resign('no majority of voters fetches');
        else state.leadership.run();
        return;
      case 'follower':
        if (state.following.hearsLeader) this.#lostElections = 0;
        if (!state.following.hasLostLeader) state.following.run();
        else if (this.#context.isVoter) this.#standAgainstLeader(state.following);
        else this.#unattached({});
        return;
      case 'resigned':
        if (monotonic >= this.#standsAt(state.electionDueAtMs)) this.#stand();
        else state.farewell.run();
    }
  }

  #stand(leaderId = NOBODY): void {
    const election = new Election(this.#context, this.#epoch, true, this.#patience);
    this.#enter({ role: 'prospective', leaderId, election }, leaderId);
  }

  #standAgainstLeader({ leaderId }: Following<Batch>): void {
    if (!this.#isClosing) this.#stand(leaderId);
  }

  #becomeCandidate(): void {
    this.#epoch += 1;
    this.#votedId = this.#context.nodeId;
    const election = new Election(this.#context, this.#epoch, false, this.#patience);
    this.#enter({ role: 'candidate', election }, NOBODY);
  }

  #lead(grantingVoters: readonly number[]): void {
    const leadership = new Leadership({ ...this.#parts, epoch: this.#epoch, patience: this.#patience });
    this.#context.say('info', 'Elected leader of the metadata quorum', { epoch: this.#epoch });
    this.#enter({ role: 'leader', leadership }, this.#context.nodeId);
    leadership.begin(grantingVoters);
  }

  #loseElection(leaderId: number): void {
    this.#lostElections += 1;
    const pauseMs = this.#context.electionPauseMs(this.#lostElections);
    if (leaderId !== NOBODY) this.follow(this.#epoch, leaderId, pauseMs);
    else this.#unattached({ electionInMs: pauseMs });
  }

  /** `successors`: who should stand first. */
  #resigned(
    successors: readonly { readonly id: number; readonly member: { readonly directoryId: string } }[],
  ): void {
    const { otherVoterIds, settings, monotonic } = this.#context;
    const preferred = successors.map(({ id, member }) => ({ id, directoryId: member.directoryId }));
    const epoch = this.#epoch;
    this.#resignedEpoch = epoch;
    const farewell = new RequestRound(this.#context, otherVoterIds, settings.timing.requestTimeoutMs, () =>
      endQuorumEpochRequest(settings, epoch, preferred),
    );
    const electionDueAtMs = monotonic + this.#context.electionTimeoutMs();
    this.#enter({ role: 'resigned', electionDueAtMs, farewell }, NOBODY);
  }

  #unattached(as: { readonly electionDueAtMs?: number; readonly electionInMs?: number }): void {
    const { isVoter, monotonic } = this.#context;
    const { electionInMs = this.#context.electionTimeoutMs() } = as;
    const electionDueAtMs = isVoter ? (as.electionDueAtMs ?? monotonic + electionInMs) : Infinity;
    const search = isVoter ? null : new LeaderSearch(this.#context, this.#epoch);
    this.#enter({ role: 'unattached', electionDueAtMs, search }, NOBODY);
  }

  #enter(state: RoleState<Batch>, leaderId: number): void {
    const left = this.#state;
    this.#state = state;
    this.#persist(leaderId);
    if (left.role === 'leader') {
      left.leadership.end({ leaderId, epoch: this.#epoch });
      this.#leaderBefore = null;
    }
    if (left.role === 'follower') {
      left.following.end();
      this.#leaderBefore = left.following.asLeaderBefore(this.#leaderBefore);
    }
    this.#announce();
  }

  /** That a leader is no longer known need not be remembered. */
  #persist(leaderId: number): void {
    const state = { leaderId, leaderEpoch: this.#epoch, votedId: this.#votedId };
    const known = this.#persisted;
    const isKnown =
      known.leaderEpoch === state.leaderEpoch &&
      known.votedId === state.votedId &&
      (leaderId === NOBODY || known.leaderId === leaderId);
    if (isKnown) return;
    this.#persisted = state;
    this.#context.emit({ type: 'persist-state', state });
  }

  #announce(): void {
    const { leaderId, epoch } = this.leader;
    if (leaderId === this.#announced.leaderId && epoch === this.#announced.epoch) return;
    this.#announced = { leaderId, epoch };
    this.#context.emit({ type: 'leader-changed', leader: this.#announced });
  }
}
