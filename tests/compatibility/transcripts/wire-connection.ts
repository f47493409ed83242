/** A connection that sends what it is told to and gives what comes back, frame by frame: it knows no retries and no versions. */
import { connect, type Socket } from 'node:net';
import { FrameSplitter } from '@seatlog/kafka-protocol';

const ANSWERED_WITHIN_MS = 60_000;

interface Waiting {
  readonly give: (frame: Uint8Array | null) => void;
}

export class WireConnection {
  readonly #socket: Socket;
  readonly #frames: Uint8Array[] = [];
  readonly #waiting: Waiting[] = [];
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const splitter = new FrameSplitter();
    socket.on('data', (bytes) => splitter.push(bytes, (frame) => this.#came(Uint8Array.from(frame))));
    socket.on('error', () => this.#end());
    socket.on('close', () => this.#end());
  }

  static async open(address: string): Promise<WireConnection> {
    const [host = '', port = ''] = address.split(':');
    const socket = connect({ host, port: Number(port), noDelay: true });
    const connection = new WireConnection(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return connection;
  }

  send(pieces: readonly Uint8Array[]): void {
    this.#socket.write(Buffer.concat(pieces));
  }

  /** The next frame, without its size; null when the other side closed the connection instead. */
  next(): Promise<Uint8Array | null> {
    const frame = this.#frames.shift();
    if (frame !== undefined) return Promise.resolve(frame);
    if (this.#closed) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(
        () => reject(new Error(`no answer within ${ANSWERED_WITHIN_MS} ms`)),
        ANSWERED_WITHIN_MS,
      );
      this.#waiting.push({
        give: (given) => {
          clearTimeout(deadline);
          resolve(given);
        },
      });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #came(frame: Uint8Array): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#frames.push(frame);
    else waiting.give(frame);
  }

  #end(): void {
    this.#closed = true;
    for (const { give } of this.#waiting.splice(0)) give(null);
  }
}
