/**
 * The loop side of a consumer: hands out rounds of batches (of one, where the loop asks for single ones), knows what the loop
 * has in hand, and wakes it when there is something to hand out or when it is over. One loop at a time.
 */
import type { Ports } from '../ports.ts';
import type { PartitionReader, TakenRecords } from './partition-reader.ts';

/** After so long without letting others run, the next round waits for a turn of the event loop: sockets and timers need one. */
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
  readonly resolve: (round: readonly TakenBatch[] | null) => void;
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
  #mostBatches = 1;
  #inHand: readonly TakenBatch[] = [];
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

  get inHand(): readonly PartitionReader[] {
    return this.#inHand.map(({ reader }) => reader);
  }

  /** `mostBatches`: of a round, each of another partition. */
  begin(mostBatches: number): void {
    this.#active = true;
    this.#mostBatches = mostBatches;
    this.#lastTurnAt = this.#ports.clock.monotonic();
  }

  /** The next round, never empty; null when it is over. Asking for it says that the last one is done with. */
  next(): Promise<readonly TakenBatch[] | null> {
    this.#putDown(true);
    this.#listener.polled(false);
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#over) return Promise.resolve(null);
    if (this.#ports.clock.monotonic() - this.#lastTurnAt > TURN_MS) {
      return this.#wait(() => this.#ports.turns.defer(() => this.wake()));
    }
    const round = this.#take();
    if (round !== null) return Promise.resolve(round);
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
    const round = this.#over ? null : this.#take();
    if (round === null && !this.#over && this.#failure === null) return;
    this.#waiting = null;
    // What was taken before a failure is good; the failure comes with the next look.
    if (round === null && this.#failure !== null) waiting.reject(this.#failure);
    else waiting.resolve(round);
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
    if (!this.#inHand.some(({ reader }) => readers.includes(reader))) return Promise.resolve();
    return new Promise((resolve) => {
      this.#freed.push(resolve);
    });
  }

  #wait(start: () => void): Promise<readonly TakenBatch[] | null> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      start();
    });
  }

  #take(): readonly TakenBatch[] | null {
    const readers = this.#readers();
    const begin = this.#rotation;
    const round: TakenBatch[] = [];
    let left = this.#maxRecords;
    for (let index = 0; index < readers.length && round.length < this.#mostBatches && left > 0; index++) {
      const reader = readers[(index + begin) % readers.length] as PartitionReader;
      const taken = this.#takeFrom(reader, left);
      if (this.#failure !== null) break;
      if (taken === null) continue;
      this.#rotation = begin + index + 1;
      left -= taken.records.length;
      reader.inHand = true;
      round.push({ ...taken, reader });
    }
    if (round.length === 0) return null;
    this.#inHand = round;
    this.#listener.polled(true);
    return round;
  }

  #takeFrom(reader: PartitionReader, maxRecords: number): TakenRecords | null {
    if (!reader.hasRecords || reader.paused || reader.ending) return null;
    const buffered = reader.bufferedBytes;
    let taken: TakenRecords | null = null;
    try {
      taken = reader.take(maxRecords);
    } catch (error) {
      this.#failure ??= error as Error;
    }
    if (reader.bufferedBytes < buffered) this.#listener.roomMade();
    return taken;
  }

  #putDown(done: boolean): void {
    const round = this.#inHand;
    if (round.length === 0) return;
    this.#inHand = [];
    for (const batch of round) {
      batch.reader.inHand = false;
      if (done) this.#listener.cameRound(batch);
    }
    for (const tell of this.#freed.splice(0)) tell();
  }
}
