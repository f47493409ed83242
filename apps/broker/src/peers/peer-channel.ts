/**
 * Requests of this node to other nodes: one connection to each of them, made when something is to be sent.
 *
 * Promises: `done` is called once for each request, never before `send` returns, with the answer to that very request or
 * with why there is none. Requests to one peer go out in order and are pipelined. A request that is not answered in its
 * time takes its connection with it, and with that whatever else is in flight there: so a late answer cannot be taken for
 * another. While a peer cannot be reached, the pauses between attempts grow; what is sent in a pause waits for its end,
 * within its own time. A peer that moved to another address is looked for there.
 *
 * Expects: bodies that the version can bear (else `send` throws); separate channels for what must not wait for each other,
 * as a parked fetch holds up what is behind it.
 */
import type { Api } from '@seatlog/kafka-protocol';
import type { Clock, Network, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';

export interface Peer {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

export type PeerOutcome<Response> =
  | { readonly kind: 'answered'; readonly response: Response }
  /** It may have been carried out or not. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** The peer refused or closed the connection: it is not there, as against one that is silent. */
      readonly closed?: true;
    };

export interface PeerChannel {
  send<Response, RequestIn>(
    peer: Peer,
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
    options: { readonly timeoutMs: number },
    done: (outcome: PeerOutcome<Response>) => void,
  ): void;
  /** Closes the connection to a peer: what is in flight there fails. The next `send` connects anew, without a pause. */
  disconnect(peerId: number): void;
  /** Fails what is in flight, and whatever is sent from now on. */
  close(): void;
}

export interface PeerChannelOptions {
  /** What it is for, in log lines. */
  readonly name: string;
  readonly clientId: string;
  readonly network: Network;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly limits?: Partial<PeerChannelLimits>;
  /**
   * The bytes in an answer are good only until `done` returns. A channel of many large answers then receives them all into
   * one piece of memory for each connection; fresh memory for each has the garbage collector run most of the time.
   */
  readonly lendsAnswers?: boolean;
}

export interface PeerChannelLimits {
  /** How long a connection may take to be made. */
  readonly connectTimeoutMs: number;
  /** The first pause after a connection that was refused; each further one is twice as long, up to the longest. */
  readonly reconnectBackoffMs: number;
  readonly reconnectBackoffMaxMs: number;
  /** To one peer, those that wait for the connection included; what goes beyond fails. */
  readonly maxInFlight: number;
  readonly maxAnswerBytes: number;
}
