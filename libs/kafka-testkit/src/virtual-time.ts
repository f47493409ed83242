/**
 * Time that moves when it is told to. Turns go by on their own, in the process's event loop, in the order in which they
 * were asked for; what waits for a delay waits for `advance` or `until`.
 *
 * Before each move all that can happen without a delay has happened: turns, arrivals of bytes, promises. Work of the
 * caller's that waits for the outside world (real timers, files, sockets) is not waited for.
 */
import type { Turns } from '@seatlog/runtime';
import { ManualClock } from '@seatlog/runtime/testing';

/** Turns of the event loop without any work before time may move: callers may defer a step or two of their own. */
const QUIET_TURNS = 3;

export class VirtualTime {
  readonly clock = new ManualClock();
  readonly turns: Turns;
  #deferred = 0;

  constructor() {
    this.turns = {
      defer: (action) => {
        this.#deferred += 1;
        setImmediate(() => {
          this.#deferred -= 1;
          action();
        });
      },
    };
  }

  async advance(milliseconds: number): Promise<void> {
    const end = this.clock.monotonic() + milliseconds;
    await this.#settle();
    while (this.#step(end)) await this.#settle();
    this.clock.advance(end - this.clock.monotonic());
  }

  async until<T>(promise: Promise<T>, withinMs: number): Promise<T> {
    const end = this.clock.monotonic() + withinMs;
    const seen = { settled: false };
    const settled = (): void => {
      seen.settled = true;
    };
    promise.then(settled, settled);
    await this.#settle();
    while (!seen.settled) {
      if (!this.#step(end))
        throw new Error(`what was waited for did not happen within ${withinMs} virtual ms`);
      await this.#settle();
    }
    return promise;
  }

  #step(end: number): boolean {
    const { untilNext } = this.clock;
    if (untilNext === null || this.clock.monotonic() + untilNext > end) return false;
    this.clock.advance(untilNext);
    return true;
  }

  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      await turnOfTheEventLoop();
      quiet = this.#deferred === 0 ? quiet + 1 : 0;
    }
  }
}

function turnOfTheEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
