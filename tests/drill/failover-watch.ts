/** How long a partition whose leader was killed goes without an acknowledged record. Pure but for the time it is given. */

/**
 * What else was away: nothing (`leader`); the active controller, which was the same node, so that another had to be elected
 * before anybody could miss the broker (`controller`); other brokers that were killed close to it (`others`).
 */
export const deathKinds = ['leader', 'controller', 'others'] as const;
export type DeathKind = (typeof deathKinds)[number];

interface Death {
  readonly since: number;
  readonly kind: DeathKind;
}

export class FailoverWatch {
  readonly #latenciesMs = new Map<DeathKind, number[]>();
  readonly #deaths = new Map<number, Death>();

  /** The leader of these partitions died just now. */
  leaderDied(partitions: readonly number[], kind: DeathKind, now: number): void {
    for (const partition of partitions) {
      const earlier = this.#deaths.get(partition);
      this.#deaths.set(
        partition,
        earlier === undefined ? { since: now, kind } : { since: earlier.since, kind: 'others' },
      );
    }
  }

  /** A record was acknowledged: it counts if it was sent after the death. Gives how long after, if it is the first. */
  acked(partition: number, beganAt: number, now: number): number | null {
    const death = this.#deaths.get(partition);
    if (death === undefined || beganAt < death.since) return null;
    this.#deaths.delete(partition);
    const latencyMs = now - death.since;
    const known = this.#latenciesMs.get(death.kind);
    if (known === undefined) this.#latenciesMs.set(death.kind, [latencyMs]);
    else known.push(latencyMs);
    return latencyMs;
  }

  /** Partitions that have had no acknowledged record since. */
  get waiting(): readonly number[] {
    return [...this.#deaths.keys()];
  }

  latenciesMs(kind: DeathKind): readonly number[] {
    return this.#latenciesMs.get(kind) ?? [];
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
