/**
 * A process as signals see it. While it is stopped (SIGSTOP) what comes to it waits and its timers do not run; killed
 * (SIGKILL) it is gone with all that was on its way to it.
 */
import type { ManualClock } from '@seatlog/runtime/testing';

export type ProcessState = 'running' | 'stopped' | 'dead';

export class SimulatedProcess {
  readonly #clock: ManualClock;
  #state: ProcessState = 'dead';
  #incarnation = 0;
  #inbox: (() => void)[] = [];

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  get state(): ProcessState {
    return this.#state;
  }

  start(): void {
    this.#state = 'running';
    this.#incarnation += 1;
    this.#inbox = [];
  }

  stop(): void {
    if (this.#state === 'running') this.#state = 'stopped';
  }

  continue(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'running';
    for (const action of this.#inbox.splice(0)) this.#run(action);
  }

  kill(): void {
    this.#state = 'dead';
    this.#inbox = [];
  }

  /** What runs in this incarnation only, whenever it is called. */
  bound(action: () => void): () => void {
    const incarnation = this.#incarnation;
    return () => {
      if (incarnation === this.#incarnation && this.#state !== 'dead') this.#run(action);
    };
  }

  schedule(delayMs: number, action: () => void): () => void {
    return this.#clock.schedule(delayMs, this.bound(action));
  }

  every(intervalMs: number, action: () => void): void {
    this.schedule(intervalMs, () => {
      action();
      this.every(intervalMs, action);
    });
  }

  /** A stopped process does one thing after another when it is continued; one of them may stop it again. */
  #run(action: () => void): void {
    if (this.#state === 'stopped') this.#inbox.push(action);
    else if (this.#state === 'running') action();
  }
}
