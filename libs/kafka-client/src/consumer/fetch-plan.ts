/** Which partitions to ask which broker for, now. Pure. */
import { ZERO_UUID, type apis, type RequestInput } from '@seatlog/kafka-protocol';
import type { MetadataCache } from '../cluster/metadata-cache.ts';
import type { ConsumerSettings } from './consumer-options.ts';
import type { PartitionReader } from './partition-reader.ts';

export interface FetchPlan {
  readonly byBroker: ReadonlyMap<number, readonly PartitionReader[]>;
  /** A partition could be fetched if it had a leader. */
  readonly leaderMissing: boolean;
  /** When the first of those that pause may be asked for again. */
  readonly pauseEnds: number;
}

/** `rotation` moves on with each plan, so that no partition is always the first to fill the answer. */
export function planFetches(
  readers: readonly PartitionReader[],
  metadata: MetadataCache,
  now: number,
  rotation: number,
): FetchPlan {
  const byBroker = new Map<number, PartitionReader[]>();
  let leaderMissing = false;
  let pauseEnds = Infinity;
  for (let index = 0; index < readers.length; index++) {
    const reader = readers[(index + rotation) % readers.length] as PartitionReader;
    if (!wantsMore(reader)) continue;
    if (reader.notBefore > now) {
      pauseEnds = Math.min(pauseEnds, reader.notBefore);
      continue;
    }
    const broker = brokerFor(reader, metadata, now);
    if (broker < 0) {
      leaderMissing = true;
      continue;
    }
    const list = byBroker.get(broker);
    if (list === undefined) byBroker.set(broker, [reader]);
    else list.push(reader);
  }
  return { byBroker, leaderMissing, pauseEnds };
}

/** The replica nearby while it is in the cluster and its time has not passed, else the leader. */
function brokerFor(reader: PartitionReader, metadata: MetadataCache, now: number): number {
  const { nearby } = reader;
  if (nearby !== null && nearby.until > now && metadata.brokers.has(nearby.node)) return nearby.node;
  reader.nearby = null;
  return metadata.leaderOf(reader.topic, reader.partition);
}

/** One answer is fetched ahead of what the loop has in hand. */
function wantsMore(reader: PartitionReader): boolean {
  return (
    reader.isPlaced &&
    !reader.paused &&
    !reader.ending &&
    reader.fetching === 0 &&
    reader.bufferedBytes < reader.fetchBytes
  );
}

/** Whether the reader's position has to be held against the log of a leader that came after the one it was read from. */
export function needsValidation(reader: PartitionReader, metadata: MetadataCache): boolean {
  if (!reader.isPlaced || reader.ending || reader.fetchedEpoch < 0) return false;
  const epoch = metadata.topic(reader.topic)?.partitions[reader.partition]?.leaderEpoch ?? -1;
  return epoch > reader.fetchedEpoch && epoch > reader.validatedEpoch;
}

export function fetchRequest(
  readers: readonly PartitionReader[],
  metadata: MetadataCache,
  settings: ConsumerSettings,
  maxBytes: number,
  byTopicId: boolean,
): RequestInput<typeof apis.fetch> {
  const topics = new Map<string, PartitionReader[]>();
  for (const reader of readers) {
    const list = topics.get(reader.topic);
    if (list === undefined) topics.set(reader.topic, [reader]);
    else list.push(reader);
  }
  return {
    maxWaitMs: settings.fetchMaxWaitMs,
    minBytes: settings.fetchMinBytes,
    maxBytes,
    isolationLevel: settings.readCommitted ? 1 : 0,
    rackId: settings.rackId,
    topics: Array.from(topics, ([topic, list]) => ({
      ...(byTopicId ? { topicId: metadata.topic(topic)?.topicId ?? ZERO_UUID } : { topic }),
      partitions: list.map(({ partition, fetchOffset, fetchBytes }) => ({
        partition,
        fetchOffset,
        currentLeaderEpoch: metadata.topic(topic)?.partitions[partition]?.leaderEpoch ?? -1,
        partitionMaxBytes: fetchBytes,
      })),
    })),
  };
}
