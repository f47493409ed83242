/**
 * The order in which a broker's replication machines are driven: the effects of one event are carried out before the
 * next event is given, and those who wait outside are told after that.
 *
 * `run` is for what carries out the effects of an event; within another `run` it waits for its end. `later` is for what
 * comes of effects: completions of the log that come at once, answers to requests, fetches that are woken.
 */
export class EffectOrder {
  #later: (() => void)[] = [];
  #isRunning = false;
  #isDraining = false;

  run(action: () => void): void {
    if (this.#isRunning) {
      this.#later.push(action);
      return;
    }
    this.#isRunning = true;
    try {
      action();
    } finally {
      this.#isRunning = false;
    }
    this.#drain();
  }

  later(action: () => void): void {
    this.#later.push(action);
    if (!this.#isRunning) this.#drain();
  }

  /** What an action brings up joins the line. One that throws takes none of the others with it. */
  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    let place = 0;
    try {
      for (;;) {
        const action = this.#later[place];
        if (action === undefined) return;
        place += 1;
        action();
      }
    } finally {
      this.#later = this.#later.slice(place);
      this.#isDraining = false;
    }
  }
}
