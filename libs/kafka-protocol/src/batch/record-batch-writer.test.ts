import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../byte-writer.ts';
import { Compression } from '../compression/codec.ts';
import { hex, toHex } from '../testing/hex.ts';
import { text } from '../testing/message-arbitrary.ts';
import { refusal } from '../testing/refusal.ts';
import { batchBaseTimestamp, batchMaxTimestamp, batchSizeInBytes } from './batch-header.ts';
import { batchCrcMatches } from './batch-scan.ts';
import { RecordBatchWriter } from './record-batch-writer.ts';
import { varintSize, varlongSize } from './record-encoder.ts';
import type { RecordBytes } from './record-input.ts';
import { decodeRecords, visitRecords } from './record-view.ts';

const content = fc.oneof(fc.constant(null), text, fc.uint8Array({ maxLength: 200, size: 'max' }));
const record = fc.record({
  timestamp: fc.oneof(
    fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
    fc.nat(),
    fc.constant(-1),
  ),
  key: content,
  value: content,
  headers: fc.option(fc.array(fc.record({ key: text, value: content }), { maxLength: 3 }), {
    nil: undefined,
  }),
});
const asHex = (value: RecordBytes): string | null =>
  value === null ? null : typeof value === 'string' ? toHex(Buffer.from(value)) : toHex(value);

describe('RecordBatchWriter', () => {
  it('K1: lays a batch out byte for byte', () => {
    const writer = new RecordBatchWriter();
    writer.append(1_700_000_000_000, 'k', 'v');
    expect(toHex(writer.seal())).toBe(
      toHex(
        hex(`
          0000000000000000 0000003a ffffffff   # base offset, 58 bytes follow, no leader epoch
          02 e99b8dd8                          # magic, checksum of what follows
          0000 00000000                        # attributes, last offset delta
          0000018bcfe56800 0000018bcfe56800    # base and max timestamp
          ffffffffffffffff ffff ffffffff       # no producer id, epoch, sequence
          00000001                             # one record
          10 00 00 00                          # 8 bytes, attributes, timestamp and offset delta
          02 6b 02 76 00                       # key, value, no headers
        `),
      ),
    );
  });

  it('K14: gives back all records, compressed or not', () => {
    const codec = fc.constantFrom(...Object.values(Compression));
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), codec, (records, compression) => {
        const writer = new RecordBatchWriter({ initialBytes: 61 });
        for (const { timestamp, key, value, headers } of records)
          writer.append(timestamp, key, value, headers);
        const batch = writer.seal({ compression });
        expect(batchSizeInBytes(batch)).toBe(batch.length);
        expect(batchCrcMatches(batch)).toBe(true);
        expect(batchMaxTimestamp(batch)).toBe(Math.max(...records.map(({ timestamp }) => timestamp)));
        expect(
          decodeRecords(batch).map(({ offset, timestamp, key, value, headers }) => ({
            offset,
            timestamp,
            key: asHex(key),
            value: asHex(value),
            headers: headers.map((header) => [header.key, asHex(header.value)]),
          })),
        ).toEqual(
          records.map(({ timestamp, key, value, headers = [] }, offset) => ({
            offset,
            timestamp,
            key: asHex(key),
            value: asHex(value),
            headers: headers.map((header) => [header.key, asHex(header.value)]),
          })),
        );
      }),
    );
  });

  it('takes no record beyond its bound, but always the first', () => {
    const writer = new RecordBatchWriter({ maxBytes: 100, initialBytes: 61 });
    expect(writer.append(1, null, 'x'.repeat(500))).toBe(true);
    expect(writer.append(1, null, 'y')).toBe(false);
    expect(writer.recordCount).toBe(1);
    expect(decodeRecords(writer.seal())).toHaveLength(1);

    writer.reset();
    expect(writer.append(1, null, null)).toBe(true);
    const record = 8; // what the next one takes: its length and seven bytes
    const room = Math.floor((100 - writer.sizeInBytes) / record);
    for (let i = 0; i < room; i++) expect(writer.append(1, null, null)).toBe(true);
    expect(writer.append(1, null, null)).toBe(false);
    expect(writer.sizeInBytes).toBeLessThanOrEqual(100);
  });

  it('begins anew after reset, in the buffer it is given', () => {
    const writer = new RecordBatchWriter();
    writer.append(5000, 'a', 'b');
    writer.seal();
    const buffer = new Uint8Array(4096);
    writer.reset(buffer);
    expect([writer.recordCount, writer.sizeInBytes]).toEqual([0, 61]);
    writer.append(7, 'c', 'd');
    const batch = writer.seal();
    expect(batch.buffer).toBe(buffer.buffer);
    expect([batchBaseTimestamp(batch), batchMaxTimestamp(batch)]).toEqual([7, 7]);
    expect(decodeRecords(batch)).toHaveLength(1);
  });

  it('keeps gaps in the offsets where they are given', () => {
    const writer = new RecordBatchWriter();
    writer.append(1, 'a', '1', undefined, 3);
    writer.append(1, 'b', '2', undefined, 9);
    const offsets: number[] = [];
    visitRecords(writer.seal({ baseOffset: 100, lastOffsetDelta: 12 }), (cursor) =>
      offsets.push(cursor.offset),
    );
    expect(offsets).toEqual([103, 109]);
  });

  it('refuses timestamps that are no integers', () => {
    for (const timestamp of [Number.NaN, 1.5, 2 ** 53]) {
      expect(refusal(() => new RecordBatchWriter().append(timestamp, null, null))).toBe('VALUE_OUT_OF_RANGE');
    }
  });
});

describe('varint sizes', () => {
  it('are those of what the writer of bytes writes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.maxSafeInteger(),
          fc.integer(),
          fc.constantFrom(63, 64, -64, -65, 2 ** 31, -(2 ** 31) - 1),
        ),
        (value) => {
          const long = new ByteWriter();
          long.varlong(value);
          expect(varlongSize(value)).toBe(long.length);
          const short = new ByteWriter();
          short.varint(value | 0);
          expect(varintSize(value | 0)).toBe(short.length);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
