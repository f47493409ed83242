/**
 * From frames to handlers and back: decodes a request, finds its handler in the table, encodes the answer.
 *
 * What cannot be answered closes the connection, as in Kafka: bytes that are no request, an unknown API, a version
 * that is not served. The one exception is ApiVersions in an unknown version, answered in version 0 with the range
 * that is served (F45). A handler that throws costs its client the connection, nobody else.
 */
import {
  type Api,
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  ErrorCode,
  encodeResponse,
  ProtocolError,
  type RequestHeader,
} from '@seatlog/kafka-protocol';
import type { DirectHandler, Handler, HandlerDefinition, RequestContext } from './handlers/handler.ts';
import type { Logger } from './logger.ts';
import type { BrokerMetrics, RequestCounter } from './metrics.ts';
import type { RequestProcessor } from './network/connection.ts';
import type { Exchange } from './network/exchange.ts';
import { intercepted, type RequestInterceptor } from './request-interceptor.ts';
import type { BrokerServices } from './services.ts';

/** An API whose types are forgotten: its handler came from the same definition, so they fit each other. */
type UntypedApi = Api<unknown, unknown, never, object>;

interface Route {
  readonly api: UntypedApi;
  readonly pipelined: boolean;
  readonly handle: Handler<unknown, object>;
  /** Tried first; null where there is none. */
  readonly direct: DirectHandler | null;
  readonly counter: RequestCounter;
}

/** What the router itself needs of the services that its handlers are made with. */
interface RouterServices {
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
}

export class Router<Services extends RouterServices = BrokerServices> implements RequestProcessor {
  /** By API key. */
  readonly #routes: readonly (Route | undefined)[];
  readonly #log: Logger;

  constructor(
    table: readonly HandlerDefinition<Services>[],
    services: Services,
    interceptor?: RequestInterceptor,
  ) {
    this.#log = services.log;
    const routes: (Route | undefined)[] = [];
    for (const definition of table) {
      const { api, pipelined, create, createDirect } = definition;
      routes[api.key] = {
        api,
        pipelined,
        handle: intercepted(api, create(services), interceptor),
        direct: interceptor === undefined ? (createDirect?.(services) ?? null) : null,
        counter: counterOf(services.metrics, api.key),
      };
    }
    this.#routes = routes;
  }

  isPipelined(frame: Uint8Array): boolean {
    return this.#routes[apiKeyOf(frame)]?.pipelined ?? false;
  }

  begin(exchange: Exchange): void {
    try {
      const bytes = ownBytes(exchange);
      if (this.#handleDirectly(exchange, bytes)) return;
      const header = decodeRequestHeader(bytes);
      const route = this.#routes[header.apiKey];
      if (route === undefined || !header.supported) this.#refuse(exchange, header);
      else this.#dispatch(exchange, header, route, bytes);
    } catch (error) {
      this.#fail(exchange, error);
    } finally {
      if (exchange.pipelined) exchange.frame.release();
    }
  }

  #handleDirectly(exchange: Exchange, bytes: Uint8Array): boolean {
    const route = this.#routes[apiKeyOf(bytes)];
    if (route === undefined || route.direct === null || !route.direct(bytes, exchange)) return false;
    route.counter.count += 1;
    return true;
  }

  #dispatch(exchange: Exchange, header: RequestHeader, route: Route, bytes: Uint8Array): void {
    const { api } = route;
    route.counter.count += 1;
    const request = decodeRequestBody(api, header, bytes);
    const context = new Context(exchange, header);
    route.handle(request, context, (response) => {
      if (exchange.isAnswered) {
        this.#log.error('A handler answered a request twice', { api: api.name, clientId: header.clientId });
        return;
      }
      let chunks: readonly Uint8Array[] | null = null;
      try {
        if (response !== null) {
          chunks = encodeResponse(api, header.apiVersion, header.correlationId, response);
        }
      } catch (error) {
        this.#fail(exchange, error);
      }
      exchange.answer(chunks);
    });
  }

  #refuse(exchange: Exchange, header: RequestHeader): void {
    const route = this.#routes[header.apiKey];
    if (header.apiKey !== apis.apiVersions.key || route === undefined) {
      exchange.closeConnection(`API key ${header.apiKey} version ${header.apiVersion} is not served`);
      return;
    }
    const { key, advertisedMinVersion, maxVersion } = route.api;
    const response = {
      errorCode: ErrorCode.UNSUPPORTED_VERSION,
      apiKeys: [{ apiKey: key, minVersion: advertisedMinVersion, maxVersion }],
    };
    exchange.answer(encodeResponse(apis.apiVersions, 0, header.correlationId, response));
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof ProtocolError) {
      exchange.closeConnection(`${error.code}: ${error.message}`);
      return;
    }
    this.#log.error('A request could not be handled; closing its connection', {
      client: exchange.clientHost,
      error,
    });
    exchange.closeConnection('a request could not be handled');
  }
}

function apiKeyOf(frame: Uint8Array): number {
  return ((frame[0] ?? 0) << 8) | (frame[1] ?? 0);
}

function counterOf({ requestsByApi }: BrokerMetrics, key: number): RequestCounter {
  const counter = requestsByApi.get(key) ?? { count: 0 };
  requestsByApi.set(key, counter);
  return counter;
}

/**
 * Requests whose bytes may be kept for long (member metadata) get memory of their own, in their exact size; those of
 * pipelined APIs, which are many and large, are handled where they were received, and the log copies what it takes.
 */
function ownBytes(exchange: Exchange): Uint8Array {
  if (exchange.pipelined) return exchange.frame.bytes;
  const bytes = Uint8Array.prototype.slice.call(exchange.frame.bytes);
  exchange.frame.release();
  return bytes;
}

class Context implements RequestContext {
  readonly #exchange: Exchange;
  readonly #header: RequestHeader;

  constructor(exchange: Exchange, header: RequestHeader) {
    this.#exchange = exchange;
    this.#header = header;
  }

  get apiKey(): number {
    return this.#header.apiKey;
  }

  get apiVersion(): number {
    return this.#header.apiVersion;
  }

  get correlationId(): number {
    return this.#header.correlationId;
  }

  get clientId(): string | null {
    return this.#header.clientId;
  }

  get listenerName(): string {
    return this.#exchange.listenerName;
  }

  get clientHost(): string {
    return this.#exchange.clientHost;
  }

  isConnected(): boolean {
    return this.#exchange.isConnected;
  }

  onDisconnect(action: () => void): void {
    this.#exchange.onDisconnect(action);
  }

  onSent(action: () => void): void {
    this.#exchange.onSent(action);
  }

  closeConnection(reason: string): void {
    this.#exchange.closeConnection(reason);
  }
}
