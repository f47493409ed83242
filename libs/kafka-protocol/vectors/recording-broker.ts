/**
 * A broker of one node and one topic that keeps every request frame it gets. It knows just enough to let a client go
 * through its whole repertoire; what it answers is made up.
 */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import {
  apiByKey,
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  encodeResponse,
  FrameSplitter,
  type RequestHeader,
} from '../src/index.ts';
import { answers, type AnswerContext } from './answers.ts';

export interface RecordedFrame {
  readonly apiKey: number;
  readonly apiVersion: number;
  /** Without the size prefix. */
  readonly frame: Buffer;
}

/** Highest version that is advertised for an API; everything above is hidden from the client. */
export type VersionCap = (apiKey: number) => number;

export class RecordingBroker {
  readonly frames: RecordedFrame[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #context: AnswerContext;

  constructor(cap: VersionCap) {
    this.#context = { host: '127.0.0.1', port: 0, cap, produced: null, fetched: false };
    this.#server = createServer((socket) => this.#serve(socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#context.port = (this.#server.address() as AddressInfo).port;
    return `127.0.0.1:${this.#context.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const splitter = new FrameSplitter();
    socket.on('data', (chunk) => splitter.push(chunk, (frame) => this.#answer(socket, Buffer.from(frame))));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #answer(socket: Socket, frame: Buffer): void {
    const header = decodeRequestHeader(frame);
    if (header.apiKey === apis.apiVersions.key && !header.supported) {
      this.#send(socket, { ...header, apiVersion: 0 }, { errorCode: 35, apiKeys: [] });
      return;
    }
    const api = apiByKey(header.apiKey);
    if (api === undefined || !header.supported) {
      process.stderr.write(`no answer to key ${header.apiKey} version ${header.apiVersion}\n`);
      socket.destroy();
      return;
    }
    this.frames.push({ apiKey: header.apiKey, apiVersion: header.apiVersion, frame });
    const body = decodeRequestBody(api, header, frame);
    const answer = answers[header.apiKey];
    if (answer === undefined) {
      process.stderr.write(`no answer to ${api.name}\n`);
      socket.destroy();
      return;
    }
    const response = answer(body as never, header.apiVersion, this.#context);
    if (response !== null) this.#send(socket, header, response);
  }

  #send(socket: Socket, header: RequestHeader, body: object): void {
    const api = apiByKey(header.apiKey);
    if (api === undefined) return;
    for (const chunk of encodeResponse(api, header.apiVersion, header.correlationId, body as never)) {
      socket.write(chunk);
    }
  }
}
