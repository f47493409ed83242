import type { Turns } from '@seatlog/runtime';

/** What waits for the end of the turn: each once, whatever came for it in between. */
export class WriteSchedule {
  readonly #turns: Turns;
  #due = new Set<() => void>();
  #scheduled = false;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Runs the action when this turn of the event loop ends; the same action is run once. */
  atEndOfTurn(action: () => void): void {
    this.#due.add(action);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#turns.defer(() => this.#run());
  }

  #run(): void {
    const due = this.#due;
    this.#due = new Set();
    this.#scheduled = false;
    for (const action of due) action();
  }
}
