/** Lists of partitions, compared by topic and number. Pure. */
import type { TopicPartition } from './types.ts';

export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}

export function samePartition(a: TopicPartition, b: TopicPartition): boolean {
  return a.partition === b.partition && a.topic === b.topic;
}

/** What is in the first list and not in the second. */
export function difference(
  from: readonly TopicPartition[],
  without: readonly TopicPartition[],
): readonly TopicPartition[] {
  const taken = new Set(without.map(partitionKey));
  return from.filter((partition) => !taken.has(partitionKey(partition)));
}
