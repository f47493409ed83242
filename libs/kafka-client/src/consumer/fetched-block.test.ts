import {
  Compression,
  encodeTransactionMarker,
  RecordBatchWriter,
  stampBaseOffset,
} from '@seatlog/kafka-protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FetchedRecord } from './consumed-record.ts';
import { extentOf, FetchedBlock, type AbortedTransaction } from './fetched-block.ts';

const source = { topic: 't', partition: 0, declared: null };

interface BatchShape {
  readonly baseOffset: number;
  readonly values: readonly string[];
  readonly compression?: number;
  readonly producerId?: number;
}

function batch({ baseOffset, values, compression = 0, producerId }: BatchShape): Uint8Array {
  const writer = new RecordBatchWriter();
  for (const value of values) writer.append(1000, `k-${value}`, value);
  const transaction =
    producerId === undefined ? {} : { producerId, producerEpoch: 0, baseSequence: 0, isTransactional: true };
  return writer.seal({ compression, baseOffset, partitionLeaderEpoch: 3, ...transaction });
}

function marker(baseOffset: number, producerId: number, outcome: 'abort' | 'commit'): Uint8Array {
  const bytes = encodeTransactionMarker({
    outcome,
    producerId,
    producerEpoch: 0,
    coordinatorEpoch: 0,
    timestamp: 1000,
  });
  stampBaseOffset(bytes, 0, baseOffset);
  return bytes;
}

function block(
  parts: readonly Uint8Array[],
  fetchOffset: number,
  options: { aborted?: readonly AbortedTransaction[]; readCommitted?: boolean; checkCrcs?: boolean } = {},
): FetchedBlock {
  const bytes = Buffer.concat(parts);
  const { aborted = [], readCommitted = false, checkCrcs = true } = options;
  return new FetchedBlock(source, bytes, extentOf(bytes, fetchOffset), fetchOffset, 100, aborted, {
    readCommitted,
    checkCrcs,
  });
}

function readAll(from: FetchedBlock, limit = 1000): string[] {
  const seen: string[] = [];
  while (!from.isExhausted) {
    const records: FetchedRecord[] = [];
    from.read(limit, records);
    expect(records.length).toBeLessThanOrEqual(limit);
    seen.push(...records.map(({ offset, value }) => `${offset}:${Buffer.from(value ?? []).toString()}`));
  }
  return seen;
}

describe('fetched block', () => {
  it('begins in the middle of a batch and goes on over batches, whatever the limit', () => {
    const parts = [
      batch({ baseOffset: 10, values: ['a', 'b', 'c'] }),
      batch({ baseOffset: 13, values: ['d'], compression: Compression.gzip }),
    ];
    for (const limit of [1, 2, 3, 100]) {
      expect(readAll(block(parts, 11), limit)).toEqual(['11:b', '12:c', '13:d']);
    }
  });

  it('knows its extent from the headers, without what is cut off at the end', () => {
    const whole = batch({ baseOffset: 5, values: ['a', 'b'] });
    const cut = batch({ baseOffset: 7, values: ['c'] }).subarray(0, 65);
    const extent = extentOf(Buffer.concat([whole, cut]), 5);
    expect(extent).toMatchObject({ nextOffset: 7, wholeBytes: whole.length, lastEpoch: 3, neededBytes: 0 });
    const large = batch({ baseOffset: 7, values: ['x'.repeat(500)] });
    expect(extentOf(large.subarray(0, 100), 7)).toMatchObject({
      nextOffset: 7,
      wholeBytes: 0,
      neededBytes: large.length,
    });
    expect(extentOf(Buffer.alloc(100, 7), 7)).toMatchObject({ isGarbled: true });
  });

  it('F43: a batch whose checksum does not match is not shown; what came before it is', () => {
    const bad = Uint8Array.from(batch({ baseOffset: 2, values: ['c'] }));
    bad[bad.length - 1] = (bad.at(-1) ?? 0) ^ 1;
    const damaged = block([batch({ baseOffset: 0, values: ['a', 'b'] }), bad], 0);
    const records: FetchedRecord[] = [];
    damaged.read(100, records);
    expect(records.length).toBe(2);
    expect(damaged.nextOffset).toBe(2);
    expect(() => damaged.read(100, [])).toThrow(expect.objectContaining({ code: 'CORRUPT_MESSAGE' }));
    const trusting = block([bad], 2, { checkCrcs: false });
    expect(readAll(trusting).length).toBe(1);
  });

  it('control batches are passed over, and offsets go on behind them', () => {
    const with_ = block([batch({ baseOffset: 0, values: ['a'], producerId: 7 }), marker(1, 7, 'commit')], 0);
    expect(readAll(with_)).toEqual(['0:a']);
    expect(with_.nextOffset).toBe(2);
  });

  it('K15: read_committed leaves aborted transactions out, and only those', () => {
    const parts = [
      batch({ baseOffset: 0, values: ['7-aborted'], producerId: 7 }),
      batch({ baseOffset: 1, values: ['8-committed'], producerId: 8 }),
      batch({ baseOffset: 2, values: ['plain'] }),
      marker(3, 7, 'abort'),
      batch({ baseOffset: 4, values: ['7-again'], producerId: 7 }),
      marker(5, 8, 'commit'),
      marker(6, 7, 'commit'),
    ];
    const aborted = [{ producerId: 7, firstOffset: 0 }];
    expect(readAll(block(parts, 0, { aborted, readCommitted: true }))).toEqual([
      '1:8-committed',
      '2:plain',
      '4:7-again',
    ]);
    expect(readAll(block(parts, 0, { aborted }))).toEqual([
      '0:7-aborted',
      '1:8-committed',
      '2:plain',
      '4:7-again',
    ]);
  });

  it('gives every record from the offset asked for, once and in order', () => {
    const shapes = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 9 }), gap: fc.nat(3), zip: fc.boolean() }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(shapes, fc.nat(60), fc.integer({ min: 1, max: 12 }), (list, start, limit) => {
        let offset = 0;
        const expected: number[] = [];
        const parts = list.map(({ count, gap, zip }) => {
          offset += gap;
          const baseOffset = offset;
          const values = Array.from({ length: count }, (_, index) => String(baseOffset + index));
          offset += count;
          expected.push(...values.map(Number));
          return batch({ baseOffset, values, compression: zip ? Compression.lz4 : 0 });
        });
        const seen = readAll(block(parts, start), limit).map((line) => Number(line.split(':')[1]));
        expect(seen).toEqual(expected.filter((value) => value >= start));
      }),
    );
  });

  it('a record tells key, value and headers, and knows where it came from', () => {
    const writer = new RecordBatchWriter();
    writer.append(5, null, null, [
      { key: 'a', value: 'x' },
      { key: 'a', value: null },
    ]);
    const records: FetchedRecord[] = [];
    block([writer.seal()], 0).read(10, records);
    const [record] = records;
    expect(record).toMatchObject({
      topic: 't',
      partition: 0,
      offset: 0,
      timestamp: 5,
      key: null,
      value: null,
    });
    expect(record?.headers).toEqual([
      { key: 'a', value: Buffer.from('x') },
      { key: 'a', value: null },
    ]);
  });
});
