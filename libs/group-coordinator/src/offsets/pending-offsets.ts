/** Which offsets are on their way to the log: those must not expire, and a tombstone must come after them. */
import type { OffsetKey } from './committed-offset.ts';

interface Pending extends OffsetKey {
  count: number;
}

export class PendingOffsets {
  readonly #groups = new Map<string, Map<string, Pending>>();

  add(groupId: string, keys: readonly OffsetKey[]): void {
    let pending = this.#groups.get(groupId);
    if (pending === undefined) {
      pending = new Map();
      this.#groups.set(groupId, pending);
    }
    for (const { topic, partition } of keys) {
      const name = nameOf(topic, partition);
      const known = pending.get(name);
      if (known === undefined) pending.set(name, { topic, partition, count: 1 });
      else known.count += 1;
    }
  }

  settle(groupId: string, keys: readonly OffsetKey[]): void {
    const pending = this.#groups.get(groupId);
    if (pending === undefined) return;
    for (const { topic, partition } of keys) {
      const name = nameOf(topic, partition);
      const known = pending.get(name);
      if (known !== undefined && --known.count === 0) pending.delete(name);
    }
    if (pending.size === 0) this.#groups.delete(groupId);
  }

  hasAny(groupId: string): boolean {
    return this.#groups.has(groupId);
  }

  has(groupId: string, topic: string, partition: number): boolean {
    return this.#groups.get(groupId)?.has(nameOf(topic, partition)) ?? false;
  }

  of(groupId: string): readonly OffsetKey[] {
    return [...(this.#groups.get(groupId)?.values() ?? [])];
  }
}

/** Topic names hold no slash. */
function nameOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
