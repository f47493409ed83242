import type {
  ByteReceiver,
  ByteStream,
  ConnectAddress,
  ConnectingReceiver,
  IncomingStream,
  ListenAddress,
  ListenEvents,
  Network,
  StreamListener,
} from '../network.ts';
import type { Turns } from '../turns.ts';
import { connectOver } from './memory-connect.ts';
import { MemoryPipe } from './memory-pipe.ts';

/** What the side that connects hears. The connectors of clients have the same shape. */
export interface MemoryLinkEvents {
  connected(): void;
  target(): Uint8Array;
  received(length: number): void;
  drained(): void;
  closed(reason: Error | null): void;
}

/** What the side that connects holds. */
export interface MemoryLink {
  write(parts: readonly Uint8Array[]): void;
  readonly pendingBytes: number;
  destroy(): void;
}

const FIRST_FREE_PORT = 49_152;
const HOSTNAME = 'memory';

/**
 * Connections in memory: a `Network`, and `open` in the shape of the SDK's connector. Bytes, connections and ends arrive a turn
 * after they were sent, in order. What was written before an end arrives before it, as from a socket.
 */
export class MemoryNetwork implements Network {
  readonly #turns: Turns;
  readonly #listeners = new Map<number, ListenEvents>();
  #nextPort = FIRST_FREE_PORT;
  #connections = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#connections;
  }

  /** Hosts do not count: a port is taken once. */
  listen({ host, port }: ListenAddress, events: ListenEvents): Promise<StreamListener> {
    const own = port === 0 ? this.#freePort() : port;
    if (this.#listeners.has(own)) return Promise.reject(new Error(`port ${own} is taken (EADDRINUSE)`));
    this.#listeners.set(own, events);
    return Promise.resolve({
      host,
      port: own,
      close: () => {
        if (this.#listeners.get(own) === events) this.#listeners.delete(own);
      },
    });
  }

  hostname(): Promise<string> {
    return Promise.resolve(HOSTNAME);
  }

  /** Connects to whoever listens on the port when the turn ends. */
  open(_host: string, port: number, events: MemoryLinkEvents): MemoryLink {
    const connection = new MemoryConnection(this.#turns, events, () => {
      this.#connections -= 1;
    });
    this.#connections += 1;
    this.#turns.defer(() => connection.reach(this.#listeners.get(port), port));
    return connection;
  }

  connect(address: ConnectAddress, receiver: ConnectingReceiver): ByteStream {
    return connectOver(this, this.#turns, address, receiver);
  }

  #freePort(): number {
    while (this.#listeners.has(this.#nextPort)) this.#nextPort += 1;
    return this.#nextPort++;
  }
}

/** One connection, both its ends. */
class MemoryConnection implements MemoryLink {
  readonly #turns: Turns;
  readonly #events: MemoryLinkEvents;
  readonly #forget: () => void;
  readonly #toServer: MemoryPipe;
  readonly #toClient: MemoryPipe;
  #receiver: ByteReceiver | null = null;
  #isServerGone = false;
  #hasClientEnded = false;
  #isOver = false;

  constructor(turns: Turns, events: MemoryLinkEvents, forget: () => void) {
    this.#turns = turns;
    this.#events = events;
    this.#forget = forget;
    this.#toServer = new MemoryPipe(turns, {
      memory: () => this.#receiver?.memory() ?? new Uint8Array(0),
      received: (memory, length) => this.#receiver?.received(memory, length),
      ended: () => this.#serverHearsEnd(),
      emptied: () => {
        if (!this.#hasClientEnded) events.drained();
      },
    });
    this.#toServer.isPaused = true;
    this.#toClient = new MemoryPipe(turns, {
      memory: () => events.target(),
      received: (_memory, length) => events.received(length),
      ended: () => this.#over(null),
      emptied: () => {},
    });
  }

  get pendingBytes(): number {
    return this.#toServer.bytes;
  }

  reach(listener: ListenEvents | undefined, port: number): void {
    if (this.#hasClientEnded) return;
    if (listener === undefined) {
      this.#over(new Error(`nobody listens on port ${port} (ECONNREFUSED)`));
      return;
    }
    listener.accepted(this.#incoming());
    this.#events.connected();
  }

  write(parts: readonly Uint8Array[]): void {
    if (!this.#hasClientEnded) this.#toServer.write(parts);
  }

  destroy(): void {
    if (this.#hasClientEnded) return;
    this.#hasClientEnded = true;
    this.#toClient.discard();
    this.#toServer.end();
    this.#turns.defer(() => this.#over(null));
  }

  #incoming(): IncomingStream {
    const isGone = (): boolean => this.#isServerGone;
    const destroy = (): void => this.#destroyServerEnd();
    return {
      remoteAddress: '127.0.0.1',
      get isDestroyed() {
        return isGone();
      },
      destroy,
      open: (receiver) => {
        this.#receiver = receiver;
        return this.#serverEnd();
      },
    };
  }

  #serverEnd(): ByteStream {
    return {
      resume: () => this.#toServer.resume(),
      pause: () => {
        this.#toServer.isPaused = true;
      },
      write: (parts, _bytes, written) => {
        if (!this.#isServerGone) this.#toClient.write(parts, written);
      },
      destroy: () => this.#destroyServerEnd(),
    };
  }

  #destroyServerEnd(): void {
    if (this.#isServerGone) return;
    this.#isServerGone = true;
    this.#toServer.discard();
    this.#toClient.forgetCompletions();
    this.#toClient.end();
  }

  #serverHearsEnd(): void {
    if (this.#isServerGone) return;
    this.#isServerGone = true;
    this.#receiver?.ended();
  }

  /** The client hears it once, whichever end began it. */
  #over(reason: Error | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hasClientEnded = true;
    this.#forget();
    this.#events.closed(reason);
  }
}
