/**
 * Lets in what can be served in time and turns the rest away at once, before any work is done for it: a refusal costs
 * microseconds, a request that waits in line costs the ones behind it. Bounded by the number under way, and by how long the
 * worker will take to reach what is published now.
 */
import { BookingProblem } from '@seatlog/booking';

export interface AdmissionOptions {
  readonly limit: number;
  /** How long until the worker will have handled what is published now; null if that is not known. */
  readonly estimatedDrainMs?: () => number | null;
  /** No more is let in while the estimate is above this. */
  readonly longestDrainMs?: number;
}

const LONGEST_RETRY_AFTER_SECONDS = 30;

export class AdmissionGate {
  readonly #options: AdmissionOptions;
  #inside = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get inside(): number {
    return this.#inside;
  }

  /** Lets one in, who must `leave()`; or gives the refusal. */
  enter(): BookingProblem | null {
    const refusal = this.#refusal();
    if (refusal === null) this.#inside += 1;
    return refusal;
  }

  leave(): void {
    this.#inside -= 1;
  }

  #refusal(): BookingProblem | null {
    const { limit, estimatedDrainMs, longestDrainMs = Infinity } = this.#options;
    if (this.#inside >= limit) return new BookingProblem('OVERLOADED');
    const drainMs = estimatedDrainMs?.() ?? 0;
    if (drainMs <= longestDrainMs) return null;
    const seconds = Math.ceil((drainMs - longestDrainMs) / 1000);
    return new BookingProblem('OVERLOADED', 'The worker is too far behind', {
      retryAfterSeconds: Math.min(Math.max(seconds, 1), LONGEST_RETRY_AFTER_SECONDS),
    });
  }
}
