/** What a replica makes of the answers to its own requests. An answer that belongs to no request under way is dropped. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { Election } from './election.ts';
import type { Following } from './following.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { QuorumResponseEvent } from './quorum-events.ts';
import type { LogBatch } from './quorum-log.ts';
import type { QuorumStanding } from './quorum-standing.ts';
import {
  type Answered,
  epochAnswered,
  fetchAnswered,
  snapshotAnswered,
  type VoteAnswered,
  voteAnswered,
} from './received-answers.ts';

/** Between the requests of a leader that has resigned because its node stops. */
const FAREWELL_PAUSE_MS = 50;

/** Errors of a vote that asking again does not mend. */
const FINAL_REFUSALS: ReadonlySet<number> = new Set([
  ErrorCode.INCONSISTENT_VOTER_SET,
  ErrorCode.INCONSISTENT_CLUSTER_ID,
  ErrorCode.INVALID_VOTER_KEY,
  ErrorCode.INVALID_REQUEST,
]);

export class ResponseReader<Batch extends LogBatch> {
  readonly #context: QuorumContext<Batch>;
  readonly #standing: QuorumStanding<Batch>;

  constructor(context: QuorumContext<Batch>, standing: QuorumStanding<Batch>) {
    this.#context = context;
    this.#standing = standing;
  }

  read(response: QuorumResponseEvent<Batch>): void {
    const { state } = this.#standing;
    switch (state.role) {
      case 'prospective':
      case 'candidate':
        if (response.api === 'vote') {
          this.#voteAnswered(state.election, response.requestId, voteAnswered(response.body));
        }
        return;
      case 'leader':
        if (response.api !== 'beginQuorumEpoch') return;
        this.#beginAnswered(response.requestId, epochAnswered(response.body));
        return;
      case 'resigned':
        if (response.api !== 'endQuorumEpoch') return;
        this.#endAnswered(response.requestId, epochAnswered(response.body));
        return;
      case 'follower':
        this.#followerAnswered(state.following, response);
        return;
      case 'unattached':
        if (response.api !== 'fetch' || state.search?.take(response.requestId) !== true) return;
        this.#standing.learn(fetchAnswered(response.body).leader);
    }
  }

  /** Each is asked again after a pause. */
  failed(requestId: number, closed: boolean): void {
    const { state } = this.#standing;
    switch (state.role) {
      case 'prospective':
      case 'candidate':
        state.election.failed(requestId, closed);
        return;
      case 'leader':
        state.leadership.beginAnswered(requestId, false);
        return;
      case 'resigned':
        state.farewell.failed(requestId, closed);
        return;
      case 'follower':
        state.following.failed(requestId, closed);
        return;
      case 'unattached':
        state.search?.take(requestId);
    }
  }

  #voteAnswered(election: Election<Batch>, requestId: number, answer: VoteAnswered): void {
    const voterId = election.take(requestId);
    if (voterId === null) return;
    const { errorCode, granted, leader } = answer;
    // Who grants a pre-vote does not hear the leader that it may name.
    const isTold = !granted || leader.epoch > this.#standing.epoch;
    if (isTold && this.#standing.learn(leader)) return;
    // What was said in an elder epoch is no answer to this election.
    if (errorCode === ErrorCode.NONE && leader.epoch < this.#standing.epoch) return;
    if (errorCode === ErrorCode.NONE) return election.count(voterId, granted);
    if (!FINAL_REFUSALS.has(errorCode)) return;
    this.#context.say('warn', 'A voter refuses to vote at all', { voterId, errorCode });
    election.count(voterId, false);
  }

  #beginAnswered(requestId: number, answer: Answered): void {
    const { state } = this.#standing;
    if (state.role !== 'leader') return;
    if (state.leadership.beginAnswered(requestId, answer.errorCode === ErrorCode.NONE)) {
      this.#standing.learn(answer.leader);
    }
  }

  #endAnswered(requestId: number, answer: Answered): void {
    const { state } = this.#standing;
    if (state.role !== 'resigned') return;
    const voterId = state.farewell.take(requestId);
    if (voterId === null) return;
    // Who stops goes as soon as it is alone: it asks on whether anybody is there.
    if (this.#standing.isClosing) state.farewell.askAgain(voterId, FAREWELL_PAUSE_MS);
    else if (answer.errorCode === ErrorCode.NONE) state.farewell.settle(voterId);
    this.#standing.learn(answer.leader);
  }

  #followerAnswered(following: Following<Batch>, response: QuorumResponseEvent<Batch>): void {
    if (response.api !== 'fetch' && response.api !== 'fetchSnapshot') return;
    if (!following.take(response.requestId)) return;
    const answer = response.api === 'fetch' ? fetchAnswered(response.body) : snapshotAnswered(response.body);
    if (this.#standing.learn(answer.leader) || this.#hasResigned(following, answer)) return;
    if ('chunk' in answer) following.snapshotAnswered(answer);
    else following.fetchAnswered(answer, response.batches);
  }

  /** The leader itself says that it leads no more in the very epoch in which it was followed. */
  #hasResigned({ leaderId }: Following<Batch>, { errorCode, leader }: Answered): boolean {
    const isOver =
      errorCode === ErrorCode.NOT_LEADER_OR_FOLLOWER &&
      leader.epoch === this.#standing.epoch &&
      leader.leaderId !== leaderId;
    if (isOver) this.#standing.leaderResigned();
    return isOver;
  }
}
