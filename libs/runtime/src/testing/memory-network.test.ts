import { describe, expect, it } from 'vitest';
import type { ByteReceiver, ByteStream, IncomingStream } from '../network.ts';
import { ManualTurns } from './manual-turns.ts';
import { type MemoryLinkEvents, MemoryNetwork } from './memory-network.ts';

const PORT = 9092;
const text = new TextDecoder();
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

class Server implements ByteReceiver {
  readonly heard: string[] = [];
  /** Small, so that bytes come in several reads. */
  readonly #memory = new Uint8Array(4);
  stream: ByteStream | null = null;

  memory(): Uint8Array {
    return this.#memory;
  }

  received(memory: Uint8Array, length: number): void {
    this.heard.push(text.decode(memory.subarray(0, length)));
  }

  ended(): void {
    this.heard.push('ended');
  }
}

class Client implements MemoryLinkEvents {
  readonly heard: string[] = [];
  readonly #memory = new Uint8Array(4);
  connected = () => this.#hear('connected');
  target = () => this.#memory;
  received = (length: number) => this.#hear(text.decode(this.#memory.subarray(0, length)));
  drained = () => this.#hear('drained');
  closed = (reason: Error | null) => this.#hear(`closed ${reason?.message ?? ''}`);

  #hear(what: string): void {
    this.heard.push(what);
  }
}

async function pair() {
  const turns = new ManualTurns();
  const network = new MemoryNetwork(turns);
  const server = new Server();
  const incoming: IncomingStream[] = [];
  const listener = await network.listen(
    { host: '', port: PORT, backlog: 1 },
    {
      accepted: (stream) => {
        incoming.push(stream);
        server.stream = stream.open(server);
      },
      failed: () => {},
    },
  );
  const client = new Client();
  const link = network.open('anywhere', PORT, client);
  turns.endAll();
  return { turns, network, server, client, link, listener, incoming };
}

describe('a network in memory', () => {
  it('carries bytes both ways, a turn later, in order and in the memory that the reader names', async () => {
    const { turns, server, client, link } = await pair();
    server.stream?.resume();
    link.write([bytes('one'), bytes('two')]);
    let written = 0;
    server.stream?.write([bytes('answer')], 6, () => (written += 1));
    expect([server.heard, client.heard, link.pendingBytes, written]).toEqual([[], ['connected'], 6, 0]);
    turns.end();
    expect(server.heard).toEqual(['onet', 'wo']);
    expect(client.heard).toEqual(['connected', 'drained', 'answ', 'er']);
    expect([link.pendingBytes, written]).toEqual([0, 1]);
  });

  it('lets the writer use its memory again at once', async () => {
    const { turns, server, link } = await pair();
    server.stream?.resume();
    const memory = bytes('kept');
    link.write([memory]);
    memory.fill(0);
    turns.end();
    expect(server.heard).toEqual(['kept']);
  });

  it('reads nothing before it is resumed, and nothing while it is paused', async () => {
    const { turns, server, link } = await pair();
    link.write([bytes('abcd')]);
    turns.endAll();
    expect(server.heard).toEqual([]);
    server.stream?.resume();
    turns.endAll();
    server.stream?.pause();
    link.write([bytes('efgh')]);
    turns.endAll();
    expect([server.heard, link.pendingBytes]).toEqual([['abcd'], 4]);
  });

  it('lets what a client wrote arrive before its end', async () => {
    const { turns, server, client, link, network } = await pair();
    server.stream?.resume();
    link.write([bytes('last')]);
    link.destroy();
    turns.endAll();
    expect(server.heard).toEqual(['last', 'ended']);
    expect(client.heard).toEqual(['connected', 'closed ']);
    expect(network.connections).toBe(0);
  });

  it('lets what a server wrote arrive before its end, which the client hears once', async () => {
    const { turns, server, client, link } = await pair();
    server.stream?.resume();
    let written = 0;
    server.stream?.write([bytes('bye')], 3, () => (written += 1));
    server.stream?.destroy();
    turns.endAll();
    link.destroy();
    turns.endAll();
    expect(client.heard).toEqual(['connected', 'bye', 'closed ']);
    expect([server.heard, written]).toEqual([[], 0]);
  });

  it('tells a server that has paused of its peer’s end', async () => {
    const { turns, server, link } = await pair();
    link.write([bytes('unread')]);
    link.destroy();
    turns.endAll();
    expect(server.heard).toEqual(['ended']);
  });

  it('refuses a connection to a port that nobody listens on, and a port that is taken', async () => {
    const { turns, network, listener } = await pair();
    const address = { host: '', port: PORT, backlog: 1 };
    const deaf = { accepted: () => {}, failed: () => {} };
    await expect(network.listen(address, deaf)).rejects.toThrow('EADDRINUSE');
    listener.close();
    const late = new Client();
    network.open('anywhere', PORT, late);
    turns.endAll();
    expect(late.heard).toEqual([`closed nobody listens on port ${PORT} (ECONNREFUSED)`]);
    await expect(network.listen(address, deaf)).resolves.toMatchObject({ port: PORT });
  });

  it('closes a connection that is refused as it comes', async () => {
    const turns = new ManualTurns();
    const network = new MemoryNetwork(turns);
    const { port } = await network.listen(
      { host: '', port: 0, backlog: 1 },
      { accepted: (stream) => stream.destroy(), failed: () => {} },
    );
    const client = new Client();
    network.open('anywhere', port, client);
    turns.endAll();
    expect(client.heard).toEqual(['connected', 'closed ']);
  });
});
