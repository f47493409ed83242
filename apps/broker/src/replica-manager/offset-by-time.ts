/**
 * Offsets by time, for ListOffsets: the ends of the log, the first record of a time or later, the record with the
 * greatest timestamp. The log leads to the batch; which record of it is meant is found by looking inside, compressed
 * or not. A result lies between the log start, which may be in the middle of a batch, and the bound: what a reader of that
 * kind could fetch.
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
export const LATEST_TIERED_TIMESTAMP = -5;
export const EARLIEST_PENDING_UPLOAD_TIMESTAMP = -6;

/** What Kafka answers when there is no such record. */
export const NO_OFFSET: TimedOffset = { offset: -1, timestamp: -1, leaderEpoch: -1 };

/** A negative timestamp is one of those above. Throws `LogError` if the log cannot be read. */
export function offsetForTimestamp(partition: Partition, timestamp: number, bound: number): TimedOffset {
  switch (timestamp) {
    case LATEST_TIMESTAMP:
      return { offset: bound, timestamp: -1, leaderEpoch: partition.log.latestLeaderEpoch };
    case EARLIEST_TIMESTAMP:
    case EARLIEST_LOCAL_TIMESTAMP:
      return earliest(partition);
    case LATEST_TIERED_TIMESTAMP:
    case EARLIEST_PENDING_UPLOAD_TIMESTAMP:
      return NO_OFFSET;
    case MAX_TIMESTAMP:
      return latestRecord(partition, bound);
    default:
      return firstSince(partition, timestamp, bound);
  }
}

function firstSince(partition: Partition, timestamp: number, bound: number): TimedOffset {
  const { log, logStartOffset } = partition;
  let from = logStartOffset;
  for (;;) {
    const found = log.findByTimestamp(timestamp, bound, from);
    if (found === null) return NO_OFFSET;
    const record = visibleRecords(found, logStartOffset, bound).find((each) => each.timestamp >= timestamp);
    if (record !== undefined) return record;
    // What made the batch match was cut off.
    from = found.lastOffset + 1;
  }
}

function latestRecord(partition: Partition, bound: number): TimedOffset {
  const { log, logStartOffset } = partition;
  let latest = NO_OFFSET;
  let from = logStartOffset;
  for (;;) {
    const found = log.findMaxTimestamp(bound, from);
    if (found === null || found.maxTimestamp <= latest.timestamp) return latest;
    for (const record of visibleRecords(found, logStartOffset, bound)) {
      if (record.timestamp > latest.timestamp) latest = record;
    }
    if (latest.timestamp === found.maxTimestamp) return latest;
    // The greatest was cut off: what is left of the batch stands against the batches behind it.
    from = found.lastOffset + 1;
  }
}

function earliest(partition: Partition): TimedOffset {
  const offset = partition.logStartOffset;
  const entry = partition.log.leaderEpochs.findLast(({ startOffset }) => startOffset <= offset);
  return { offset, timestamp: -1, leaderEpoch: entry?.epoch ?? -1 };
}

function visibleRecords(found: BatchFound, logStartOffset: number, bound: number): readonly TimedOffset[] {
  const records: TimedOffset[] = [];
  const cursor = new RecordCursor(found.batch);
  while (cursor.next()) {
    const { offset, timestamp } = cursor;
    if (offset >= logStartOffset && offset < bound) {
      records.push({ offset, timestamp, leaderEpoch: found.leaderEpoch });
    }
  }
  return records;
}
