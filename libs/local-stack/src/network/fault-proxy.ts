/**
 * A TCP proxy in front of one listener of one node. It asks `NetworkFaults` what may pass.
 *
 * Who connects is told by the client id of the first request, so single directions between single pairs can be cut although
 * all of them connect to the same address, and nobody needs rights on the machine's network. Until the first request
 * has said who it is, nothing reaches the node.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import {
  FrameHeads,
  REQUEST_HEAD_BYTES,
  type RequestHead,
  requestHead,
  RESPONSE_HEAD_BYTES,
  responseCorrelationId,
} from './frame-heads.ts';
import { type Endpoint, endpointOfClient, type NetworkFaults } from './network-faults.ts';
import { OneWay, type WayState } from './one-way.ts';

export interface FaultProxyOptions {
  /** Where it listens, and where the node does; both on 127.0.0.1. */
  readonly port: number;
  readonly targetPort: number;
  /** Whose listener it is. */
  readonly endpoint: Endpoint;
  readonly faults: NetworkFaults;
}

export class FaultProxy implements AsyncDisposable {
  readonly #options: FaultProxyOptions;
  readonly #server: Server;
  readonly #connections = new Set<ProxiedConnection>();
  readonly #unsubscribe: () => void;

  private constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#server = createServer({ noDelay: true }, (socket) => this.#take(socket));
    this.#unsubscribe = options.faults.subscribe(() => {
      for (const connection of this.#connections) connection.flow();
    });
  }

  static listen(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    return new Promise((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(options.port, '127.0.0.1', () => resolve(proxy));
    });
  }

  /** Breaks what is connected. */
  async close(): Promise<void> {
    this.#unsubscribe();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections) connection.break();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #take(socket: Socket): void {
    const connection = new ProxiedConnection(socket, this.#options, () =>
      this.#connections.delete(connection),
    );
    this.#connections.add(connection);
  }
}

class ProxiedConnection {
  readonly #options: FaultProxyOptions;
  readonly #client: Socket;
  readonly #onEnd: () => void;
  readonly #requests: OneWay;
  #node: Socket | null = null;
  #answers: OneWay | null = null;
  #peer: Endpoint | null = null;
  /** The request whose answer is to get lost, and whom to tell. */
  #losing: { readonly correlationId: number; readonly onLost: () => void } | null = null;

  constructor(client: Socket, options: FaultProxyOptions, onEnd: () => void) {
    this.#client = client;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#requests = new OneWay(
      client,
      () => this.#node,
      () => this.#stateOf('requests'),
    );
    const heads = new FrameHeads(REQUEST_HEAD_BYTES, (head) => this.#onRequest(requestHead(head)));
    client.on('data', (bytes) => {
      heads.push(bytes);
      this.#requests.push(bytes);
    });
    client.on('end', () => this.#requests.push(null));
    client.on('error', () => undefined);
    client.on('close', () => this.#clientClosed());
  }

  flow(): void {
    this.#requests.flow();
    this.#answers?.flow();
  }

  break(): void {
    this.#requests.close();
    this.#answers?.close();
    this.#client.destroy();
    this.#node?.destroy();
    this.#onEnd();
  }

  #onRequest({ apiKey, correlationId, clientId }: RequestHead): void {
    const { faults, endpoint } = this.#options;
    if (this.#peer === null) {
      this.#peer = endpointOfClient(clientId);
      this.#reachNode();
    }
    if (this.#losing !== null) return;
    const onLost = faults.takesAnswer(endpoint, this.#peer, apiKey);
    if (onLost !== null) this.#losing = { correlationId, onLost };
  }

  #reachNode(): void {
    const node = connect({ port: this.#options.targetPort, host: '127.0.0.1', noDelay: true });
    const answers = new OneWay(
      node,
      () => this.#client,
      () => this.#stateOf('answers'),
    );
    this.#answers = answers;
    const heads = new FrameHeads(RESPONSE_HEAD_BYTES, (head) => this.#onAnswer(responseCorrelationId(head)));
    node.on('connect', () => {
      this.#node = node;
      this.#requests.flow();
    });
    node.on('data', (bytes) => {
      heads.push(bytes);
      answers.push(bytes);
    });
    node.on('end', () => answers.push(null));
    node.on('error', () => answers.push(null));
    node.on('close', () => answers.push(null));
  }

  #onAnswer(correlationId: number): void {
    if (this.#losing?.correlationId !== correlationId) return;
    const { onLost } = this.#losing;
    this.break();
    onLost();
  }

  /** A node learns of it when the way to it is whole. */
  #clientClosed(): void {
    this.#answers?.close();
    if (this.#node === null) this.break();
    else {
      this.#requests.push(null);
      this.#node.once('close', () => this.break());
    }
  }

  #stateOf(what: 'requests' | 'answers'): WayState {
    const { faults, endpoint } = this.#options;
    const peer = this.#peer;
    if (peer === null) return { isCut: true, delayMs: 0 };
    const [from, to] = what === 'requests' ? [peer, endpoint] : [endpoint, peer];
    return { isCut: faults.isCut(from, to), delayMs: faults.delayOf(from, to) };
  }
}
