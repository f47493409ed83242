/**
 * A TCP relay in front of one port that can make a server vanish the way a lost machine does: what is connected hears
 * nothing any more, no answer and no end, while whoever connects afterwards reaches the server as if it had moved.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class SilentRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #passing = new Set<Socket>();

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    server.on('connection', (client) => this.#join(client, targetPort));
  }

  static async listen(targetPort: number): Promise<SilentRelay> {
    const server = createServer();
    const relay = new SilentRelay(server, targetPort);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the relay is closed');
    return address.port;
  }

  /** From now on nothing passes on the connections that there are, and they stay open. */
  silence(): void {
    for (const socket of this.#passing) {
      socket.unpipe();
      socket.pause();
    }
    this.#passing.clear();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #join(client: Socket, targetPort: number): void {
    const target = connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(socket);
      this.#passing.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        // The silent ones keep their silence until both sides are closed.
        if (this.#passing.delete(socket)) other.destroy();
      });
      socket.pipe(other);
    }
  }
}
