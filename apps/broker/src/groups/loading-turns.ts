/**
 * Turns for partitions that are being read back: one slice of one of them per turn of the event loop, each partition in
 * its turn. A broker that takes over from another one is elected for many partitions at once; its other clients must
 * not wait for a slice of each.
 */
import type { Turns } from '@seatlog/runtime';

export class LoadingTurns implements Turns {
  readonly #turns: Turns;
  #waiting: (() => void)[] = [];
  #isDeferred = false;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  defer(action: () => void): void {
    this.#waiting.push(action);
    this.#deferNext();
  }

  #deferNext(): void {
    if (this.#isDeferred || this.#waiting.length === 0) return;
    this.#isDeferred = true;
    this.#turns.defer(() => {
      this.#isDeferred = false;
      const [next, ...others] = this.#waiting;
      this.#waiting = others;
      this.#deferNext();
      next?.();
    });
  }
}
