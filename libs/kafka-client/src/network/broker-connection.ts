/**
 * One connection to one broker: makes it, agrees on versions, then carries requests. Requests go out in the order given and
 * are answered in that order; each has a deadline. Whatever goes wrong with one (no answer in time, bytes that make no
 * sense, the socket closed) ends the connection and fails all that are under way, so that order is never in doubt.
 *
 * What the caller must know: `call` either throws, and then nothing of the request left this process, or it will call
 * `done` exactly once, and then the broker may have received the request whatever `done` is told.
 */
import {
  apis,
  decodeResponse,
  encodeRequest,
  errorByCode,
  ErrorCode,
  type Api,
} from '@seatlog/kafka-protocol';
import { connectionChannel, requestChannel } from '../diagnostics.ts';
import { KafkaClientError } from '../errors.ts';
import type { Cancel, Link, LinkEvents, Ports } from '../ports.ts';
import { BrokerVersions } from './api-negotiation.ts';
import {
  connectionClosed,
  connectionFailed,
  malformedResponse,
  requestTimedOut,
} from './connection-errors.ts';
import { FrameReader } from './frame-reader.ts';

const CLIENT_SOFTWARE = { clientSoftwareName: 'seatlog-kafka-client', clientSoftwareVersion: '0.1.0' };
/** Correlation ids run through the positive int32 and begin again. */
const CORRELATION_ID_MASK = 0x7fffffff;

export interface ConnectionSettings {
  readonly clientId: string;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly receiveFrameMaxBytes: number;
  readonly ports: Ports;
}

export interface ConnectionListener {
  /** Versions are agreed on: `call` may be used. */
  ready(): void;
  drained(): void;
  /** Called once, also if the connection was never ready. */
  closed(error: KafkaClientError): void;
}

export type CallDone<Response> = (error: KafkaClientError | null, response: Response | null) => void;

export interface CallOptions {
  readonly timeoutMs?: number | undefined;
  /** False for a request that the broker does not answer (acks 0): `done` is called once it was handed over. */
  readonly answered?: boolean;
}

interface UnderWay {
  readonly correlationId: number;
  readonly api: Api<unknown, unknown, never, never>;
  readonly version: number;
  readonly sentAt: number;
  readonly deadline: number;
  readonly requestBytes: number;
  readonly done: (error: KafkaClientError | null, response: unknown) => void;
}

export class BrokerConnection {
  readonly host: string;
  readonly port: number;
  readonly #settings: ConnectionSettings;
  readonly #listener: ConnectionListener;
  readonly #reader: FrameReader;
  readonly #link: Link;
  readonly #underWay: UnderWay[] = [];
  #state: 'connecting' | 'ready' | 'closed' = 'connecting';
  #versions = new BrokerVersions([]);
  #nextCorrelationId = 0;
  #cancelConnectTimer: Cancel;
  #cancelDeadline: Cancel | null = null;
  #deadlineAt = Infinity;
  #lastUsedAt: number;

  constructor(host: string, port: number, settings: ConnectionSettings, listener: ConnectionListener) {
    this.host = host;
    this.port = port;
    this.#settings = settings;
    this.#listener = listener;
    this.#lastUsedAt = settings.ports.clock.monotonic();
    this.#reader = new FrameReader(settings.receiveFrameMaxBytes, (frame) => this.#answer(frame));
    this.#cancelConnectTimer = settings.ports.timers.schedule(settings.connectTimeoutMs, () =>
      this.close(connectionFailed(this, `no connection within ${settings.connectTimeoutMs} ms`)),
    );
    this.#link = settings.ports.connector.open(host, port, this.#linkEvents());
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  get inFlight(): number {
    return this.#underWay.length;
  }

  /** Bytes that the operating system has not taken yet. */
  get pendingBytes(): number {
    return this.#link.pendingBytes;
  }

  get idleMs(): number {
    return this.#underWay.length > 0 ? 0 : this.#settings.ports.clock.monotonic() - this.#lastUsedAt;
  }

  get versions(): BrokerVersions {
    return this.#versions;
  }

  /** Sends a request. Throws if it cannot be sent: see the head of this file. */
  call<Response, RequestIn>(
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
    done: CallDone<Response>,
    options: CallOptions = {},
  ): void {
    if (this.#state !== 'ready') throw connectionClosed(this, null);
    this.#dispatch(api, version, body, done, options);
  }

  /** As `call`, in the highest version that both sides speak (at most `cap`), with a promise. */
  request<Response, RequestIn>(
    api: Api<unknown, Response, RequestIn, never>,
    body: RequestIn | ((version: number) => RequestIn),
    options: CallOptions & { readonly cap?: number | undefined } = {},
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const version = this.#versions.require(api, options.cap);
      // A request body is an object, never a function.
      const input = typeof body === 'function' ? (body as (version: number) => RequestIn)(version) : body;
      this.call(
        api,
        version,
        input,
        (error, response) => {
          if (error === null) resolve(response as Response);
          else reject(error);
        },
        options,
      );
    });
  }

  close(reason: KafkaClientError = connectionClosed(this, null)): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#cancelConnectTimer();
    this.#cancelDeadline?.();
    this.#link.destroy();
    connectionChannel.publish({ ...this.#address(), state: 'closed', error: reason });
    for (const request of this.#underWay.splice(0)) this.#finish(request, reason, null);
    this.#listener.closed(reason);
  }

  #linkEvents(): LinkEvents {
    return {
      connected: () => this.#negotiate(apis.apiVersions.maxVersion),
      target: () => this.#reader.target(),
      received: (length) => this.#receive(length),
      drained: () => {
        if (this.#state === 'ready') this.#listener.drained();
      },
      closed: (reason) =>
        this.close(
          this.#state === 'connecting'
            ? connectionFailed(this, reason?.message ?? 'closed by the other side', reason)
            : connectionClosed(this, reason),
        ),
    };
  }

  #negotiate(version: number): void {
    if (this.#state !== 'connecting') return;
    const done: CallDone<ApiVersionsResponse> = (error, response) => {
      if (error !== null || response === null) return;
      if (response.errorCode === ErrorCode.UNSUPPORTED_VERSION && version > 0) {
        const offered = response.apiKeys.find(({ apiKey }) => apiKey === apis.apiVersions.key);
        this.#negotiate(Math.min(offered?.maxVersion ?? 0, version - 1));
        return;
      }
      if (response.errorCode !== ErrorCode.NONE) {
        this.close(
          connectionFailed(this, `ApiVersions was answered ${errorByCode(response.errorCode).name}`),
        );
        return;
      }
      this.#versions = new BrokerVersions(response.apiKeys);
      this.#state = 'ready';
      this.#cancelConnectTimer();
      connectionChannel.publish({ ...this.#address(), state: 'ready', error: null });
      this.#listener.ready();
    };
    this.#dispatch(apis.apiVersions, version, CLIENT_SOFTWARE, done, {});
  }

  #dispatch<Response, RequestIn>(
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
    done: CallDone<Response>,
    options: CallOptions,
  ): void {
    const { clientId, requestTimeoutMs, ports } = this.#settings;
    const correlationId = this.#nextCorrelationId;
    this.#nextCorrelationId = (correlationId + 1) & CORRELATION_ID_MASK;
    const parts = encodeRequest(api, version, correlationId, clientId, body);
    const sentAt = ports.clock.monotonic();
    this.#lastUsedAt = sentAt;
    const deadline = sentAt + (options.timeoutMs ?? requestTimeoutMs);
    let requestBytes = 0;
    for (const part of parts) requestBytes += part.length;
    const request: UnderWay = {
      correlationId,
      api,
      version,
      sentAt,
      deadline,
      requestBytes,
      done: done as UnderWay['done'],
    };
    if (options.answered === false) {
      this.#link.write(parts);
      this.#finish(request, null, null);
      return;
    }
    this.#underWay.push(request);
    this.#armDeadline(deadline, sentAt);
    this.#link.write(parts);
  }

  #receive(length: number): void {
    if (this.#state === 'closed') return;
    try {
      this.#reader.advance(length);
    } catch (cause) {
      this.close(cause instanceof KafkaClientError ? cause : malformedResponse(this, cause));
    }
  }

  #answer(frame: Uint8Array): void {
    const request = this.#state === 'closed' ? undefined : this.#underWay[0];
    if (request === undefined) {
      this.close(malformedResponse(this, 'an answer that nobody asked for'));
      return;
    }
    let decoded: { correlationId: number; body: unknown };
    try {
      decoded = decodeResponse(request.api, versionOfAnswer(request, frame), frame);
    } catch (cause) {
      this.close(malformedResponse(this, cause));
      return;
    }
    if (decoded.correlationId !== request.correlationId) {
      this.close(
        malformedResponse(this, `answer ${decoded.correlationId} where ${request.correlationId} is due`),
      );
      return;
    }
    this.#underWay.shift();
    this.#lastUsedAt = this.#settings.ports.clock.monotonic();
    this.#finish(request, null, decoded.body);
  }

  #finish(request: UnderWay, error: KafkaClientError | null, body: unknown): void {
    if (requestChannel.isHeard) {
      requestChannel.publish({
        ...this.#address(),
        api: request.api.name,
        version: request.version,
        durationMs: this.#settings.ports.clock.monotonic() - request.sentAt,
        requestBytes: request.requestBytes,
        error,
      });
    }
    request.done(error, body);
  }

  /** One timer for all requests: it stays armed for the earliest deadline seen and looks again when it fires. */
  #armDeadline(deadline: number, now: number): void {
    if (deadline >= this.#deadlineAt) return;
    this.#cancelDeadline?.();
    this.#deadlineAt = deadline;
    this.#cancelDeadline = this.#settings.ports.timers.schedule(deadline - now, () => this.#checkDeadlines());
  }

  #checkDeadlines(): void {
    this.#deadlineAt = Infinity;
    this.#cancelDeadline = null;
    const now = this.#settings.ports.clock.monotonic();
    const overdue = this.#underWay.find(({ deadline }) => deadline <= now);
    if (overdue !== undefined) {
      this.close(requestTimedOut(this, overdue.api.name, now - overdue.sentAt));
      return;
    }
    const earliest = Math.min(...this.#underWay.map(({ deadline }) => deadline));
    if (earliest !== Infinity) this.#armDeadline(earliest, now);
  }

  #address(): { clientId: string; host: string; port: number } {
    return { clientId: this.#settings.clientId, host: this.host, port: this.port };
  }
}

type ApiVersionsResponse = ReturnType<typeof apis.apiVersions.readResponse>;

/** A broker that does not know the version of ApiVersions answers in version 0, with this error. */
function versionOfAnswer(request: UnderWay, frame: Uint8Array): number {
  if (request.api.key !== apis.apiVersions.key || frame.length < 6) return request.version;
  const errorCode = (((frame[4] as number) << 24) | ((frame[5] as number) << 16)) >> 16;
  return errorCode === ErrorCode.UNSUPPORTED_VERSION ? 0 : request.version;
}
