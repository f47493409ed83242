/** Hooks on requests, as the interceptor of a broker. */
import type { InterceptedRequest, RequestInterceptor } from '@seatlog/broker/embedded';
import { type AnyApi, apis, ErrorCode, type ErrorName, type RequestOf } from '@seatlog/kafka-protocol';
import type { Timers } from '@seatlog/runtime';
import { errorResponse, topicsRefused } from './error-response.ts';

/** Kafka's APIs as the protocol library names them: `produce`, `fetch`, `joinGroup`, ... */
export type ApiName = keyof typeof apis;
export type PassedRequest<Name extends ApiName> = RequestOf<(typeof apis)[Name]>;

interface AnswerOptions {
  /** The answer, or the end of the connection, comes so much later. */
  readonly delayMs?: number;
  /** How often this hook answers so; after that its requests pass. Default: always. */
  readonly times?: number;
}

/**
 * - `pass` (or undefined): the broker handles it.
 * - `fail`: the broker does not handle it; every topic and partition asked about is answered with this error. (An answer
 *   to Metadata still names the brokers.)
 * - `dropConnection: 'before'`: the broker does not handle it, and closes the connection. `'after'`: it handles it, and
 *   closes the connection instead of answering.
 * - `delayMs` alone: the broker handles it at once, and its answer comes later.
 */
export type RequestAnswer =
  | 'pass'
  | ({ readonly fail: ErrorName } & AnswerOptions)
  | ({ readonly dropConnection: 'before' | 'after' } & AnswerOptions)
  | (AnswerOptions & { readonly delayMs: number });

export interface HookContext {
  readonly nodeId: number;
  readonly apiVersion: number;
  readonly clientId: string | null;
  /** The how-manieth request this is that the hook is asked about, from 1. */
  readonly count: number;
}

/**
 * The request's bytes fields (Produce: `records`) are good until the hook returns. When it throws, a failed assertion for
 * instance, the connection is dropped, and the cluster's next `advance`, `until` or `close` rejects with what it threw.
 */
export type RequestHook<Name extends ApiName> = (
  request: PassedRequest<Name>,
  context: HookContext,
) => RequestAnswer | undefined;

type AskedHook = (request: unknown, context: HookContext) => RequestAnswer | undefined;
type NotPassed = Exclude<RequestAnswer, 'pass'>;

interface Hook {
  readonly apiKey: number;
  readonly ask: AskedHook;
  asked: number;
  answered: number;
}

const DROPPED = 'a hook of the test kit closes it';

export class RequestHooks {
  readonly #unhookedClient: string;
  readonly #failed: (error: unknown) => void;
  #hooks: readonly Hook[] = [];

  /** Requests of `unhookedClient` meet no hook. `failed` hears what a hook threw. */
  constructor(unhookedClient: string, failed: (error: unknown) => void) {
    this.#unhookedClient = unhookedClient;
    this.#failed = failed;
  }

  add<Name extends ApiName>(api: Name, hook: RequestHook<Name> | RequestAnswer): () => void {
    // It is asked about requests of this API alone.
    const ask = typeof hook === 'function' ? (hook as AskedHook) : () => hook;
    const added: Hook = { apiKey: apis[api].key, ask, asked: 0, answered: 0 };
    this.#hooks = [...this.#hooks, added];
    return () => {
      this.#hooks = this.#hooks.filter((other) => other !== added);
    };
  }

  interceptor(nodeId: number, timers: Timers): RequestInterceptor {
    return (request) => {
      const answer = this.#answerOrFailure(request, nodeId);
      if (answer === null) request.handle(request.respond);
      else act(request, answer, timers);
    };
  }

  #answerOrFailure(request: InterceptedRequest, nodeId: number): NotPassed | null {
    try {
      return this.#answerTo(request, nodeId);
    } catch (error) {
      this.#failed(error);
      return { dropConnection: 'before' };
    }
  }

  #answerTo({ api, body, context }: InterceptedRequest, nodeId: number): NotPassed | null {
    const { apiVersion, clientId } = context;
    if (clientId === this.#unhookedClient) return null;
    for (const hook of this.#hooks) {
      if (hook.apiKey !== api.key) continue;
      hook.asked += 1;
      const answer = hook.ask(body, { nodeId, apiVersion, clientId, count: hook.asked }) ?? 'pass';
      if (answer === 'pass' || hook.answered >= (answer.times ?? Number.POSITIVE_INFINITY)) continue;
      hook.answered += 1;
      return answer;
    }
    return null;
  }
}

function act(request: InterceptedRequest, answer: NotPassed, timers: Timers): void {
  const { respond } = request;
  const { delayMs } = answer;
  const later = (action: () => void): void => {
    if (delayMs === undefined) action();
    else timers.schedule(delayMs, action);
  };
  const drop = (): void =>
    later(() => {
      request.context.closeConnection(DROPPED);
      respond(null);
    });
  if ('fail' in answer)
    refuse(request, ErrorCode[answer.fail], (response) => later(() => respond(response)), drop);
  else if (!('dropConnection' in answer)) request.handle((response) => later(() => respond(response)));
  else if (answer.dropConnection === 'before') drop();
  else request.handle(drop);
}

function refuse(
  request: InterceptedRequest,
  errorCode: number,
  respond: (response: object | null) => void,
  drop: () => void,
): void {
  const { api, body, context } = request;
  // Bodies are objects by their schemas' field names.
  const values = body as Readonly<Record<string, unknown>>;
  // Kafka tells a producer that waits for no answer of an error by closing its connection.
  if (isApi(api, apis.produce) && values['acks'] === 0) drop();
  // Without the brokers that the answer names a client could not ask again.
  else if (isApi(api, apis.metadata)) {
    request.handle((response) => respond(response === null ? null : topicsRefused(response, errorCode)));
  } else respond(errorResponse(api, context.apiVersion, values, errorCode));
}

function isApi(api: AnyApi, other: { readonly key: number }): boolean {
  return api.key === other.key;
}
