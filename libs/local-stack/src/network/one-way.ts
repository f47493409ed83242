/**
 * One direction of a proxied connection: bytes in order, held while the way is cut, late where it is slow. Memory is bounded:
 * the source is paused while much is waiting.
 */
import type { Socket } from 'node:net';

export interface WayState {
  readonly isCut: boolean;
  readonly delayMs: number;
}

/** Bytes that wait here before the source is no longer read. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

interface Waiting {
  /** Null: the source has ended. */
  readonly bytes: Uint8Array | null;
  readonly dueAt: number;
}

export class OneWay {
  readonly #source: Socket;
  readonly #target: () => Socket | null;
  readonly #state: () => WayState;
  readonly #queue: Waiting[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `target` is null until there is one. */
  constructor(source: Socket, target: () => Socket | null, state: () => WayState) {
    this.#source = source;
    this.#target = target;
    this.#state = state;
  }

  push(bytes: Uint8Array | null): void {
    if (this.#isClosed) return;
    this.#queue.push({ bytes, dueAt: performance.now() + this.#state().delayMs });
    this.#waitingBytes += bytes?.length ?? 0;
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.#source.pause();
    this.flow();
  }

  /** Passes on what may go now. Called again when the way or the target has changed. */
  flow(): void {
    const target = this.#target();
    if (this.#isClosed || target === null || this.#state().isCut) return;
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const early = first.dueAt - performance.now();
      if (early > 0) return this.#later(early);
      this.#queue.shift();
      if (first.bytes === null) {
        this.close();
        target.end();
        return;
      }
      this.#waitingBytes -= first.bytes.length;
      if (!target.destroyed && !target.write(first.bytes)) {
        this.#source.pause();
        target.once('drain', () => this.#goOn());
        return;
      }
    }
    if (this.#source.isPaused()) this.#source.resume();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#queue.length = 0;
  }

  #goOn(): void {
    if (this.#isClosed) return;
    if (this.#waitingBytes <= MOST_WAITING_BYTES) this.#source.resume();
    this.flow();
  }

  #later(ms: number): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.flow();
    }, ms);
  }
}
