/** Reads of 1 MiB from a partition log, from memory and from files, beside the least that could be done. */
import * as fs from 'node:fs';
import type { PartitionLog } from '@seatlog/commit-log';
import { batchSizeInBytes, crc32c } from '@seatlog/kafka-protocol';
import { fill, openLog, TOPIC } from './log-under-test.ts';
import type { PreparedComparison } from './append-comparison.ts';
import type { Comparison } from './measured-rounds.ts';

const READ_BYTES = 1024 * 1024;
const LOG_BYTES = 24 * READ_BYTES;
const CRC_FROM = 21;

export async function readComparison(
  directory: string,
  batchBytes: number,
  from: 'memory' | 'files',
): Promise<PreparedComparison> {
  const path = `${directory}/read-${from}-${batchBytes}`;
  const opened = openLog(path, { tailCacheBytes: from === 'memory' ? 2 * LOG_BYTES : 0 });
  const { log } = opened;
  await fill(log, LOG_BYTES / READ_BYTES, batchBytes);
  const file = `${path}/${TOPIC}-0/${'0'.repeat(20)}.log`;
  const comparison = from === 'memory' ? fromMemory(log, batchBytes, file) : fromFiles(log, batchBytes, file);
  return { comparison, log: opened, dispose: () => undefined };
}

function fromMemory(log: PartitionLog, batchBytes: number, file: string): Comparison {
  const whole = fs.readFileSync(file);
  let position = 0;
  return {
    title: `read 1 MiB of ${batchBytes / 1024} KiB batches from memory (views, nothing is copied)`,
    bytesPerCall: READ_BYTES,
    subjects: [
      { name: 'partition log', durability: 'tail cache', work: sequentialReads(log) },
      {
        name: 'copy of 1 MiB',
        durability: 'memory',
        work: () => {
          position = (position + READ_BYTES) % LOG_BYTES;
          return Buffer.from(whole.subarray(position, position + READ_BYTES)).length;
        },
      },
    ],
  };
}

function fromFiles(log: PartitionLog, batchBytes: number, file: string): Comparison {
  const descriptor = fs.openSync(file, 'r');
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  let position = 0;
  const pread = (): number => {
    position = (position + READ_BYTES) % LOG_BYTES;
    return fs.readSync(descriptor, buffer, 0, READ_BYTES, position);
  };
  const preadAndCheck = (): number => {
    pread();
    let sum = 0;
    for (let at = 0; at < READ_BYTES; at += batchSizeInBytes(buffer, at)) {
      sum += crc32c(buffer, at + CRC_FROM, at + batchSizeInBytes(buffer, at)) & 1;
    }
    return sum;
  };
  return {
    title: `read 1 MiB of ${batchBytes / 1024} KiB batches from files`,
    bytesPerCall: READ_BYTES,
    subjects: [
      { name: 'partition log, CRC checked', durability: 'page cache', work: sequentialReads(log) },
      { name: 'pread + CRC, pooled buffer', durability: 'page cache', work: preadAndCheck },
      { name: 'pread alone, pooled buffer', durability: 'page cache', work: pread },
    ],
  };
}

function sequentialReads(log: PartitionLog): () => number {
  let offset = 0;
  return () => {
    const read = log.read(offset, { maxBytes: READ_BYTES, upperBound: log.logEndOffset });
    offset = read.nextOffset >= log.logEndOffset ? 0 : read.nextOffset;
    read.release();
    return read.sizeBytes;
  };
}
