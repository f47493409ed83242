/**
 * One scenario's talk with a broker. Each `ask` sends a request of exactly that version and writes down what came back, as
 * plain-answer.ts leaves it. Names get the run's suffix, so that a broker may be asked twice.
 */
import { randomBytes } from 'node:crypto';
import { type Api, decodeResponse, encodeRequest } from '@seatlog/kafka-protocol';
import { type Plain, PlainAnswers } from './plain-answer.ts';
import { WireConnection } from './wire-connection.ts';

/** What a step is called, and the answer to it. */
export type Transcript = Record<string, Plain>;

type Asked<Request, Response> = Api<unknown, Response, Request, never>;

/** Waits for what comes about behind an answer: metadata that spreads, a coordinator that loads. */
const SO_WITHIN_MS = 60_000;

export class Session implements AsyncDisposable {
  /** A time of now, from which records are dated. */
  readonly base: number;
  readonly transcript: Transcript = {};
  readonly #address: string;
  readonly #suffix = `.${randomBytes(4).toString('hex')}`;
  readonly #plain: PlainAnswers;
  readonly #connections = new Map<string, WireConnection>();
  #correlation = 0;

  constructor(address: string) {
    this.#address = address;
    this.base = Date.now();
    this.#plain = new PlainAnswers(this.base, this.#suffix);
  }

  /** A topic's or group's name that no other run uses. */
  name(name: string): string {
    return `${name}${this.#suffix}`;
  }

  /** Over the connection `by`, each with an order of its own. Undefined when the broker closes the connection instead. */
  async ask<Request, Response>(
    what: string,
    api: Asked<Request, Response>,
    version: number,
    body: Request,
    by = 'main',
  ): Promise<Response | undefined> {
    const answer = await this.exchange(api, version, body, by);
    this.note(what, answer ?? 'closed the connection');
    return answer;
  }

  /** The same question in each version from `from` to the highest that is known here. */
  async askInEach<Request, Response>(
    what: string,
    api: Asked<Request, Response>,
    body: (version: number) => Request,
    from: number = api.minVersion,
  ): Promise<void> {
    for (let version = from; version <= api.maxVersion; version++) {
      await this.ask(`${what} (v${version})`, api, version, body(version));
    }
  }

  /** As `ask`, with nothing written down. */
  async exchange<Request, Response>(
    api: Asked<Request, Response>,
    version: number,
    body: Request,
    by = 'main',
  ): Promise<Response | undefined> {
    const connection = await this.#connection(by);
    connection.send(encodeRequest(api, version, ++this.#correlation, 'transcript', body));
    const frame = await connection.next();
    if (frame === null) {
      this.#connections.delete(by);
      return undefined;
    }
    return decodeResponse(api, version, frame).body;
  }

  /** Asks until the answer is as wanted, and writes down that one. */
  async askUntil<Request, Response>(
    what: string,
    api: Asked<Request, Response>,
    version: number,
    body: Request,
    isSo: (answer: Response) => boolean,
  ): Promise<Response> {
    const deadline = performance.now() + SO_WITHIN_MS;
    for (;;) {
      const answer = await this.exchange(api, version, body);
      if (answer !== undefined && isSo(answer)) {
        this.note(what, answer);
        return answer;
      }
      if (performance.now() > deadline) throw new Error(`${what}: ${JSON.stringify(this.#plain.of(answer))}`);
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
  }

  /** Sends bytes as they are, and gives the frame that comes back, or null. */
  async sendRaw(bytes: Uint8Array, by = 'main'): Promise<Uint8Array | null> {
    const connection = await this.#connection(by);
    connection.send([bytes]);
    const frame = await connection.next();
    if (frame === null) this.#connections.delete(by);
    return frame;
  }

  /** Sends a request to which no answer is expected. */
  async tell<Request, Response>(
    api: Asked<Request, Response>,
    version: number,
    body: Request,
    by = 'main',
  ): Promise<void> {
    const connection = await this.#connection(by);
    connection.send(encodeRequest(api, version, ++this.#correlation, 'transcript', body));
  }

  note(what: string, answer: unknown): void {
    if (what in this.transcript) throw new Error(`two steps are called ${what}`);
    this.transcript[what] = this.#plain.of(answer);
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections.values()) connection.close();
    return Promise.resolve();
  }

  async #connection(by: string): Promise<WireConnection> {
    const known = this.#connections.get(by);
    if (known !== undefined) return known;
    const connection = await WireConnection.open(this.#address);
    this.#connections.set(by, connection);
    return connection;
  }
}

/** A scenario has a name, which its recording bears too, and tells its story to any broker. */
export interface Scenario {
  readonly name: string;
  readonly tell: (session: Session) => Promise<void>;
}
