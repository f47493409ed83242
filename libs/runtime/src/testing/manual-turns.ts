import type { Turns } from '../turns.ts';

/** Turns that end when the test says so. */
export class ManualTurns implements Turns {
  #deferred: (() => void)[] = [];

  defer(action: () => void): void {
    this.#deferred.push(action);
  }

  /** Ends the turn: runs what was deferred in it. What that defers waits for the next. */
  end(): void {
    const actions = this.#deferred;
    this.#deferred = [];
    for (const action of actions) action();
  }

  /** Ends turns until nothing is deferred any more. */
  endAll(): void {
    while (this.#deferred.length > 0) this.end();
  }

  get pending(): number {
    return this.#deferred.length;
  }
}
