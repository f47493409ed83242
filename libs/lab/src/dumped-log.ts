/** What lies on a broker's disk, read as a stranger would read it: the files alone, the process may be dead. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  batchBaseOffset,
  batchLastOffset,
  batchPartitionLeaderEpoch,
  batchRecordCount,
  batchSizeInBytes,
  decodeRecords,
} from '@seatlog/kafka-protocol';

/** Base offset and length: with them one knows where the next batch begins. */
const PREFIX_BYTES = 12;

export interface DumpedRecord {
  readonly offset: number;
  readonly value: string;
}

export interface DumpedBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly count: number;
  readonly leaderEpoch: number;
  readonly records: readonly DumpedRecord[];
}

/** The bytes of all segments of a partition, in order. */
export function logBytes(partitionFolder: string): Buffer {
  const segments = readdirSync(partitionFolder)
    .filter((name) => /^\d{20}\.log$/.test(name))
    .sort();
  return Buffer.concat(segments.map((name) => readFileSync(join(partitionFolder, name))));
}

/** Up to the last whole batch: what is being written meanwhile is left out. */
export function dumpLog(partitionFolder: string): readonly DumpedBatch[] {
  const bytes = logBytes(partitionFolder);
  const batches: DumpedBatch[] = [];
  for (let at = 0; at + PREFIX_BYTES <= bytes.length; ) {
    const size = batchSizeInBytes(bytes, at);
    if (size <= 0 || at + size > bytes.length) break;
    batches.push(dumpBatch(bytes.subarray(at, at + size)));
    at += size;
  }
  return batches;
}

function dumpBatch(bytes: Uint8Array): DumpedBatch {
  const records = [...decodeRecords(bytes)].map((record) => ({
    offset: record.offset,
    value: Buffer.from(record.value ?? []).toString(),
  }));
  return {
    baseOffset: batchBaseOffset(bytes, 0),
    lastOffset: batchLastOffset(bytes, 0),
    count: batchRecordCount(bytes, 0),
    leaderEpoch: batchPartitionLeaderEpoch(bytes, 0),
    records,
  };
}

export const valuesOf = (batches: readonly DumpedBatch[]): readonly string[] =>
  batches.flatMap(({ records }) => records.map(({ value }) => value));

/** As `kafka-dump-log` would tell it, shortened. */
export function dumpLines(batches: readonly DumpedBatch[]): readonly string[] {
  return batches.flatMap(({ baseOffset, lastOffset, count, leaderEpoch, records }) => [
    `batch offsets ${baseOffset}-${lastOffset} (count ${count}) partitionLeaderEpoch=${leaderEpoch}`,
    ...records.map(({ offset, value }) => `  offset ${offset}: ${value}`),
  ]);
}
