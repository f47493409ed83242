/** What a replica answers to the requests of others, and what it learns from them. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { endOf, isUpToDate } from './log-position.ts';
import { epochAnswer, partitionRefused, voteAnswer } from './quorum-answers.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { QuorumRequestEvent } from './quorum-events.ts';
import type { LogBatch } from './quorum-log.ts';
import type { QuorumApiName, ReceivedRequest, ResponseToSend } from './quorum-messages.ts';
import type { QuorumStanding } from './quorum-standing.ts';
import { fetcherOf, RequestCheck } from './request-check.ts';
import { grantsVote } from './vote-rules.ts';

type Body<Name extends QuorumApiName> = Extract<ReceivedRequest, { readonly api: Name }>['body'];

export class RequestAnswers<Batch extends LogBatch> {
  readonly #context: QuorumContext<Batch>;
  readonly #standing: QuorumStanding<Batch>;
  readonly #check: RequestCheck;

  constructor(context: QuorumContext<Batch>, standing: QuorumStanding<Batch>) {
    this.#context = context;
    this.#standing = standing;
    this.#check = new RequestCheck(context.settings, () => standing.leader);
  }

  answer(request: QuorumRequestEvent): void {
    const { token } = request;
    switch (request.api) {
      case 'vote':
        return this.#respond(token, this.#vote(request.body));
      case 'beginQuorumEpoch':
        return this.#respond(token, this.#beginQuorumEpoch(request.body));
      case 'endQuorumEpoch':
        return this.#respond(token, this.#endQuorumEpoch(request.body));
      case 'fetch':
        return this.#fetch(token, request.body);
      case 'fetchSnapshot':
        return this.#fetchSnapshot(token, request.body);
    }
  }

  #vote(body: Body<'vote'>): ResponseToSend {
    const checked = this.#check.vote(body);
    if (checked.kind === 'refused') return checked.answer;
    const { replicaEpoch, replicaId: candidateId, lastOffset, lastOffsetEpoch, preVote } = checked.partition;
    if (replicaEpoch > this.#standing.epoch) this.#standing.enterEpoch(replicaEpoch);
    const { state, votedId, knowsLeader } = this.#standing;
    const hearsLeader = state.role === 'follower' && state.following.hearsLeader;
    const candidateEnd = { offset: lastOffset, epoch: lastOffsetEpoch };
    const granted = grantsVote(
      { role: state.role, votedId, knowsLeader, hearsLeader },
      { candidateId, preVote, isUpToDate: isUpToDate(candidateEnd, endOf(this.#context.log)) },
    );
    if (granted && !preVote && votedId !== candidateId) this.#standing.giveVote(candidateId);
    return voteAnswer(ErrorCode.NONE, this.#standing.leader, granted);
  }

  #beginQuorumEpoch(body: Body<'beginQuorumEpoch'>): ResponseToSend {
    const checked = this.#check.beginQuorumEpoch(body);
    if (checked.kind === 'refused') return checked.answer;
    const { leaderId, leaderEpoch } = checked.partition;
    this.#standing.learn({ leaderId, epoch: leaderEpoch });
    return epochAnswer('beginQuorumEpoch', ErrorCode.NONE, this.#standing.leader);
  }

  #endQuorumEpoch(body: Body<'endQuorumEpoch'>): ResponseToSend {
    const checked = this.#check.endQuorumEpoch(body);
    if (checked.kind === 'refused') return checked.answer;
    const { leaderId, leaderEpoch, preferredCandidates, preferredSuccessors } = checked.partition;
    if (leaderEpoch > this.#standing.epoch) this.#standing.enterEpoch(leaderEpoch);
    const { role } = this.#standing.state;
    const knownId = this.#standing.leader.leaderId;
    const isItsLeader = knownId === leaderId || knownId === -1;
    if (isItsLeader && role !== 'leader' && role !== 'resigned') {
      const candidates = preferredCandidates.map(({ candidateId }) => candidateId);
      const named = candidates.length > 0 ? candidates : preferredSuccessors;
      const others = this.#context.voterIds.filter((id) => id !== leaderId);
      this.#standing.leaderResigned(this.#turnMs(named.length > 0 ? named : others));
    }
    return epochAnswer('endQuorumEpoch', ErrorCode.NONE, this.#standing.leader);
  }

  /** A leader that names nobody lost its leadership with its process. */
  #turnMs(successors: readonly number[]): number {
    const place = successors.indexOf(this.#context.nodeId);
    if (place < 0) return this.#context.electionTimeoutMs();
    return this.#context.turnMs(place, successors.length);
  }

  #fetch(token: number, body: Body<'fetch'>): void {
    const checked = this.#check.fetch(body);
    if (checked.kind === 'refused') return this.#respond(token, checked.answer);
    const { partition } = checked;
    const { state } = this.#standing;
    const errorCode = this.#check.leaderError(partition.currentLeaderEpoch);
    if (errorCode !== ErrorCode.NONE || state.role !== 'leader')
      return this.#refuse(token, 'fetch', errorCode);
    state.leadership.fetch({
      token,
      replicaId: fetcherOf(body),
      directoryId: partition.replicaDirectoryId,
      position: { offset: partition.fetchOffset, epoch: partition.lastFetchedEpoch },
      maxBytes: Math.min(body.maxBytes, partition.partitionMaxBytes),
      maxWaitMs: body.maxWaitMs,
    });
  }

  #fetchSnapshot(token: number, body: Body<'fetchSnapshot'>): void {
    const checked = this.#check.fetchSnapshot(body);
    if (checked.kind === 'refused') return this.#respond(token, checked.answer);
    const { partition } = checked;
    const { state } = this.#standing;
    const errorCode = this.#check.leaderError(partition.currentLeaderEpoch);
    if (errorCode !== ErrorCode.NONE || state.role !== 'leader') {
      return this.#refuse(token, 'fetchSnapshot', errorCode);
    }
    state.leadership.fetchSnapshot(token, body.replicaId, body.maxBytes, partition);
  }

  #refuse(token: number, api: QuorumApiName, errorCode: number): void {
    this.#respond(token, partitionRefused(api, errorCode, this.#standing.leader));
  }

  #respond(token: number, answer: ResponseToSend): void {
    this.#context.emit({ type: 'respond', token, read: null, ...answer });
  }
}
