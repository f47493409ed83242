import { describe, expect, it } from 'vitest';
import { Compression } from '../compression/codec.ts';
import { ErrorCode } from '../error-table.ts';
import * as header from './batch-header.ts';
import { type BatchRules, checkBatch } from './check-batch.ts';
import { encodeTransactionMarker } from './control-record.ts';
import { RecordBatchWriter, type SealOptions } from './record-batch-writer.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

const rules: BatchRules = {
  maxBatchBytes: 1_048_588,
  allowZstd: true,
  requireKeys: false,
  now: NOW,
  maxTimestampAheadMs: HOUR,
  maxTimestampBehindMs: 24 * HOUR,
};

function batch(options: SealOptions = {}, key: string | null = 'k'): Uint8Array {
  const writer = new RecordBatchWriter();
  for (let i = 0; i < 3; i++) writer.append(NOW + i, key, `value ${i}`);
  return writer.seal(options);
}

/** A batch with one thing changed and its checksum made right again. */
function changed(change: (bytes: Uint8Array) => void, options: SealOptions = {}): Uint8Array {
  const bytes = batch(options);
  change(bytes);
  header.writeInt32(bytes, header.CRC_AT, header.computeBatchCrc(bytes));
  return bytes;
}

const codeOf = (bytes: Uint8Array, more: Partial<BatchRules> = {}): number | null =>
  checkBatch(bytes, { ...rules, ...more })?.errorCode ?? null;

describe('checkBatch', () => {
  it.each(Object.entries(Compression))('takes a batch as producers write it: %s', (_name, compression) => {
    expect(checkBatch(batch({ compression }), rules)).toBeNull();
    expect(checkBatch(batch({ compression }), { ...rules, requireKeys: true })).toBeNull();
  });

  it('takes what idempotent and plain producers write into the producer fields', () => {
    expect(codeOf(batch({ producerId: 5, producerEpoch: 0, baseSequence: 0 }))).toBeNull();
    expect(
      codeOf(batch({ producerId: 5, producerEpoch: 0, baseSequence: 9, isTransactional: true })),
    ).toBeNull();
    // Some clients leave epoch and sequence at 0 without a producer id.
    expect(
      codeOf(batch({ producerId: -1, producerEpoch: 0, baseSequence: 0, partitionLeaderEpoch: 0 })),
    ).toBeNull();
  });

  it('F43: finds every single damaged byte that the checksum covers', () => {
    const valid = batch();
    for (let at = header.ATTRIBUTES_AT; at < valid.length; at++) {
      const damaged = Uint8Array.from(valid);
      damaged[at] = (damaged[at] as number) ^ 0x01;
      expect(codeOf(damaged), `byte ${at}`).not.toBeNull();
    }
    const crc = Uint8Array.from(valid);
    crc[header.CRC_AT] = (crc[header.CRC_AT] as number) ^ 0x80;
    expect(codeOf(crc)).toBe(ErrorCode.CORRUPT_MESSAGE);
  });

  const {
    CORRUPT_MESSAGE,
    INVALID_RECORD,
    INVALID_TIMESTAMP,
    MESSAGE_TOO_LARGE,
    UNSUPPORTED_COMPRESSION_TYPE,
  } = ErrorCode;
  const set32 = (at: number, value: number) => (bytes: Uint8Array) => header.writeInt32(bytes, at, value);
  const set64 = (at: number, value: number) => (bytes: Uint8Array) => header.writeInt64(bytes, at, value);
  const attribute = (bits: number) => (bytes: Uint8Array) =>
    header.writeInt16(bytes, header.ATTRIBUTES_AT, bits);

  it.each<[string, (bytes: Uint8Array) => void, number]>([
    ['another base offset', set64(header.BASE_OFFSET_AT, 1), INVALID_RECORD],
    ['no records', set32(header.RECORD_COUNT_AT, 0), INVALID_RECORD],
    ['a negative count', set32(header.RECORD_COUNT_AT, -1), INVALID_RECORD],
    ['more records than offsets', set32(header.RECORD_COUNT_AT, 4), INVALID_RECORD],
    ['more offsets than records', set32(header.LAST_OFFSET_DELTA_AT, 3), INVALID_RECORD],
    ['the control bit', attribute(header.CONTROL_BIT), INVALID_RECORD],
    ['a transaction without producer id', attribute(header.TRANSACTIONAL_BIT), INVALID_RECORD],
    ['a producer id without sequence', set64(header.PRODUCER_ID_AT, 7), INVALID_RECORD],
    ['the append time bit', attribute(header.LOG_APPEND_TIME_BIT), INVALID_TIMESTAMP],
    ['a time too far ahead', set64(header.MAX_TIMESTAMP_AT, NOW + HOUR + 1), INVALID_TIMESTAMP],
    ['a time too far behind', set64(header.BASE_TIMESTAMP_AT, NOW - 24 * HOUR - 1), INVALID_TIMESTAMP],
    ['a time that is no number', (bytes) => bytes.fill(0x7f, 35, 43), INVALID_TIMESTAMP],
    ['an unknown codec', attribute(5), UNSUPPORTED_COMPRESSION_TYPE],
    [
      'a count that the records do not bear out',
      (bytes) => {
        header.writeInt32(bytes, header.RECORD_COUNT_AT, 2);
        header.writeInt32(bytes, header.LAST_OFFSET_DELTA_AT, 1);
      },
      CORRUPT_MESSAGE,
    ],
    [
      'a record with another offset delta',
      (bytes) => {
        bytes[61 + 3] = 2;
      },
      INVALID_RECORD,
    ],
    [
      'a record of another length',
      (bytes) => {
        bytes[61] = (bytes[61] as number) - 2;
      },
      CORRUPT_MESSAGE,
    ],
  ])('F43: refuses %s', (_what, change, errorCode) => {
    expect(codeOf(changed(change))).toBe(errorCode);
  });

  it('F43: refuses bytes that are not exactly one batch', () => {
    const one = batch();
    expect(codeOf(new Uint8Array(0))).toBe(INVALID_RECORD);
    expect(codeOf(one.subarray(0, 60))).toBe(INVALID_RECORD);
    expect(codeOf(one.subarray(0, -1))).toBe(INVALID_RECORD);
    expect(codeOf(Buffer.concat([one, batch()]))).toBe(INVALID_RECORD);
    expect(codeOf(changed((bytes) => set32(header.BATCH_LENGTH_AT, 48)(bytes)))).toBe(CORRUPT_MESSAGE);
    const negative = batch();
    header.writeInt32(negative, header.BATCH_LENGTH_AT, -5);
    expect(codeOf(negative)).toBe(CORRUPT_MESSAGE);
  });

  it.each([
    [0, INVALID_RECORD],
    [1, INVALID_RECORD],
    [3, CORRUPT_MESSAGE],
    [-1, CORRUPT_MESSAGE],
  ])('F43: refuses magic %i', (magic, errorCode) => {
    const bytes = batch();
    bytes[header.MAGIC_AT] = magic;
    expect(codeOf(bytes)).toBe(errorCode);
  });

  it('refuses a batch above the limit, and takes one at it', () => {
    const bytes = batch();
    expect(codeOf(bytes, { maxBatchBytes: bytes.length })).toBeNull();
    expect(codeOf(bytes, { maxBatchBytes: bytes.length - 1 })).toBe(MESSAGE_TOO_LARGE);
  });

  it('refuses zstd to requests that do not know it', () => {
    expect(codeOf(batch({ compression: Compression.zstd }), { allowZstd: false })).toBe(
      UNSUPPORTED_COMPRESSION_TYPE,
    );
    expect(codeOf(batch({ compression: Compression.lz4 }), { allowZstd: false })).toBeNull();
  });

  it.each(Object.entries(Compression))(
    'refuses records without key where the topic is compacted: %s',
    (_name, compression) => {
      expect(codeOf(batch({ compression }, null))).toBeNull();
      expect(codeOf(batch({ compression }, null), { requireKeys: true })).toBe(INVALID_RECORD);
    },
  );

  it('F44: refuses a bomb where it has to look inside', () => {
    const writer = new RecordBatchWriter();
    writer.append(NOW, 'k', Buffer.alloc(900_000));
    const bomb = writer.seal({ compression: Compression.gzip });
    expect(codeOf(bomb, { requireKeys: true, maxDecompressedBytes: 100_000 })).toBe(MESSAGE_TOO_LARGE);
    expect(codeOf(bomb, { maxDecompressedBytes: 100_000 })).toBeNull();
  });

  it('refuses the markers that only coordinators write', () => {
    const marker = encodeTransactionMarker({
      outcome: 'commit',
      producerId: 5,
      producerEpoch: 0,
      coordinatorEpoch: 0,
      timestamp: NOW,
    });
    expect(codeOf(marker)).toBe(INVALID_RECORD);
  });

  it('leaves times alone when it is not told what time it is', () => {
    const { now: _now, ...timeless } = rules;
    const bytes = changed(set64(header.MAX_TIMESTAMP_AT, NOW + 99 * HOUR));
    expect(checkBatch(bytes, timeless)).toBeNull();
  });
});
