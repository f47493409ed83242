/**
 * A broker's requests to the active controller, whoever that is at the moment.
 *
 * Promises: `done` is called once, never before `send` returns: with the answer, or with why there was none until the
 * request's time was over. While there is no controller, or it says that it is none any more, or cannot be reached, the
 * request is sent again: at once when the quorum has another leader, else after pauses that grow. So a request may be
 * carried out more than once; those that are sent here bear that.
 *
 * When the active controller is in this process, the request goes there without a socket.
 */
import { type Api, ErrorCode } from '@seatlog/kafka-protocol';
import type { Cancel, Clock, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { PeerChannel, PeerOutcome } from '../peers/peer-channel.ts';
import type { MetadataQuorum } from '../quorum/metadata-quorum.ts';
import type { ControllerRequests } from './controller-requests.ts';
import type { LocalController } from './local-controller.ts';

/** So many requests may wait for their answers; more fail at once. */
export const MAX_CONTROLLER_REQUESTS = 1000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** How long one attempt may take, if the request has that much time. */
const ATTEMPT_MS = 30_000;

export interface ControllerChannelOptions {
  /** What it is for, in log lines. */
  readonly name: string;
  readonly quorum: MetadataQuorum;
  /** For this channel alone. */
  readonly peers: PeerChannel;
  /** The controller of this process; null on a node that cannot be one. */
  readonly local: LocalController | null;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

interface WaitingRequest {
  readonly what: string;
  readonly deadline: number;
  /** Sends it once more, in no more than the time given. `done` may be called within. */
  readonly attempt: (peer: Target, timeoutMs: number, done: (outcome: AttemptOutcome) => void) => void;
  readonly fail: (reason: string) => void;
  attempts: number;
  /** Where it was sent and not answered yet. */
  target: Target | null;
  cancelPause: Cancel | null;
  lastReason: string;
}

type AttemptOutcome = { readonly kind: 'over' } | { readonly kind: 'again'; readonly reason: string };

type Target =
  | { readonly kind: 'here'; readonly controller: LocalController }
  | { readonly kind: 'peer'; readonly id: number; readonly host: string; readonly port: number };

export class ControllerChannel implements ControllerRequests {
  readonly #options: ControllerChannelOptions;
  readonly #waiting = new Set<WaitingRequest>();
  readonly #unhook: readonly (() => void)[];
  #isClosed = false;

  constructor(options: ControllerChannelOptions) {
    this.#options = options;
    const { quorum } = options;
    this.#unhook = [
      quorum.onLeader(() => this.#lookAgain()),
      quorum.onTerm({ termBegan: () => this.#lookAgain(), termEnded: () => {} }),
    ];
  }

  send<Response extends object, RequestIn>(
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
    { timeoutMs }: { readonly timeoutMs: number },
    done: (outcome: PeerOutcome<Response>) => void,
  ): void {
    const { timers, clock, peers } = this.#options;
    const unable = this.#isClosed
      ? 'this node stops'
      : this.#waiting.size >= MAX_CONTROLLER_REQUESTS
        ? `${MAX_CONTROLLER_REQUESTS} requests wait for the controller`
        : null;
    if (unable !== null) {
      timers.schedule(0, () => done({ kind: 'failed', reason: unable }));
      return;
    }
    const take = (outcome: PeerOutcome<Response>): AttemptOutcome => {
      if (outcome.kind === 'failed') return { kind: 'again', reason: outcome.reason };
      if (isRefusal(outcome.response)) return { kind: 'again', reason: 'it is not the controller' };
      done(outcome);
      return { kind: 'over' };
    };
    const request: WaitingRequest = {
      what: api.name,
      deadline: clock.monotonic() + timeoutMs,
      attempt: (target, time, attempted) => {
        const heard = (outcome: PeerOutcome<Response>): void => {
          // Answers to an attempt that was given up are nobody's.
          if (request.target === target) attempted(take(outcome));
        };
        if (target.kind === 'here') target.controller.ask(api, version, body, heard);
        else peers.send(target, api, version, body, { timeoutMs: time }, heard);
      },
      fail: (reason) => done({ kind: 'failed', reason }),
      attempts: 0,
      target: null,
      cancelPause: null,
      lastReason: 'no controller is known',
    };
    this.#waiting.add(request);
    request.cancelPause = timers.schedule(0, () => this.#attempt(request));
  }

  /** Fails all that wait. */
  close(): void {
    this.#isClosed = true;
    for (const unhook of this.#unhook) unhook();
    for (const request of [...this.#waiting]) this.#end(request, 'this node stops');
    this.#options.peers.close();
  }

  #attempt(request: WaitingRequest): void {
    request.cancelPause?.();
    request.cancelPause = null;
    const remaining = request.deadline - this.#options.clock.monotonic();
    if (remaining <= 0) return this.#end(request, request.lastReason);
    const target = this.#controller();
    if (target === null) return this.#pause(request, remaining);
    request.target = target;
    request.attempt(target, Math.min(remaining, ATTEMPT_MS), (outcome) => {
      request.target = null;
      if (outcome.kind === 'over') this.#waiting.delete(request);
      else if (this.#waiting.has(request)) {
        request.lastReason = outcome.reason;
        this.#pause(request, request.deadline - this.#options.clock.monotonic());
      }
    });
  }

  #pause(request: WaitingRequest, remaining: number): void {
    if (remaining <= 0) return this.#end(request, request.lastReason);
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** request.attempts, LONGEST_PAUSE_MS, remaining);
    request.attempts += 1;
    request.cancelPause = this.#options.timers.schedule(pause, () => this.#attempt(request));
  }

  /** The quorum has another leader: what waits is sent there, and so is what the one before has not answered. */
  #lookAgain(): void {
    const controller = this.#controller();
    if (controller === null) return;
    for (const request of [...this.#waiting]) {
      const { target } = request;
      if (target !== null && isSame(target, controller)) continue;
      request.target = null;
      request.attempts = 0;
      if (target?.kind === 'peer') this.#options.peers.disconnect(target.id);
      request.cancelPause?.();
      request.cancelPause = this.#options.timers.schedule(0, () => this.#attempt(request));
    }
  }

  #end(request: WaitingRequest, reason: string): void {
    request.cancelPause?.();
    request.target = null;
    if (!this.#waiting.delete(request)) return;
    this.#options.log.warn('The controller did not answer', {
      channel: this.#options.name,
      request: request.what,
      reason,
    });
    request.fail(reason);
  }

  #controller(): Target | null {
    const { quorum, local } = this.#options;
    if (local !== null && quorum.term !== null) return { kind: 'here', controller: local };
    const voter = quorum.voters.find(({ id }) => id === quorum.leader.id);
    if (voter === undefined || voter.id === quorum.nodeId) return null;
    return { kind: 'peer', id: voter.id, host: voter.host, port: voter.port };
  }
}

function isSame(one: Target, other: Target): boolean {
  if (one.kind === 'here' || other.kind === 'here') return one.kind === other.kind;
  return one.id === other.id;
}

/** Results inside of an answer may say NOT_CONTROLLER for reasons of their own; this is about the answer as a whole. */
function isRefusal(response: object): boolean {
  return 'errorCode' in response && response.errorCode === ErrorCode.NOT_CONTROLLER;
}
