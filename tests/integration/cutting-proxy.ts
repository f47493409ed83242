/** A TCP proxy in front of a broker that can cut its connections: before a request goes through, or before its answer does. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Asked for each piece of an answer on its way back: true cuts the connection there. */
  cutAnswer: () => boolean = () => false;
  #cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(targetPort: number): Promise<CuttingProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#serve(client, targetPort));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  get cuts(): number {
    return this.#cuts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #serve(client: Socket, targetPort: number): void {
    const broker = connect({ host: '127.0.0.1', port: targetPort, noDelay: true });
    const end = (): void => {
      client.destroy();
      broker.destroy();
    };
    for (const socket of [client, broker]) {
      this.#sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.on('data', (bytes) => broker.write(bytes));
    broker.on('data', (bytes) => {
      if (!this.cutAnswer()) {
        client.write(bytes);
        return;
      }
      this.#cuts += 1;
      end();
    });
  }
}
