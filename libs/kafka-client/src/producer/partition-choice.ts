/** Which partition a record goes to: the one it names, else the caller's partitioner, else its key, else the sticky one. Pure. */
import type { TopicState } from '../cluster/metadata-cache.ts';
import type { Bytes, TopicRoute } from './accumulator.ts';
import { murmur2 } from './murmur2.ts';
import { invalidArgument } from './record-input.ts';
import type { Partitioner } from './types.ts';

/** Keys up to this length are hashed without a buffer of their own. */
const SCRATCH_BYTES = 1024;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

export function choosePartition(
  route: TopicRoute,
  state: TopicState,
  named: number | undefined,
  key: Bytes,
  partitioner: Partitioner | null,
): number {
  const partitionCount = state.partitions.length;
  if (named !== undefined) return checked(named, partitionCount, route.topic);
  if (partitioner !== null) {
    const bytes = typeof key === 'string' ? Buffer.from(key) : key;
    const chosen = partitioner({
      topic: route.topic,
      key: bytes,
      partitionCount,
      available: state.available,
    });
    if (chosen !== null) return checked(chosen, partitionCount, route.topic);
  }
  if (key === null || partitioner !== null) return route.stickyPartition(state);
  if (partitionCount === 1) return 0;
  return (hash(key) & 0x7fffffff) % partitionCount;
}

function hash(key: Uint8Array | string): number {
  if (typeof key !== 'string') return murmur2(key);
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (key.length * 3 > SCRATCH_BYTES) return murmur2(Buffer.from(key));
  return murmur2(scratch, scratch.write(key));
}

function checked(partition: number, partitionCount: number, topic: string): number {
  if (Number.isInteger(partition) && partition >= 0 && partition < partitionCount) return partition;
  throw invalidArgument(
    `${topic} has no partition ${partition}`,
    `name one from 0 to ${partitionCount - 1}, or let the key decide`,
  );
}
