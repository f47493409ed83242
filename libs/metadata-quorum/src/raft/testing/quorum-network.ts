/**
 * The network between simulated nodes: messages take a random time, so that they overtake each other; they get lost or
 * come twice as often as the test says, and not at all where the way is cut, which may be one way only.
 */
import type { ManualClock, SeededRandom } from '@seatlog/runtime/testing';

export interface NetworkFaults {
  /** Of a hundred messages. */
  readonly lostPercent: number;
  readonly doubledPercent: number;
  readonly maxDelayMs: number;
}

export class QuorumNetwork {
  readonly #clock: ManualClock;
  readonly #random: SeededRandom;
  readonly #cuts = new Set<string>();
  faults: NetworkFaults;

  constructor(clock: ManualClock, random: SeededRandom, faults: NetworkFaults) {
    this.#clock = clock;
    this.#random = random;
    this.faults = faults;
  }

  cut(from: number, to: number): void {
    this.#cuts.add(`${from} ${to}`);
  }

  mend(): void {
    this.#cuts.clear();
  }

  carry(from: number, to: number, deliver: () => void): void {
    if (this.#cuts.has(`${from} ${to}`) || this.#random.below(100) < this.faults.lostPercent) return;
    const times = this.#random.below(100) < this.faults.doubledPercent ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      this.#clock.schedule(1 + this.#random.below(this.faults.maxDelayMs), deliver);
    }
  }
}
