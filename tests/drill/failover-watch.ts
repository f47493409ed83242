/** How long a partition whose leader was killed goes without an acknowledged record. Pure but for the time it is given. */
export class FailoverWatch {
  /** Of deaths while all other nodes were well. */
  readonly latenciesMs: number[] = [];
  /** Of deaths of nodes that another death came close to: no majority, or no second replica in sync, for a while. */
  readonly hardLatenciesMs: number[] = [];
  readonly #deaths = new Map<number, Death>();

  /** The leader of these partitions died just now. */
  leaderDied(partitions: readonly number[], isAlone: boolean, now: number): void {
    for (const partition of partitions) {
      const earlier = this.#deaths.get(partition);
      this.#deaths.set(partition, {
        since: earlier?.since ?? now,
        isAlone: isAlone && earlier === undefined,
      });
    }
  }

  /** A record was acknowledged: it counts if it was sent after the death. */
  acked(partition: number, beganAt: number, now: number): void {
    const death = this.#deaths.get(partition);
    if (death === undefined || beganAt < death.since) return;
    this.#deaths.delete(partition);
    (death.isAlone ? this.latenciesMs : this.hardLatenciesMs).push(now - death.since);
  }

  /** Partitions that have had no acknowledged record since. */
  get waiting(): readonly number[] {
    return [...this.#deaths.keys()];
  }
}

interface Death {
  readonly since: number;
  readonly isAlone: boolean;
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
