/** The followers of a partition as its leader knows them, by broker id. */
import type { PartitionMetadata } from '../cluster-view.ts';
import {
  epochRose,
  type FetchReport,
  fetched,
  type FollowerState,
  unknownFollower,
} from './follower-state.ts';

export class Followers {
  readonly #leaderId: number;
  readonly #states = new Map<number, FollowerState>();

  constructor(leaderId: number) {
    this.#leaderId = leaderId;
  }

  has(brokerId: number): boolean {
    return this.#states.has(brokerId);
  }

  get(brokerId: number): FollowerState | undefined {
    return this.#states.get(brokerId);
  }

  [Symbol.iterator](): Iterator<FollowerState> {
    return this.#states.values();
  }

  /** Takes an assignment: who is known stays known, others go or come. */
  assign({ replicas, isr }: PartitionMetadata, nowMs: number): void {
    for (const id of this.#states.keys()) if (!replicas.includes(id)) this.#states.delete(id);
    for (const id of replicas) {
      if (id === this.#leaderId || this.#states.has(id)) continue;
      this.#states.set(id, unknownFollower(id, isr.includes(id), nowMs));
    }
  }

  /** Undefined if the sender follows no longer. */
  noteFetch(
    replicaId: number,
    report: FetchReport,
    leaderEndOffset: number,
    nowMs: number,
  ): FollowerState | undefined {
    const before = this.#states.get(replicaId);
    if (before === undefined) return undefined;
    const after = fetched(before, report, leaderEndOffset, nowMs);
    this.#states.set(replicaId, after);
    return after;
  }

  epochRose(isr: readonly number[], leaderEndOffset: number, nowMs: number): void {
    for (const [id, state] of this.#states) {
      this.#states.set(id, epochRose(state, isr.includes(id), leaderEndOffset, nowMs));
    }
  }
}
