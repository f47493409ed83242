/** Timers and turns of one life of a broker: when it ends, nothing that it left behind happens any more. */
import type { Cancel, Timers, Turns } from '@seatlog/runtime';

export class Lifespan {
  readonly timers: Timers;
  readonly turns: Turns;
  readonly #scheduled = new Set<Cancel>();
  #isOver = false;

  constructor(timers: Timers, turns: Turns) {
    this.timers = { schedule: (delayMs, action) => this.#schedule(timers, delayMs, action) };
    this.turns = {
      defer: (action) =>
        turns.defer(() => {
          if (!this.#isOver) action();
        }),
    };
  }

  end(): void {
    this.#isOver = true;
    for (const cancel of this.#scheduled) cancel();
    this.#scheduled.clear();
  }

  #schedule(timers: Timers, delayMs: number, action: () => void): Cancel {
    if (this.#isOver) return () => {};
    const stop = timers.schedule(delayMs, () => {
      this.#scheduled.delete(cancel);
      action();
    });
    const cancel = (): void => {
      this.#scheduled.delete(cancel);
      stop();
    };
    this.#scheduled.add(cancel);
    return cancel;
  }
}
