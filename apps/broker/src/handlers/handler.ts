/**
 * What a request handler is.
 *
 * A handler gets a decoded request and answers it once, at once or later, through `respond`. The connection keeps
 * the order of answers and sends nothing for `null` (acks=0). A handler must answer every request exactly once,
 * also when its connection has closed meanwhile (the answer is dropped then); a second answer is an error.
 *
 * While a request waits for its answer, later requests of the same connection wait too, as in Kafka. The one
 * exception is `pipelined` APIs (Produce): consecutive ones are all handed over, in order, and answered in order. The
 * bytes fields of their requests are good until the handler returns; those of other requests are the handler's.
 */
import type { AnyApi, RequestOf, ResponseInput } from '@seatlog/kafka-protocol';
import type { DirectAnswer } from '../network/exchange.ts';
import type { ControllerServices } from '../quorum/controller-services.ts';
import type { BrokerServices } from '../services.ts';

export interface RequestContext {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
  readonly clientId: string | null;
  /** The name of the listener the request came in on, e.g. `PLAINTEXT`; answers advertise that listener's address. */
  readonly listenerName: string;
  /** The peer's address without port, as groups show it (`/127.0.0.1` in Kafka's form is up to the handler). */
  readonly clientHost: string;
  /** True until the connection is gone. Parked requests may look at it before they do work for nobody. */
  isConnected(): boolean;
  /** Calls back once if the connection closes before the answer was given; never after it. */
  onDisconnect(action: () => void): void;
  /** Calls back once the answer's bytes are no longer needed: sent, or never to be sent. */
  onSent(action: () => void): void;
  /** Closes the connection without an answer to this request (Produce with acks=0 that failed). */
  closeConnection(reason: string): void;
}

export type Respond<Response> = (response: Response | null) => void;

export type Handler<Request, Response> = (
  request: Request,
  context: RequestContext,
  respond: Respond<Response>,
) => void;

/** What a direct handler does with its request: it answers once, as any other. */
export interface DirectExchange {
  readonly listenerName: string;
  answer(chunks: readonly Uint8Array[] | null): void;
  answerDirectly(answer: DirectAnswer): void;
  closeConnection(reason: string): void;
}

/**
 * The way round decoding, for the shapes of requests that come so often that it pays: takes the frame of a request, or
 * leaves it (false) to the handler. The frame is good until it returns.
 */
export type DirectHandler = (frame: Uint8Array, exchange: DirectExchange) => boolean;

/**
 * A handler whose types are forgotten: what the router keeps in its table. `Services`: what a handler is made with, on a
 * broker's listeners and on a controller's.
 */
export interface HandlerDefinition<Services = BrokerServices> {
  readonly api: AnyApi;
  /** Consecutive requests of a connection are handed over without waiting for answers; answers keep their order. */
  readonly pipelined: boolean;
  readonly create: (services: Services) => Handler<unknown, object>;
  readonly createDirect?: ((services: Services) => DirectHandler) | undefined;
}

export interface HandlerOptions {
  readonly pipelined?: boolean;
  readonly direct?: (services: BrokerServices) => DirectHandler;
}

/**
 * Declares the handler of one API. `create` runs once per broker; what it closes over is the handler's state.
 *
 * ```ts
 * export const heartbeat = defineHandler(apis.heartbeat, (services) => (request, context, respond) => { ... });
 * ```
 */
export function defineHandler<A extends AnyApi>(
  api: A,
  create: (services: BrokerServices) => Handler<RequestOf<A>, ResponseInput<A>>,
  options: HandlerOptions = {},
): HandlerDefinition {
  return {
    api,
    pipelined: options.pipelined ?? false,
    // The router decodes requests with `api` itself, so the handler is only ever called with that API's request.
    create: create as HandlerDefinition['create'],
    createDirect: options.direct,
  };
}

/** The same for a controller's listener. */
export function defineControllerHandler<A extends AnyApi>(
  api: A,
  create: (services: ControllerServices) => Handler<RequestOf<A>, ResponseInput<A>>,
): HandlerDefinition<ControllerServices> {
  // As in `defineHandler`.
  return { api, pipelined: false, create: create as HandlerDefinition<ControllerServices>['create'] };
}
