/**
 * A connection to a broker for tests: asks in any version, several at a time, or sends bytes that are no request.
 * Answers are matched by their order, as the protocol promises.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Api, decodeCorrelationId, decodeResponse, encodeRequest } from '@seatlog/kafka-protocol';

const DEADLINE_MS = 60_000;
const SIZE_BYTES = 4;

interface Pending {
  readonly correlationId: number;
  readonly resolve: (frame: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

export class WireClient implements AsyncDisposable {
  readonly socket: Socket;
  readonly #pending: Pending[] = [];
  /** Chunks that are not yet a whole answer, and how many bytes it takes to look again. */
  #chunks: Buffer[] = [];
  #receivedBytes = 0;
  #neededBytes = SIZE_BYTES;
  #nextCorrelationId = 1;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      for (const { reject } of this.#pending.splice(0)) reject(new Error('the broker closed the connection'));
    });
  }

  static async open(port: number): Promise<WireClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new WireClient(socket);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Answers that are still owed. */
  get owed(): number {
    return this.#pending.length;
  }

  async ask<Response, RequestIn>(
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
  ): Promise<Response> {
    const correlationId = this.send(api, version, body);
    return decodeResponse(api, version, await this.answerTo(correlationId)).body;
  }

  /** Sends without waiting; gives the correlation id. */
  send<RequestIn>(api: Api<unknown, unknown, RequestIn, never>, version: number, body: RequestIn): number {
    const correlationId = this.#nextCorrelationId++;
    this.socket.write(Buffer.concat(encodeRequest(api, version, correlationId, 'wire-client', body)));
    return correlationId;
  }

  /** The frame of the next answer, which must bear this id. */
  answerTo(correlationId: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS);
      this.#pending.push({
        correlationId,
        resolve: (frame) => {
          clearTimeout(timer);
          resolve(frame);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }

  /** Sends a request with a header of its own making: any key, any version, any body. */
  sendRaw(apiKey: number, apiVersion: number, body: Uint8Array = new Uint8Array(0)): number {
    const correlationId = this.#nextCorrelationId++;
    const head = Buffer.alloc(SIZE_BYTES + 10);
    head.writeInt32BE(10 + body.length, 0);
    head.writeInt16BE(apiKey, 4);
    head.writeInt16BE(apiVersion, 6);
    head.writeInt32BE(correlationId, 8);
    head.writeInt16BE(-1, 12);
    this.socket.write(Buffer.concat([head, body]));
    return correlationId;
  }

  /** By an end or by a reset: who still sends may get either. */
  closed(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return resolve();
      const timer = setTimeout(() => reject(new Error(`still open after ${DEADLINE_MS} ms`)), DEADLINE_MS);
      this.socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    await this.closed();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes < this.#neededBytes) return;
    let received = Buffer.concat(this.#chunks);
    this.#neededBytes = SIZE_BYTES;
    while (received.length >= SIZE_BYTES) {
      const end = SIZE_BYTES + received.readInt32BE(0);
      this.#neededBytes = end;
      if (received.length < end) break;
      this.#deliver(Uint8Array.from(received.subarray(SIZE_BYTES, end)));
      received = received.subarray(end);
      this.#neededBytes = SIZE_BYTES;
    }
    this.#chunks = [received];
    this.#receivedBytes = received.length;
  }

  #deliver(frame: Uint8Array): void {
    const next = this.#pending.shift();
    const answered = decodeCorrelationId(frame);
    if (next === undefined) throw new Error(`an answer to ${answered} that nobody waits for`);
    if (next.correlationId === answered) next.resolve(frame);
    else next.reject(new Error(`the answer to ${answered} came where that to ${next.correlationId} was due`));
  }
}
