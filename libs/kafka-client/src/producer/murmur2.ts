/**
 * The hash by which Kafka's Java client, and so every client that cares about keys, chooses a partition (K12).
 * MurmurHash2, 32 bits, seed 0x9747b28c, little-endian words, all arithmetic modulo 2^32.
 */
const SEED = 0x9747b28c;
const MIX = 0x5bd1e995;
const MIX_SHIFT = 24;

export function murmur2(key: Uint8Array, length: number = key.length): number {
  let hash = SEED ^ length;
  let position = 0;
  for (; position + 4 <= length; position += 4) {
    let word =
      byteAt(key, position) |
      (byteAt(key, position + 1) << 8) |
      (byteAt(key, position + 2) << 16) |
      (byteAt(key, position + 3) << 24);
    word = Math.imul(word, MIX);
    word ^= word >>> MIX_SHIFT;
    hash = Math.imul(hash, MIX) ^ Math.imul(word, MIX);
  }
  const rest = length - position;
  if (rest === 3) hash ^= byteAt(key, position + 2) << 16;
  if (rest >= 2) hash ^= byteAt(key, position + 1) << 8;
  if (rest >= 1) hash = Math.imul(hash ^ byteAt(key, position), MIX);
  hash = Math.imul(hash ^ (hash >>> 13), MIX);
  return hash ^ (hash >>> 15);
}

/** The partition of a key: the sign bit is dropped, not negated, as the Java client does. */
export function partitionOfKey(key: Uint8Array, partitionCount: number): number {
  return (murmur2(key) & 0x7fffffff) % partitionCount;
}

/** Within bounds by the callers' loops. */
function byteAt(bytes: Uint8Array, position: number): number {
  return bytes[position] as number;
}
