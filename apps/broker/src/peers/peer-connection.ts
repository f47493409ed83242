/**
 * The connection to one peer, through its states:
 *
 *     idle ──a request──▶ connecting ──▶ standing
 *     connecting ──refused, out of time──▶ pausing ──the pause is over──▶ idle, or connecting if requests wait
 *     standing ──ended, unreadable, a request out of time──▶ idle
 *
 * Whatever ends a connection fails all that was sent or waited for it. Answers come in the order of requests.
 */
import {
  type Api,
  decodeCorrelationId,
  decodeResponse,
  encodeRequest,
  FrameSplitter,
  ProtocolError,
} from '@seatlog/kafka-protocol';
import type { ByteStream, Cancel, ConnectingReceiver } from '@seatlog/runtime';
import type { Peer, PeerChannelLimits, PeerChannelOptions, PeerOutcome } from './peer-channel.ts';

const READ_BYTES = 65_536;
/** What a connection that lends its answers keeps for the next one, at most. */
const KEPT_BYTES = 2 * 1024 * 1024;

type Failure = Omit<Extract<PeerOutcome<never>, { readonly kind: 'failed' }>, 'kind'>;

interface Exchange {
  readonly correlationId: number;
  readonly frame: readonly Uint8Array[];
  readonly cancelTimeout: Cancel;
  /** Throws if the bytes are no answer to it. Gives what tells the caller. */
  read(frame: Uint8Array): () => void;
  fail(failure: Failure): void;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly stream: ByteStream; readonly cancelTimeout: Cancel }
  | { readonly kind: 'standing'; readonly stream: ByteStream }
  | { readonly kind: 'pausing'; readonly cancel: Cancel };

export class PeerConnection {
  readonly peer: Peer;
  readonly #options: PeerChannelOptions;
  readonly #limits: PeerChannelLimits;
  #state: State = { kind: 'idle' };
  /** In the order in which they were sent or are to be sent. */
  #exchanges: Exchange[] = [];
  #nextCorrelationId = 1;
  #refusals = 0;

  constructor(peer: Peer, options: PeerChannelOptions, limits: PeerChannelLimits) {
    this.peer = peer;
    this.#options = options;
    this.#limits = limits;
  }

  send<Response, RequestIn>(
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
    timeoutMs: number,
    done: (outcome: PeerOutcome<Response>) => void,
  ): void {
    const { timers, clientId } = this.#options;
    if (this.#exchanges.length >= this.#limits.maxInFlight) {
      const reason = `${this.#limits.maxInFlight} requests to node ${this.peer.id} are in flight already`;
      timers.schedule(0, () => done({ kind: 'failed', reason }));
      return;
    }
    const correlationId = this.#nextCorrelationId;
    this.#nextCorrelationId = correlationId === 0x7f_ff_ff_ff ? 1 : correlationId + 1;
    const exchange: Exchange = {
      correlationId,
      frame: encodeRequest(api, version, correlationId, clientId, body),
      cancelTimeout: timers.schedule(timeoutMs, () => this.#timedOut(exchange, api.name, timeoutMs)),
      read: (frame) => {
        const answer = decodeResponse(api, version, frame);
        if (answer.correlationId !== correlationId) throw new MisplacedAnswer(answer.correlationId);
        return () => done({ kind: 'answered', response: answer.body });
      },
      fail: (failure) => done({ kind: 'failed', ...failure }),
    };
    this.#exchanges.push(exchange);
    if (this.#state.kind === 'standing') write(this.#state.stream, exchange);
    else if (this.#state.kind === 'idle') this.#connect();
  }

  close(reason: string): void {
    this.#leaveState();
    this.#failAll({ reason });
  }

  #connect(): void {
    const { network, timers } = this.#options;
    const { host, port } = this.peer;
    const { connectTimeoutMs } = this.#limits;
    const cancelTimeout = timers.schedule(connectTimeoutMs, () =>
      this.#notReached({ reason: `no connection within ${connectTimeoutMs} ms` }),
    );
    const stream = network.connect({ host, port }, this.#receiver());
    this.#state = { kind: 'connecting', stream, cancelTimeout };
  }

  #receiver(): ConnectingReceiver {
    const { maxAnswerBytes } = this.#limits;
    const lends = this.#options.lendsAnswers === true;
    const splitter = new FrameSplitter({
      maxFrameBytes: maxAnswerBytes,
      ...(lends ? { memory: sameMemory() } : {}),
    });
    const shared = Buffer.allocUnsafeSlow(READ_BYTES);
    let isInFrame = false;
    const onFrame = (frame: Uint8Array, isView: boolean): void =>
      this.#answered(isView && !lends ? Buffer.from(frame) : frame);
    return {
      connected: () => this.#connected(),
      refused: (reason) => this.#notReached({ reason, closed: true }),
      ended: () => this.#broken({ reason: 'the peer closed the connection', closed: true }),
      memory: () => {
        const room = splitter.room();
        isInFrame = room !== null;
        return room ?? shared;
      },
      received: (memory, length) => {
        try {
          if (isInFrame) splitter.filled(length, onFrame);
          else splitter.push(memory.subarray(0, length), onFrame);
        } catch (error) {
          if (!(error instanceof ProtocolError || error instanceof MisplacedAnswer)) throw error;
          this.#broken({ reason: `what came is no answer: ${error.message}` });
        }
      },
    };
  }

  #connected(): void {
    if (this.#state.kind !== 'connecting') return;
    const { stream, cancelTimeout } = this.#state;
    cancelTimeout();
    if (this.#refusals > 0) this.#log('Reached again');
    this.#refusals = 0;
    this.#state = { kind: 'standing', stream };
    for (const exchange of this.#exchanges) write(stream, exchange);
  }

  #notReached(failure: Failure): void {
    this.#refusals += 1;
    if (this.#refusals === 1) this.#log('Cannot be reached', failure.reason);
    this.#leaveState();
    const { reconnectBackoffMs, reconnectBackoffMaxMs } = this.#limits;
    const pauseMs = Math.min(reconnectBackoffMaxMs, reconnectBackoffMs * 2 ** (this.#refusals - 1));
    const cancel = this.#options.timers.schedule(pauseMs, () => this.#pauseOver());
    this.#state = { kind: 'pausing', cancel };
    this.#failAll(failure);
  }

  #pauseOver(): void {
    this.#state = { kind: 'idle' };
    if (this.#exchanges.length > 0) this.#connect();
  }

  #broken(failure: Failure): void {
    this.#leaveState();
    this.#failAll(failure);
  }

  /** A request that only waited for the connection takes nothing with it. */
  #timedOut(exchange: Exchange, apiName: string, timeoutMs: number): void {
    const reason = `no answer to ${apiName} within ${timeoutMs} ms`;
    if (this.#state.kind === 'standing') {
      this.#broken({ reason });
      return;
    }
    this.#exchanges = this.#exchanges.filter((other) => other !== exchange);
    exchange.fail({ reason });
  }

  #answered(frame: Uint8Array): void {
    const exchange = this.#exchanges[0];
    if (this.#state.kind !== 'standing') return;
    if (exchange === undefined) throw new MisplacedAnswer(decodeCorrelationId(frame));
    const tell = exchange.read(frame);
    this.#exchanges.shift();
    exchange.cancelTimeout();
    tell();
  }

  #leaveState(): void {
    const state = this.#state;
    this.#state = { kind: 'idle' };
    if (state.kind === 'pausing') state.cancel();
    if (state.kind === 'connecting') state.cancelTimeout();
    if (state.kind === 'connecting' || state.kind === 'standing') state.stream.destroy();
  }

  /** What callers send while they are told belongs to the next connection. */
  #failAll(failure: Failure): void {
    const failed = this.#exchanges;
    this.#exchanges = [];
    for (const exchange of failed) {
      exchange.cancelTimeout();
      exchange.fail(failure);
    }
  }

  #log(message: string, reason?: string): void {
    const { log, name } = this.#options;
    const { id, host, port } = this.peer;
    log.info(`${message}: node ${id} at ${host}:${port} (${name})`, reason === undefined ? {} : { reason });
  }
}

/** The same memory each time, as large as was asked for so far; what is larger than `KEPT_BYTES` is not kept. */
function sameMemory(): (size: number) => Uint8Array {
  let kept = Buffer.allocUnsafeSlow(READ_BYTES);
  return (size) => {
    if (size <= kept.length) return kept;
    const larger = Buffer.allocUnsafeSlow(
      Math.min(Math.max(size, kept.length * 2), Math.max(size, KEPT_BYTES)),
    );
    if (larger.length <= KEPT_BYTES) kept = larger;
    return larger;
  };
}

function write(stream: ByteStream, { frame }: Exchange): void {
  let bytes = 0;
  for (const part of frame) bytes += part.length;
  stream.write(frame, bytes, () => {});
}

/** Answers come in the order of requests, so that this cannot be of a peer that keeps to the protocol. */
class MisplacedAnswer extends Error {
  constructor(correlationId: number) {
    super(`an answer to ${correlationId}, which was not asked or was not due`);
    this.name = 'MisplacedAnswer';
  }
}
