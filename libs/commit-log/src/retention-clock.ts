import type { Clock } from '@seatlog/runtime';

/**
 * The time that retention believes: the wall clock as it stood at the start, moved on by monotonic time. A wall
 * clock that jumps ahead deletes nothing early; one that falls behind is believed, for then data is kept longer.
 */
export class RetentionClock {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #startedMonotonic: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#startedMonotonic = clock.monotonic();
  }

  now(): number {
    const elapsed = this.#clock.monotonic() - this.#startedMonotonic;
    return Math.min(this.#clock.now(), this.#startedAt + elapsed);
  }
}
