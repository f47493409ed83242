/** Says the same kind of thing at most once per interval, with the count of what was left unsaid in between. */
import type { Clock } from '@seatlog/runtime';
import type { LogFields, Logger } from '../logger.ts';

const INTERVAL_MS = 10_000;

export class OccasionalLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  warn(message: string, fields: LogFields): void {
    const now = this.#clock.monotonic();
    if (now < this.#quietUntil) {
      this.#unsaid += 1;
      return;
    }
    this.#log.warn(message, this.#unsaid === 0 ? fields : { ...fields, unsaid: this.#unsaid });
    this.#unsaid = 0;
    this.#quietUntil = now + INTERVAL_MS;
  }
}
