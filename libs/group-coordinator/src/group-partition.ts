/** Which partition of `__consumer_offsets` holds a group: Java's hash of its id, made positive, modulo the count. */
const INT32_MIN = -2_147_483_648;

/** `String.hashCode` of Java: over UTF-16 units, in 32 bits. */
export function javaStringHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  }
  return hash;
}

export function groupPartition(groupId: string, partitionCount: number): number {
  const hash = javaStringHash(groupId);
  // The one number that has no positive counterpart in 32 bits goes to partition 0, as in Kafka.
  return hash === INT32_MIN ? 0 : Math.abs(hash) % partitionCount;
}
