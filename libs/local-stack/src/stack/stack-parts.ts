/** The processes of a stack, and the order in which they end. */
import type { ManagedProcess } from '../managed-process.ts';

/**
 * Lower ranks stop first. The entrance refuses further requests (its readiness goes off, requests in flight end), then
 * those that work off what it took, then what they wrote to.
 */
export const STOP_RANK = { entrance: 0, app: 1, broker: 2, store: 3 } as const;
export type StopRank = (typeof STOP_RANK)[keyof typeof STOP_RANK];

export class StackParts {
  readonly #parts: { readonly process: ManagedProcess; readonly rank: StopRank }[] = [];
  readonly #byName = new Map<string, ManagedProcess>();

  get processes(): ReadonlyMap<string, ManagedProcess> {
    return this.#byName;
  }

  add(process: ManagedProcess, rank: StopRank): void {
    this.#parts.push({ process, rank });
    this.#byName.set(process.name, process);
  }

  async stop(): Promise<void> {
    for (const rank of Object.values(STOP_RANK)) {
      await Promise.all(this.#parts.filter((part) => part.rank === rank).map((part) => part.process.stop()));
    }
  }
}
