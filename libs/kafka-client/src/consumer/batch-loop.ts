/**
 * The loop side of a consumer: hands out batches one at a time, knows what the loop has in hand, and wakes it when there is
 * something to hand out or when it is over. One loop at a time.
 */
import type { Ports } from '../ports.ts';
import type { PartitionReader, TakenRecords } from './partition-reader.ts';

/** After so long without letting others run, the next batch waits for a turn of the event loop: sockets and timers need one. */
const TURN_MS = 5;

export interface TakenBatch extends TakenRecords {
  readonly reader: PartitionReader;
}

export interface LoopListener {
  /** The loop is through with a batch. */
  cameRound(batch: TakenBatch): void;
  /** It asks for the next. */
  polled(busy: boolean): void;
  /** Fetched bytes were used up: there is room for more. */
  roomMade(): void;
}

interface Waiting {
  readonly resolve: (batch: TakenBatch | null) => void;
  readonly reject: (error: Error) => void;
}

export class BatchLoop {
  readonly #ports: Ports;
  readonly #readers: () => readonly PartitionReader[];
  readonly #maxRecords: number;
  readonly #listener: LoopListener;
  #active = false;
  #over = false;
  #failure: Error | null = null;
  #inHand: TakenBatch | null = null;
  #waiting: Waiting | null = null;
  #freed: (() => void)[] = [];
  #rotation = 0;
  #lastTurnAt = 0;

  constructor(
    ports: Ports,
    readers: () => readonly PartitionReader[],
    maxRecords: number,
    listener: LoopListener,
  ) {
    this.#ports = ports;
    this.#readers = readers;
    this.#maxRecords = maxRecords;
    this.#listener = listener;
  }

  get isActive(): boolean {
    return this.#active;
  }

  get inHand(): PartitionReader | null {
    return this.#inHand?.reader ?? null;
  }

  begin(): void {
    this.#active = true;
    this.#lastTurnAt = this.#ports.clock.monotonic();
  }

  /** The next batch; null when it is over. Asking for it says that the last one is done with. */
  next(): Promise<TakenBatch | null> {
    this.#putDown(true);
    this.#listener.polled(false);
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#over) return Promise.resolve(null);
    if (this.#ports.clock.monotonic() - this.#lastTurnAt > TURN_MS) {
      return this.#wait(() => this.#ports.turns.defer(() => this.wake()));
    }
    const batch = this.#take();
    if (batch !== null) return Promise.resolve(batch);
    // Taking may have failed: then the first look tells.
    return this.#wait(() => this.wake());
  }

  /** The loop was left: what it had in hand does not count as done. */
  leave(): void {
    this.#putDown(false);
    this.#active = false;
  }

  /** There may be something to hand out. */
  wake(): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    this.#lastTurnAt = this.#ports.clock.monotonic();
    const batch = this.#over ? null : this.#take();
    if (batch === null && !this.#over && this.#failure === null) return;
    this.#waiting = null;
    if (this.#failure !== null) waiting.reject(this.#failure);
    else waiting.resolve(batch);
  }

  /** Nothing more is handed out. */
  end(): void {
    this.#over = true;
    this.wake();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.wake();
  }

  /** Resolves when the loop has none of these readers' batches in hand. */
  free(readers: readonly PartitionReader[]): Promise<void> {
    const { inHand } = this;
    if (inHand === null || !readers.includes(inHand)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#freed.push(resolve);
    });
  }

  #wait(start: () => void): Promise<TakenBatch | null> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      start();
    });
  }

  #take(): TakenBatch | null {
    const readers = this.#readers();
    for (let index = 0; index < readers.length; index++) {
      const reader = readers[(index + this.#rotation) % readers.length] as PartitionReader;
      if (!reader.hasRecords || reader.paused || reader.ending) continue;
      const buffered = reader.bufferedBytes;
      let taken: TakenRecords | null;
      try {
        taken = reader.take(this.#maxRecords);
      } catch (error) {
        this.#failure ??= error as Error;
        return null;
      }
      if (reader.bufferedBytes < buffered) this.#listener.roomMade();
      if (taken === null) continue;
      this.#rotation += index + 1;
      reader.inHand = true;
      this.#inHand = { ...taken, reader };
      this.#listener.polled(true);
      return this.#inHand;
    }
    return null;
  }

  #putDown(done: boolean): void {
    const batch = this.#inHand;
    if (batch === null) return;
    this.#inHand = null;
    batch.reader.inHand = false;
    if (done) this.#listener.cameRound(batch);
    for (const tell of this.#freed.splice(0)) tell();
  }
}
