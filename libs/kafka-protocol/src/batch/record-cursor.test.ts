import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Compression, compress } from '../compression/codec.ts';
import { hex } from '../testing/hex.ts';
import { refusal } from '../testing/refusal.ts';
import {
  BATCH_LENGTH_AT,
  RECORD_BATCH_OVERHEAD,
  RECORD_COUNT_AT,
  stampLogAppendTime,
  writeInt32,
} from './batch-header.ts';
import { RecordBatchWriter } from './record-batch-writer.ts';
import { RecordCursor } from './record-cursor.ts';
import { decodeRecords, visitRecords } from './record-view.ts';

/** A batch with the record bytes given, as a producer could send it. */
function batchOf(records: Uint8Array, count: number, compression = 0): Uint8Array {
  const writer = new RecordBatchWriter();
  writer.append(1000, null, null);
  const header = writer.seal().subarray(0, RECORD_BATCH_OVERHEAD);
  const batch = Buffer.concat([header, compress(compression, records)]);
  writeInt32(batch, BATCH_LENGTH_AT, batch.length - 12);
  writeInt32(batch, RECORD_COUNT_AT, count);
  batch[22] = compression;
  return batch;
}

const walk = (batch: Uint8Array): void => visitRecords(batch, (cursor) => void cursor.headers());

describe('RecordCursor', () => {
  it('tells where key, value and headers lie, without making anything', () => {
    const batch = batchOf(hex('1e 00 00 00 04 6b31 06 763131 02 02 68 02 69'), 1);
    const cursor = new RecordCursor(batch);
    expect(cursor.next()).toBe(true);
    expect([cursor.keyStart - 61, cursor.keyLength, cursor.valueStart - 61, cursor.valueLength]).toEqual([
      5, 2, 8, 3,
    ]);
    expect(cursor.headers()).toEqual([{ key: 'h', value: Buffer.from('i') }]);
    expect(cursor.next()).toBe(false);
  });

  it('gives all records the time of appending where the log has stamped it', () => {
    const writer = new RecordBatchWriter();
    writer.append(1000, null, 'a');
    writer.append(2000, null, 'b');
    const batch = writer.seal();
    expect(decodeRecords(batch).map(({ timestamp }) => timestamp)).toEqual([1000, 2000]);
    stampLogAppendTime(batch, 0, 5000);
    expect(decodeRecords(batch).map(({ timestamp }) => timestamp)).toEqual([5000, 5000]);
  });

  it('walks over an empty batch, which compaction may leave', () => {
    expect(decodeRecords(batchOf(new Uint8Array(0), 0))).toEqual([]);
  });

  it.each([
    ['10 00 00 00 01 01 00', 1, 'a record that runs out of the batch'],
    ['0c 00 00 00 01 01 00 ff', 1, 'bytes behind the last record'],
    ['0c 00 00 00 01 01 00', 2, 'a record too few'],
    ['0c 00 00 00 10 01 00', 1, 'a key beyond its record'],
    ['0c 00 00 00 01 10 00', 1, 'a value beyond its record'],
    ['0c 00 00 00 03 01 00', 1, 'a key of −2 bytes'],
    ['0c 00 00 00 01 03 00', 1, 'a value of −2 bytes'],
    ['0a 00 00 00 01 01', 1, 'no count of headers'],
    ['01 00 00 00 01 01 00', 1, 'a record of −1 bytes'],
    ['ffffffff1f 00 00 00 01 01 00', 1, 'a length of more than 32 bits'],
    ['8080808080 00 00 00 00 01 01 00', 1, 'a length of six bytes'],
  ])('F43: refuses %s with %i: %s', (bytes, count) => {
    expect(refusal(() => walk(batchOf(hex(bytes), count)))).toBe('RECORD_CORRUPT');
  });

  it.each([
    ['10 00 00 00 01 01 02 01 01', 'RECORD_CORRUPT', 'a null key'],
    ['10 00 00 00 01 01 02 7e 00', 'TRUNCATED', 'a key beyond the record'],
    ['10 00 00 00 01 01 02 00 7e', 'TRUNCATED', 'a value beyond the record'],
    ['0c 00 00 00 01 01 01', 'COUNT_OUT_OF_BOUNDS', 'a negative count'],
    ['14 00 00 00 01 01 feffffff0f', 'COUNT_OUT_OF_BOUNDS', 'a count that cannot be there'],
    ['10 00 00 00 01 01 00 0000', 'RECORD_CORRUPT', 'bytes behind them'],
  ])('F42: refuses headers that do not fit their record: %s is %s: %s', (bytes, code) => {
    expect(refusal(() => walk(batchOf(hex(bytes), 1)))).toBe(code);
  });

  it('F42: refuses a count of records that cannot be there, before any is read', () => {
    expect(refusal(() => new RecordCursor(batchOf(hex('0c 00 00 00 01 01 00'), 0x7fff_ffff)))).toBe(
      'RECORD_CORRUPT',
    );
    expect(refusal(() => new RecordCursor(batchOf(hex('0c 00 00 00 01 01 00'), -1)))).toBe('RECORD_CORRUPT');
  });

  it('F43: refuses a batch that is not whole', () => {
    const batch = batchOf(hex('0c 00 00 00 01 01 00'), 1);
    for (let length = 0; length < batch.length; length++) {
      expect(refusal(() => new RecordCursor(batch.subarray(0, length)))).toBe('RECORD_CORRUPT');
    }
  });

  it('F44: opens compressed records only up to the limit given', () => {
    const bomb = batchOf(new Uint8Array(10_000_000), 1, Compression.zstd);
    expect(refusal(() => new RecordCursor(bomb, 0, 1_000_000))).toBe('DECOMPRESSED_TOO_LARGE');
  });

  it('F42: throws nothing but ProtocolError, whatever the bytes', () => {
    const writer = new RecordBatchWriter();
    for (let i = 0; i < 5; i++) writer.append(i * 1e10, `k${i}`, 'value', [{ key: 'h', value: null }]);
    const valid = writer.seal();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 5 }),
        (changes) => {
          const damaged = Buffer.from(valid);
          for (const [at, byte] of changes) {
            damaged[RECORD_BATCH_OVERHEAD + (at % (damaged.length - RECORD_BATCH_OVERHEAD))] = byte;
          }
          expect(() => refusal(() => walk(damaged))).not.toThrow();
        },
      ),
      { numRuns: 2000 },
    );
  });
});
