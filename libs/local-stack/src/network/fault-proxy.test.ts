import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../free-port.ts';
import { FaultProxy } from './fault-proxy.ts';
import { endpointOfClient, NetworkFaults } from './network-faults.ts';

const FETCH = 1;
const PRODUCE = 0;

function requestFrame(apiKey: number, correlationId: number, clientId: string): Buffer {
  const id = Buffer.from(clientId);
  const frame = Buffer.alloc(4 + 10 + id.length);
  frame.writeInt32BE(frame.length - 4, 0);
  frame.writeInt16BE(apiKey, 4);
  frame.writeInt32BE(correlationId, 8);
  frame.writeInt16BE(id.length, 12);
  id.copy(frame, 14);
  return frame;
}

/** A node that answers each request with its correlation id, and notes it. */
class AnsweringNode {
  readonly got: number[] = [];
  readonly port: number;
  readonly #server: Server;
  readonly sockets = new Set<Socket>();

  private constructor(port: number) {
    this.port = port;
    this.#server = createServer((socket) => {
      this.sockets.add(socket);
      let bytes = Buffer.alloc(0);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0)) {
          const correlationId = bytes.readInt32BE(8);
          this.got.push(correlationId);
          const answer = Buffer.alloc(8);
          answer.writeInt32BE(4, 0);
          answer.writeInt32BE(correlationId, 4);
          socket.write(answer);
          bytes = bytes.subarray(4 + bytes.readInt32BE(0));
        }
      });
    });
  }

  static async listen(): Promise<AnsweringNode> {
    const node = new AnsweringNode(await freePort());
    await once(node.#server.listen(node.port, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      for (const socket of node.sockets) socket.destroy();
      node.#server.close();
    });
    return node;
  }
}

class Peer {
  readonly answers: number[] = [];
  isClosed = false;
  readonly #socket: Socket;
  readonly #clientId: string;

  constructor(port: number, clientId: string) {
    this.#clientId = clientId;
    this.#socket = connect({ port, host: '127.0.0.1' });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => (this.isClosed = true));
    this.#socket.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += 8) this.answers.push(chunk.readInt32BE(at + 4));
    });
    onTestFinished(() => void this.#socket.destroy());
  }

  ask(correlationId: number, apiKey = FETCH): void {
    this.#socket.write(requestFrame(apiKey, correlationId, this.#clientId));
  }

  end(): void {
    this.#socket.end();
  }
}

async function network() {
  const node = await AnsweringNode.listen();
  const faults = new NetworkFaults();
  const port = await freePort();
  const options = { port, targetPort: node.port, endpoint: 'node-2', faults };
  const proxy = await FaultProxy.listen(options);
  onTestFinished(() => proxy.close());
  const peer = (clientId: string): Peer => new Peer(port, clientId);
  return { node, faults, peer };
}

const fetcher = 'broker-1-fetcher-0';

describe('a fault proxy', () => {
  it('passes everything on while nothing is wrong', async () => {
    const { node, peer } = await network();
    const one = peer(fetcher);
    for (let id = 1; id <= 50; id += 1) one.ask(id);
    await expect.poll(() => one.answers.length).toBe(50);
    expect(node.got).toEqual(one.answers);
    one.end();
    await expect.poll(() => node.sockets.size).toBe(0);
  });

  it('F22: holds the requests of one node, not those of another, and lets them come late', async () => {
    const { node, faults, peer } = await network();
    const [one, three] = [peer(fetcher), peer('broker-3-fetcher-0')];
    one.ask(1);
    await expect.poll(() => one.answers).toEqual([1]);
    faults.cut('node-1', 'node-2');
    one.ask(2);
    three.ask(3);
    await expect.poll(() => three.answers).toEqual([3]);
    expect(node.got).toEqual([1, 3]);
    faults.heal();
    await expect.poll(() => one.answers).toEqual([1, 2]);
  });

  it('F22: one way: requests arrive, their answers do not', async () => {
    const { node, faults, peer } = await network();
    faults.cut('node-2', 'node-1');
    const one = peer('raft-client-1');
    one.ask(1);
    await expect.poll(() => node.got).toEqual([1]);
    const other = peer('drill-producer');
    other.ask(2);
    await expect.poll(() => other.answers).toEqual([2]);
    expect(one.answers).toEqual([]);
    faults.heal();
    await expect.poll(() => one.answers).toEqual([1]);
  });

  it('F22: a connection can be made over a cut, and nothing answers', async () => {
    const { node, faults, peer } = await network();
    faults.isolate('node-1', ['node-1', 'node-2', 'node-3']);
    const [one, other] = [peer(fetcher), peer('someone')];
    one.ask(1);
    other.ask(2);
    await expect.poll(() => other.answers).toEqual([2]);
    expect(node.got).toEqual([2]);
    expect(one.isClosed).toBe(false);
  });

  it('F29: loses the answer to one request and breaks the connection', async () => {
    const { node, faults, peer } = await network();
    const lost = faults.loseAnswer({ from: 'node-2', to: 'producer', apiKey: PRODUCE });
    const one = peer('producer');
    one.ask(1);
    await expect.poll(() => one.answers).toEqual([1]);
    one.ask(2, PRODUCE);
    await lost;
    await expect.poll(() => one.isClosed).toBe(true);
    expect(one.answers).toEqual([1]);
    expect(node.got).toEqual([1, 2]);
    const again = peer('producer');
    again.ask(2, PRODUCE);
    await expect.poll(() => again.answers).toEqual([2]);
  });

  it('F23: keeps the order of what is late', async () => {
    const { faults, peer } = await network();
    faults.delay('node-1', 'node-2', 30);
    const one = peer(fetcher);
    one.ask(1);
    faults.delay('node-1', 'node-2', 0);
    one.ask(2);
    await expect.poll(() => one.answers).toEqual([1, 2]);
  });

  it('breaks what is connected when the node is not there', async () => {
    const faults = new NetworkFaults();
    const [port, targetPort] = [await freePort(), await freePort()];
    const proxy = await FaultProxy.listen({ port, targetPort, endpoint: 'node-2', faults });
    onTestFinished(() => proxy.close());
    const one = new Peer(port, fetcher);
    one.ask(1);
    await expect.poll(() => one.isClosed).toBe(true);
  });
});

describe('endpoints', () => {
  it.each([
    ['broker-2-fetcher-0', 'node-2'],
    ['raft-client-100', 'node-100'],
    ['broker-3-to-controller-alter-partition', 'node-3'],
    ['drill-producer-1', 'drill-producer-1'],
    ['brokerage', 'brokerage'],
  ])('%s is %s', (clientId, endpoint) => {
    expect(endpointOfClient(clientId)).toBe(endpoint);
  });
});
