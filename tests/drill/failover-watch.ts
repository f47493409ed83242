/** How long a partition whose leader was killed goes without an acknowledged record. Pure but for the time it is given. */
export class FailoverWatch {
  readonly latenciesMs: number[] = [];
  readonly #since = new Map<number, number>();

  /** The leader of these partitions died just now. */
  leaderDied(partitions: readonly number[], now: number): void {
    for (const partition of partitions) if (!this.#since.has(partition)) this.#since.set(partition, now);
  }

  /** A record was acknowledged: it counts if it was sent after the death. */
  acked(partition: number, beganAt: number, now: number): void {
    const since = this.#since.get(partition);
    if (since === undefined || beganAt < since) return;
    this.#since.delete(partition);
    this.latenciesMs.push(now - since);
  }

  /** Partitions that have had no acknowledged record since. */
  get waiting(): readonly number[] {
    return [...this.#since.keys()];
  }
}

export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const rising = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(rising[Math.min(rising.length - 1, Math.floor(rising.length * share))] ?? 0);
  return { count: rising.length, p50: at(0.5), p99: at(0.99), max: Math.round(rising.at(-1) ?? 0) };
}
