/** What the loop has gone past and what of it is committed, partition by partition. Pure. */
import type { OffsetToCommit } from './offset-store.ts';
import { partitionKey } from './partition-sets.ts';
import type { TopicPartition } from './types.ts';

export class CommitBook {
  readonly #open = new Map<string, OffsetToCommit>();

  passed(offset: OffsetToCommit): void {
    this.#open.set(partitionKey(offset), offset);
  }

  /** Uncommitted offsets, of all partitions or of these. */
  open(partitions?: readonly TopicPartition[]): OffsetToCommit[] {
    if (partitions === undefined) return [...this.#open.values()];
    return partitions.flatMap((partition) => this.#open.get(partitionKey(partition)) ?? []);
  }

  committed(offsets: readonly OffsetToCommit[]): void {
    for (const offset of offsets) {
      const key = partitionKey(offset);
      if (this.#open.get(key)?.offset === offset.offset) this.#open.delete(key);
    }
  }

  forget(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.#open.delete(partitionKey(partition));
  }
}
