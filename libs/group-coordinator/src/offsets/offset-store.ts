/** The committed offsets of all groups of one partition of `__consumer_offsets`. */
import type { CommittedOffset, OffsetKey } from './committed-offset.ts';

type Partitions = Map<number, CommittedOffset>;
type Topics = Map<string, Partitions>;

export interface StoredOffset extends OffsetKey {
  readonly committed: CommittedOffset;
}

export class OffsetStore {
  readonly #groups = new Map<string, Topics>();

  groupIds(): Iterable<string> {
    return this.#groups.keys();
  }

  get(groupId: string, topic: string, partition: number): CommittedOffset | undefined {
    return this.#groups.get(groupId)?.get(topic)?.get(partition);
  }

  put(groupId: string, topic: string, partition: number, committed: CommittedOffset): void {
    let topics = this.#groups.get(groupId);
    if (topics === undefined) {
      topics = new Map();
      this.#groups.set(groupId, topics);
    }
    let partitions = topics.get(topic);
    if (partitions === undefined) {
      partitions = new Map();
      topics.set(topic, partitions);
    }
    partitions.set(partition, committed);
  }

  remove(groupId: string, topic: string, partition: number): void {
    const topics = this.#groups.get(groupId);
    const partitions = topics?.get(topic);
    if (topics === undefined || partitions === undefined) return;
    partitions.delete(partition);
    if (partitions.size === 0) topics.delete(topic);
    if (topics.size === 0) this.#groups.delete(groupId);
  }

  hasOffsets(groupId: string): boolean {
    return this.#groups.has(groupId);
  }

  /** All offsets of a group. */
  *of(groupId: string): Generator<StoredOffset> {
    for (const [topic, partitions] of this.#groups.get(groupId) ?? []) {
      for (const [partition, committed] of partitions) yield { topic, partition, committed };
    }
  }
}
