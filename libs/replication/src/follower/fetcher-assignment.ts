/** R1: which fetcher of a broker serves a partition, and what the fetcher is called. */
export function fetcherIdOf(topic: string, partition: number, numReplicaFetchers: number): number {
  return absolute((Math.imul(31, javaHash(topic)) + partition) | 0) % numReplicaFetchers;
}

export function fetcherName(fetcherId: number, leaderId: number): string {
  return `ReplicaFetcherThread-${fetcherId}-${leaderId}`;
}

/** `String.hashCode` of Java: over UTF-16 units, in 32 bits. */
function javaHash(text: string): number {
  let hash = 0;
  for (let place = 0; place < text.length; place++) hash = (Math.imul(31, hash) + text.charCodeAt(place)) | 0;
  return hash;
}

/** Kafka's: the one 32-bit number whose absolute value is none gives 0. */
function absolute(value: number): number {
  return value === -(2 ** 31) ? 0 : Math.abs(value);
}
