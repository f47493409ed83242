/**
 * Time that moves from one event to the next: clock, timers, turns and randomness for tests. Whatever waits for a promise is
 * let run before the next event.
 */
import type { Cancel, Clock, Random, Timers, Turns } from '../ports.ts';

interface Event {
  readonly due: number;
  readonly order: number;
  readonly action: () => void;
}

const START = 1_700_000_000_000;

export class VirtualWorld implements Clock, Timers, Turns, Random {
  #elapsed = 0;
  #order = 0;
  #seed: number;
  readonly #events = new Set<Event>();

  constructor(seed = 1) {
    this.#seed = seed >>> 0;
  }

  now(): number {
    return START + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  schedule(delayMs: number, action: () => void): Cancel {
    const event = { due: this.#elapsed + Math.max(delayMs, 0), order: this.#order++, action };
    this.#events.add(event);
    return () => void this.#events.delete(event);
  }

  defer(action: () => void): void {
    this.schedule(0, action);
  }

  /** Mulberry32. */
  fraction(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Runs events until the promise is settled; throws if that takes longer than `limitMs` of this world's time. */
  async until<T>(promise: Promise<T>, limitMs = 600_000): Promise<T> {
    const seen = { settled: false };
    const watched = promise.finally(() => {
      seen.settled = true;
    });
    watched.catch(() => undefined);
    await this.untilTrue(() => seen.settled, limitMs);
    return watched;
  }

  /** Runs events until the condition holds. */
  async untilTrue(condition: () => boolean, limitMs = 600_000): Promise<void> {
    const end = this.#elapsed + limitMs;
    await letPromisesRun();
    while (!condition()) {
      if (!this.#step(end)) throw new Error(`the condition does not hold within ${limitMs} virtual ms`);
      await letPromisesRun();
    }
  }

  /** Lets so much time pass. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds;
    await letPromisesRun();
    while (this.#step(end)) await letPromisesRun();
    this.#elapsed = end;
  }

  #step(end: number): boolean {
    let next: Event | null = null;
    for (const event of this.#events) {
      if (next === null || event.due < next.due || (event.due === next.due && event.order < next.order))
        next = event;
    }
    if (next === null || next.due > end) return false;
    this.#events.delete(next);
    this.#elapsed = Math.max(this.#elapsed, next.due);
    next.action();
    return true;
  }
}

/** A turn of Node's own loop, in which all that is ready runs. */
function letPromisesRun(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
