/**
 * The broker's HTTP port: `/healthz`, `/metrics`, `/state`. Read only, bounded in connections and time, on loopback
 * unless it is told otherwise.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../logger.ts';
import type { NodeState } from '../node-options.ts';
import type { LoadProgress } from '../replica-manager/image-application.ts';

const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 5000;
const KEEP_ALIVE_MS = 5000;
const MAX_HEADER_BYTES = 8192;
const LOOPBACK = '127.0.0.1';

export interface Health {
  /** Once the node serves, and until it begins to stop. */
  readonly ready: boolean;
  readonly state: NodeState;
  /** A broker that starts: how far it is with its logs. */
  readonly loading?: LoadProgress;
}

export interface HttpContents {
  health(): Health;
  metrics(): string;
  state(): object;
}

export class HttpEndpoints {
  readonly #contents: HttpContents;
  readonly #log: Logger;
  readonly #server: Server;

  constructor(contents: HttpContents, log: Logger) {
    this.#contents = contents;
    this.#log = log;
    this.#server = createServer(
      {
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      (request, response) => this.#serve(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  listen(endpoint: {
    readonly host: string;
    readonly port: number;
  }): Promise<{ host: string; port: number }> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(endpoint.port, endpoint.host || LOOPBACK, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#log.warn('The HTTP listener reports an error', { error }));
        // A TCP server's address is an AddressInfo; strings and null belong to pipes and unbound servers.
        const { address, port } = this.#server.address() as AddressInfo;
        resolve({ host: address, port });
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const path = (request.url ?? '/').split('?', 1)[0];
    try {
      this.#answer(path ?? '/', response);
    } catch (error) {
      this.#log.error('An HTTP request could not be answered', { path, error });
      if (!response.headersSent) response.writeHead(500).end();
    }
  }

  #answer(path: string, response: ServerResponse): void {
    switch (path) {
      case '/healthz': {
        const health = this.#contents.health();
        send(response, health.ready ? 200 : 503, 'application/json', JSON.stringify(health));
        return;
      }
      case '/metrics':
        send(response, 200, 'text/plain; version=0.0.4; charset=utf-8', this.#contents.metrics());
        return;
      case '/state':
        send(response, 200, 'application/json', JSON.stringify(this.#contents.state()));
        return;
      default:
        send(
          response,
          404,
          'application/json',
          JSON.stringify({ paths: ['/healthz', '/metrics', '/state'] }),
        );
    }
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}
