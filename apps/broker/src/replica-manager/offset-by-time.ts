/**
 * Offsets by time, for ListOffsets: the ends of the log, the first record of a time or later, the record with the
 * greatest timestamp. The log leads to the batch; which record of it is meant is found by looking inside, compressed
 * or not. A result lies below the bound: what a reader of that kind could fetch.
 */
import type { BatchFound } from '@seatlog/commit-log';
import { RecordCursor } from '@seatlog/kafka-protocol';
import type { Partition } from './partition.ts';

export interface TimedOffset {
  readonly offset: number;
  readonly timestamp: number;
  readonly leaderEpoch: number;
}

/** Kafka's timestamps that stand for something else. */
export const LATEST_TIMESTAMP = -1;
export const EARLIEST_TIMESTAMP = -2;
export const MAX_TIMESTAMP = -3;
export const EARLIEST_LOCAL_TIMESTAMP = -4;

/** What Kafka answers when there is no such record. */
export const NO_OFFSET: TimedOffset = { offset: -1, timestamp: -1, leaderEpoch: -1 };

/** Null for a timestamp that means nothing here. Throws `LogError` if the log cannot be read. */
export function offsetForTimestamp(
  partition: Partition,
  timestamp: number,
  bound: number,
): TimedOffset | null {
  switch (timestamp) {
    case LATEST_TIMESTAMP:
      return { offset: bound, timestamp: -1, leaderEpoch: partition.log.latestLeaderEpoch };
    case EARLIEST_TIMESTAMP:
    case EARLIEST_LOCAL_TIMESTAMP:
      return earliest(partition);
    case MAX_TIMESTAMP:
      return firstRecord(
        partition.log.findMaxTimestamp(bound),
        (time, batch) => time === batch.maxTimestamp,
        bound,
      );
    default:
      if (timestamp < 0) return null;
      return firstRecord(partition.log.findByTimestamp(timestamp, bound), (time) => time >= timestamp, bound);
  }
}

function earliest(partition: Partition): TimedOffset {
  const offset = partition.logStartOffset;
  const entry = partition.log.leaderEpochs.findLast(({ startOffset }) => startOffset <= offset);
  return { offset, timestamp: -1, leaderEpoch: entry?.epoch ?? -1 };
}

function firstRecord(
  found: BatchFound | null,
  matches: (timestamp: number, batch: BatchFound) => boolean,
  bound: number,
): TimedOffset {
  if (found === null) return NO_OFFSET;
  const cursor = new RecordCursor(found.batch);
  while (cursor.next()) {
    if (!matches(cursor.timestamp, found)) continue;
    if (cursor.offset >= bound) return NO_OFFSET;
    return { offset: cursor.offset, timestamp: cursor.timestamp, leaderEpoch: found.leaderEpoch };
  }
  return NO_OFFSET;
}
