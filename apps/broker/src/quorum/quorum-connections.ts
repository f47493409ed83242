/**
 * This node's requests to the voters, by their API. Fetches have connections of their own: one that waits at the leader
 * holds up what is behind it, and a vote must not wait.
 */
import { type Api, apis } from '@seatlog/kafka-protocol';
import type { QuorumVoter, ReceivedResponse, SendRequest } from '@seatlog/metadata-quorum';
import type { Clock, Network, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { PeerChannel } from '../peers/peer-channel.ts';
import { peerChannel } from '../peers/peer-connections.ts';

export interface QuorumConnectionsOptions {
  readonly nodeId: number;
  readonly voters: readonly QuorumVoter[];
  readonly network: Network;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** Null: there is no answer and will be none; `closed` if that is because the connection was refused or closed. */
export type AnswerDone = (response: ReceivedResponse | null, closed: boolean) => void;

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
    switch (request.api) {
      case 'vote':
        return this.#ask(this.#elections, apis.vote, request, ({ api }, body) => ({ api, body }), done);
      case 'beginQuorumEpoch':
        return this.#ask(
          this.#elections,
          apis.beginQuorumEpoch,
          request,
          ({ api }, body) => ({ api, body }),
          done,
        );
      case 'endQuorumEpoch':
        return this.#ask(
          this.#elections,
          apis.endQuorumEpoch,
          request,
          ({ api }, body) => ({ api, body }),
          done,
        );
      case 'fetch':
        return this.#ask(this.#fetches, apis.fetch, request, ({ api }, body) => ({ api, body }), done);
      case 'fetchSnapshot':
        return this.#ask(
          this.#fetches,
          apis.fetchSnapshot,
          request,
          ({ api }, body) => ({ api, body }),
          done,
        );
    }
  }

  close(): void {
    this.#elections.close();
    this.#fetches.close();
  }

  #ask<Response, RequestIn, Request extends SendRequest & { readonly body: RequestIn }>(
    channel: PeerChannel,
    api: Api<unknown, Response, RequestIn, never>,
    request: Request,
    named: (request: Request, body: Response) => ReceivedResponse,
    done: AnswerDone,
  ): void {
    const voter = this.#voters.get(request.to);
    if (voter === undefined) throw new Error(`node ${request.to} is no voter`);
    const { body, timeoutMs } = request;
    channel.send(voter, api, api.maxVersion, body, { timeoutMs }, (outcome) =>
      outcome.kind === 'answered'
        ? done(named(request, outcome.response), false)
        : done(null, outcome.closed === true),
    );
  }
}
