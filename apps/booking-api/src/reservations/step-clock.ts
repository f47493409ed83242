/** Takes the time of a request's steps, one after the other, and of all of it. A step ends where the next one begins. */
export type Step = 'lock' | 'payment' | 'publish';

export interface StepTimes {
  took(step: Step | 'total', ms: number): void;
}

export class StepClock {
  readonly #times: StepTimes;
  readonly #monotonic: () => number;
  readonly #began: number;
  #step: Step | null = null;
  #stepBegan: number;

  constructor(times: StepTimes, monotonic: () => number) {
    this.#times = times;
    this.#monotonic = monotonic;
    this.#began = monotonic();
    this.#stepBegan = this.#began;
  }

  begin(step: Step): void {
    this.#turn(step);
  }

  /** What follows belongs to no step. */
  pause(): void {
    this.#turn(null);
  }

  /** Also of a request that failed: the step it failed in took that long. */
  end(): void {
    this.#times.took('total', this.#turn(null) - this.#began);
  }

  #turn(next: Step | null): number {
    const now = this.#monotonic();
    if (this.#step !== null) this.#times.took(this.#step, now - this.#stepBegan);
    this.#step = next;
    this.#stepBegan = now;
    return now;
  }
}
