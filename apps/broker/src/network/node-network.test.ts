import type { ByteReceiver, ByteStream, ConnectingReceiver } from '@seatlog/runtime';
import { expect, it } from 'vitest';
import { nodeNetwork } from './node-network.ts';

const HOST = '127.0.0.1';
/** Of tcpmux: nobody listens there, and no connection gets it as its own. */
const NOBODYS_PORT = 1;
const text = new TextDecoder();
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

class Receiver implements ConnectingReceiver {
  heard = '';
  readonly #memory = new Uint8Array(64);
  memory = () => this.#memory;
  received = (memory: Uint8Array, length: number) => this.#hear(text.decode(memory.subarray(0, length)));
  connected = () => this.#hear('connected;');
  refused = (reason: string) => this.#hear(`refused ${reason};`);
  ended = () => this.#hear('ended;');

  #hear(what: string): void {
    this.heard += what;
  }
}

async function pair(serve: ByteReceiver) {
  const { promise, resolve } = Promise.withResolvers<ByteStream>();
  const listener = await nodeNetwork.listen(
    { host: HOST, port: 0, backlog: 1 },
    { accepted: (incoming) => resolve(incoming.open(serve)), failed: () => {} },
  );
  const client = new Receiver();
  const stream = nodeNetwork.connect({ host: HOST, port: listener.port }, client);
  return { listener, client, stream, accepted: await promise };
}

it('connects, carries bytes both ways and tells of the end', async () => {
  const server = new Receiver();
  const { listener, client, stream, accepted } = await pair(server);
  accepted.resume();
  stream.write([bytes('question')], 8, () => {});
  await expect.poll(() => server.heard).toBe('question');
  accepted.write([bytes('answer;')], 7, () => accepted.destroy());
  await expect.poll(() => client.heard).toBe('connected;answer;ended;');
  listener.close();
});

it('tells why it was refused, once', async () => {
  const client = new Receiver();
  nodeNetwork.connect({ host: HOST, port: NOBODYS_PORT }, client);
  await expect.poll(() => client.heard).toMatch(/^refused .*ECONNREFUSED.*;$/);
});

it('whoever destroys a stream hears no more of it', async () => {
  const server = new Receiver();
  const { listener, client, stream, accepted } = await pair(server);
  accepted.resume();
  stream.destroy();
  await expect.poll(() => server.heard).toBe('ended;');
  expect(client.heard === '' || client.heard === 'connected;').toBe(true);
  listener.close();
});
