/**
 * This node's requests to the voters, by their API. Fetches have connections of their own: one that waits at the leader
 * holds up what is behind it, and a vote must not wait.
 */
import { apis } from '@seatlog/kafka-protocol';
import type { QuorumVoter, ReceivedResponse, SendRequest } from '@seatlog/metadata-quorum';
import type { Clock, Network, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import { type PeerChannel, type PeerOutcome, peerChannel } from '../peers/peer-channel.ts';

export interface QuorumConnectionsOptions {
  readonly nodeId: number;
  readonly voters: readonly QuorumVoter[];
  readonly network: Network;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** Null: there is no answer and will be none. */
export type AnswerDone = (response: ReceivedResponse | null) => void;

/** Voters are few and near: they are looked for often while they are away, so that an election waits for nobody. */
const LIMITS = { connectTimeoutMs: 2000, reconnectBackoffMs: 20, reconnectBackoffMaxMs: 200 };

export class QuorumConnections {
  readonly #voters: ReadonlyMap<number, QuorumVoter>;
  readonly #elections: PeerChannel;
  readonly #fetches: PeerChannel;

  constructor({ nodeId, voters, network, clock, timers, log }: QuorumConnectionsOptions) {
    this.#voters = new Map(voters.map((voter) => [voter.id, voter]));
    const shared = { network, clock, timers, log, limits: LIMITS, clientId: `raft-client-${nodeId}` };
    this.#elections = peerChannel({ ...shared, name: 'quorum elections' });
    this.#fetches = peerChannel({ ...shared, name: 'quorum fetches' });
  }

  /** `done` is called once, never before this returns. */
  send(request: SendRequest, done: AnswerDone): void {
    const voter = this.#voters.get(request.to);
    if (voter === undefined) throw new Error(`node ${request.to} is no voter`);
    const options = { timeoutMs: request.timeoutMs };
    switch (request.api) {
      case 'vote': {
        const { api } = request;
        this.#elections.send(voter, apis.vote, apis.vote.maxVersion, request.body, options, (outcome) =>
          done(answerOf(outcome, (body) => ({ api, body }))),
        );
        return;
      }
      case 'beginQuorumEpoch': {
        const { api } = request;
        const { maxVersion } = apis.beginQuorumEpoch;
        this.#elections.send(voter, apis.beginQuorumEpoch, maxVersion, request.body, options, (outcome) =>
          done(answerOf(outcome, (body) => ({ api, body }))),
        );
        return;
      }
      case 'endQuorumEpoch': {
        const { api } = request;
        const { maxVersion } = apis.endQuorumEpoch;
        this.#elections.send(voter, apis.endQuorumEpoch, maxVersion, request.body, options, (outcome) =>
          done(answerOf(outcome, (body) => ({ api, body }))),
        );
        return;
      }
      case 'fetch': {
        const { api } = request;
        this.#fetches.send(voter, apis.fetch, apis.fetch.maxVersion, request.body, options, (outcome) =>
          done(answerOf(outcome, (body) => ({ api, body }))),
        );
        return;
      }
      default: {
        const { api } = request;
        const { maxVersion } = apis.fetchSnapshot;
        this.#fetches.send(voter, apis.fetchSnapshot, maxVersion, request.body, options, (outcome) =>
          done(answerOf(outcome, (body) => ({ api, body }))),
        );
      }
    }
  }

  close(): void {
    this.#elections.close();
    this.#fetches.close();
  }
}

function answerOf<Response>(
  outcome: PeerOutcome<Response>,
  named: (body: Response) => ReceivedResponse,
): ReceivedResponse | null {
  return outcome.kind === 'answered' ? named(outcome.response) : null;
}
