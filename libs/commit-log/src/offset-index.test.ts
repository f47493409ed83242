import { describe, expect, it } from 'vitest';
import { OffsetIndex } from './offset-index.ts';

function indexOf(...entries: readonly (readonly [number, number])[]): OffsetIndex {
  const index = new OffsetIndex();
  for (const [offset, position] of entries) index.append(offset, position);
  return index;
}

describe('the offset index', () => {
  it('K2: stands on disk as pairs of big-endian int32: relative offset, file position', () => {
    const index = indexOf([9, 0], [300, 4200], [70_000, 2 ** 30]);
    expect(Buffer.from(index.encode()).toString('hex')).toBe(
      ['0000000900000000', '0000012c00001068', '0001117040000000'].join(''),
    );
    expect(Buffer.from(index.encode(2)).toString('hex')).toBe('0001117040000000');
  });

  it('K3: leads to the greatest entry not above the offset, else to the beginning', () => {
    const index = indexOf([9, 100], [19, 5000], [29, 9000]);
    expect([0, 8, 9, 10, 18, 19, 28, 29, 1000].map((offset) => index.lookup(offset))).toEqual([
      0, 0, 100, 100, 100, 5000, 5000, 9000, 9000,
    ]);
    expect(new OffsetIndex().lookup(5)).toBe(0);
  });

  it('finds every one of many entries, and reads back what it wrote', () => {
    const entries = Array.from({ length: 5000 }, (_, place) => [place * 3 + 1, place * 4100] as const);
    const index = OffsetIndex.decode(indexOf(...entries).encode());
    for (const [offset, position] of entries) {
      expect(index?.lookup(offset)).toBe(position);
      expect(index?.lookup(offset + 2)).toBe(position);
    }
    expect([index?.entryCount, index?.lastOffset, index?.lastPosition]).toEqual([5000, 14_998, 4999 * 4100]);
  });

  it('K4: takes no file that is cut within an entry, or whose entries do not rise', () => {
    const good = indexOf([9, 0], [19, 5000]).encode();
    expect(OffsetIndex.decode(good)).not.toBeNull();
    expect(OffsetIndex.decode(good.subarray(0, 12))).toBeNull();
    expect(OffsetIndex.decode(new Uint8Array(16))).toBeNull();
    expect(OffsetIndex.decode(indexOf([9, 0], [9, 5000]).encode())).toBeNull();
    expect(OffsetIndex.decode(indexOf([9, 50], [19, 50]).encode())).toBeNull();
    expect(OffsetIndex.decode(new Uint8Array(0))?.entryCount).toBe(0);
  });

  it('K4: takes a lone (0, 0) for the entry of a first batch of one record', () => {
    expect(OffsetIndex.decode(new Uint8Array(8))?.entryCount).toBe(1);
  });

  it('forgets the entries of batches that reach an offset', () => {
    const index = indexOf([9, 0], [19, 5000], [29, 9000]);
    index.truncate(29);
    expect(index.lastOffset).toBe(19);
    index.truncate(0);
    expect([index.entryCount, index.lastOffset, index.lastPosition]).toEqual([0, -1, -1]);
  });
});
