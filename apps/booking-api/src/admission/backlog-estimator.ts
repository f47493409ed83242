/**
 * From samples of a consumer group's position and the end of its topic: how long until it will have handled what is written
 * now. Its speed is measured while it has something to do; while it stands still with work before it, the estimate grows
 * with the time it has stood. Pure.
 */
export interface BacklogSample {
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  /** Sum of the offsets that the group has committed. */
  readonly committed: number;
  /** Sum of the ends of the partitions. */
  readonly end: number;
}

/** Weight of the latest speed in the running mean. */
const SMOOTHING = 0.3;

export class BacklogEstimator {
  #last: BacklogSample | null = null;
  /** Records a millisecond. */
  #speed: number | null = null;
  #standingSince: number | null = null;

  add(sample: BacklogSample): void {
    const last = this.#last;
    this.#last = sample;
    const lag = sample.end - sample.committed;
    if (lag <= 0) {
      this.#standingSince = null;
      return;
    }
    const progress = last === null ? 0 : sample.committed - last.committed;
    if (progress <= 0) {
      this.#standingSince ??= last?.at ?? sample.at;
      return;
    }
    this.#standingSince = null;
    const elapsed = Math.max(1, sample.at - (last?.at ?? sample.at));
    const speed = progress / elapsed;
    this.#speed = this.#speed === null ? speed : this.#speed + SMOOTHING * (speed - this.#speed);
  }

  get lag(): number | null {
    return this.#last === null ? null : Math.max(0, this.#last.end - this.#last.committed);
  }

  /** null before there is a sample. */
  drainMs(now: number): number | null {
    const lag = this.lag;
    if (lag === null) return null;
    if (lag === 0) return 0;
    const stoodFor = this.#standingSince === null ? 0 : now - this.#standingSince;
    return stoodFor + (this.#speed === null ? 0 : lag / this.#speed);
  }
}
