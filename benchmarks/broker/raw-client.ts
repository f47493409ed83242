/**
 * A client that costs as little as possible: requests are bytes made beforehand, answers are counted by their size.
 * For set-up it can also ask one question at a time and decode the answer.
 */
import { connect, type Socket } from 'node:net';
import { type Api, decodeResponse, encodeRequest } from '@seatlog/kafka-protocol';

const SIZE_BYTES = 4;

export class RawClient {
  readonly #socket: Socket;
  /** What the next bytes go to. */
  #receive: (bytes: Uint8Array) => void = () => {};
  #closed: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => this.#closed());
  }

  static open(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const memory = Buffer.allocUnsafeSlow(256 * 1024);
      let client: RawClient | null = null;
      const socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer: memory,
          callback: (length, buffer) => {
            if (client !== null) client.#receive(buffer.subarray(0, length));
            return true;
          },
        },
      });
      socket.once('error', reject);
      socket.once('connect', () => {
        client = new RawClient(socket);
        resolve(client);
      });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  ask<Response, RequestIn>(
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      let gathered = Buffer.alloc(0);
      this.#closed = () => reject(new Error(`the connection closed on a ${api.name} request`));
      this.#receive = (bytes) => {
        gathered = Buffer.concat([gathered, bytes]);
        if (gathered.length < SIZE_BYTES) return;
        const size = gathered.readInt32BE(0);
        if (gathered.length < SIZE_BYTES + size) return;
        resolve(decodeResponse(api, version, gathered.subarray(SIZE_BYTES)).body);
      };
      for (const chunk of encodeRequest(api, version, 1, 'benchmark', body)) this.#socket.write(chunk);
    });
  }

  /**
   * Writes `pieces` over and over, `count` of them, with at most `window` unanswered, and waits until
   * `answerBytes` came back for each. `onAnswer` is told how many milliseconds each took.
   */
  pipeline(
    pieces: readonly Uint8Array[],
    answerBytes: readonly number[],
    count: number,
    window: number,
    onAnswer?: (ms: number) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      let sent = 0;
      let answered = 0;
      let received = 0;
      /** When those unanswered were sent, oldest first. */
      const sentAt: number[] = [];
      const send = (): void => {
        this.#socket.cork();
        while (sent < count && sent - answered < window) {
          const piece = pieces[sent % pieces.length];
          if (piece !== undefined) this.#socket.write(piece);
          if (onAnswer !== undefined) sentAt.push(performance.now());
          sent += 1;
        }
        this.#socket.uncork();
      };
      this.#closed = () => reject(new Error('the connection closed in the middle of a pipeline'));
      this.#receive = (bytes) => {
        received += bytes.length;
        let expected = answerBytes[answered % answerBytes.length] ?? 0;
        while (answered < sent && received >= expected) {
          received -= expected;
          answered += 1;
          onAnswer?.(performance.now() - (sentAt.shift() ?? Number.NaN));
          expected = answerBytes[answered % answerBytes.length] ?? 0;
        }
        if (answered === count) resolve();
        else send();
      };
      send();
    });
  }
}
