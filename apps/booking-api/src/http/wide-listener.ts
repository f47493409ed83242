/**
 * Several listening sockets on one port, all of one HTTP server. Node takes one waiting connection for each listening socket
 * and turn of its loop. A crowd that comes at one moment comes on as many connections, and turns are long just then: with
 * one socket the last of five hundred was let in after seconds, though the gate behind it would have had an answer at once.
 *
 * The system spreads connections over the sockets (SO_REUSEPORT). Where it cannot, there is one, as usual. A port that
 * someone else listens on is refused, also if that someone would share it.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

export interface ListenAddress {
  readonly port: number;
  readonly host: string;
}

export const LISTENING_SOCKETS = 16;

export class WideListener {
  readonly #app: NestFastifyApplication;
  /** All but the application's own. */
  readonly #others: Server[] = [];

  private constructor(app: NestFastifyApplication) {
    this.#app = app;
  }

  static async listen(app: NestFastifyApplication, address: ListenAddress): Promise<WideListener> {
    const listener = new WideListener(app);
    const reusePort = process.platform === 'linux';
    if (reusePort) await refuseTaken(address);
    const options = { ...address, reusePort };
    await app.listen(options);
    if (reusePort) await listener.#join(address.host);
    return listener;
  }

  get port(): number {
    return portOf(this.#app.getHttpServer());
  }

  /** Lets nobody in any more, and resolves when all who are in have been served. */
  async close(): Promise<void> {
    await Promise.all([...this.#others.map(closed), this.#app.close()]);
  }

  async #join(host: string): Promise<void> {
    const http = this.#app.getHttpServer();
    const options = { port: this.port, host, reusePort: true };
    while (this.#others.length + 1 < LISTENING_SOCKETS) {
      // As an HTTP server makes its own.
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
        http.emit('connection', socket),
      );
      server.listen(options);
      await once(server, 'listening');
      this.#others.push(server);
    }
  }
}

/** Rejects with EADDRINUSE if someone listens there: this socket shares with nobody. */
async function refuseTaken({ port, host }: ListenAddress): Promise<void> {
  if (port === 0) return;
  const alone = createServer().listen({ port, host });
  await once(alone, 'listening');
  await closed(alone);
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}
