/** TCP by Node behind the Network port: tuned for many small answers and large reads. */
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
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
} from '@seatlog/runtime';
import { reachableHostname } from './reachable-hostname.ts';
import { receiveByEvents, receiveInto } from './socket-receiver.ts';

/** Answers up to this size together are sent as one buffer: cheaper than a vector of many. */
const JOINED_ANSWER_BYTES = 16_384;

const NOTHING = new Uint8Array(0);

type Receive = (accepted: Socket, receiver: ByteReceiver) => Socket;

export const nodeNetwork: Network = networkThat(receiveInto);

/** The same with 'data' events even where receiving into our own memory works. */
export const nodeNetworkByEvents: Network = networkThat(receiveByEvents);

function networkThat(receive: Receive): Network {
  return {
    hostname: reachableHostname,
    listen: (address, events) => listen(address, events, receive),
    connect,
  };
}

function connect({ host, port }: ConnectAddress, receiver: ConnectingReceiver): ByteStream {
  const socket = connectSocket({
    host,
    port,
    noDelay: true,
    onread: {
      buffer: () => receiver.memory(),
      callback: (length, memory) => {
        if (!socket.destroyed) receiver.received(memory, length);
        return true;
      },
    },
  });
  return new OutgoingStream(socket, receiver);
}

function listen(
  { host, port, backlog }: ListenAddress,
  events: ListenEvents,
  receive: Receive,
): Promise<StreamListener> {
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) =>
    events.accepted(new IncomingSocket(socket, receive)),
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, backlog, ...(host === '' ? {} : { host }) }, () => {
      server.off('error', reject);
      server.on('error', (error) => events.failed(error));
      // A TCP server's address is an AddressInfo; strings and null belong to pipes and unbound servers.
      const bound = server.address() as AddressInfo;
      resolve({ host: bound.address, port: bound.port, close: () => void server.close() });
    });
  });
}

class IncomingSocket implements IncomingStream {
  readonly #socket: Socket;
  readonly #receive: Receive;

  constructor(socket: Socket, receive: Receive) {
    this.#socket = socket;
    this.#receive = receive;
    socket.on('error', () => socket.destroy());
  }

  get remoteAddress(): string {
    return plainAddress(this.#socket.remoteAddress ?? 'unknown');
  }

  get isDestroyed(): boolean {
    return this.#socket.destroyed;
  }

  open(receiver: ByteReceiver): ByteStream {
    return new SocketStream(this.#receive(this.#socket, receiver), receiver);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

class SocketStream implements ByteStream {
  readonly #socket: Socket;

  constructor(socket: Socket, receiver: Pick<ByteReceiver, 'ended'>) {
    this.#socket = socket;
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      receiver.ended();
    };
    socket.setNoDelay(true);
    socket.on('end', end);
    socket.on('error', end);
    socket.on('close', end);
  }

  resume(): void {
    this.#socket.resume();
  }

  pause(): void {
    this.#socket.pause();
  }

  write(parts: readonly Uint8Array[], bytes: number, written: () => void): void {
    const socket = this.#socket;
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) {
      socket.write(only, written);
      return;
    }
    if (bytes <= JOINED_ANSWER_BYTES) {
      socket.write(Buffer.concat(parts, bytes), written);
      return;
    }
    socket.cork();
    const last = parts.length - 1;
    for (let index = 0; index < last; index++) socket.write(parts[index] ?? NOTHING);
    socket.write(parts[last] ?? NOTHING, written);
    socket.uncork();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** Its first end, if it never stood, is a refusal; whoever destroys it hears no more of it. */
class OutgoingStream extends SocketStream {
  readonly #fate: { isOver: boolean };

  constructor(socket: Socket, receiver: ConnectingReceiver) {
    const fate = { isOver: false };
    let hasConnected = false;
    let reason = 'the connection was closed';
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.once('connect', () => {
      hasConnected = true;
      if (!fate.isOver) receiver.connected();
    });
    super(socket, {
      ended: () => {
        if (fate.isOver) return;
        fate.isOver = true;
        socket.destroy();
        if (hasConnected) receiver.ended();
        else receiver.refused(reason);
      },
    });
    this.#fate = fate;
  }

  override destroy(): void {
    this.#fate.isOver = true;
    super.destroy();
  }
}

/** IPv4 addresses on a dual-stack socket come wrapped in IPv6. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
