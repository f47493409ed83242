import { describe, expect, it } from 'vitest';
import { TimeIndex } from './time-index.ts';

function indexOf(...entries: readonly (readonly [number, number])[]): TimeIndex {
  const index = new TimeIndex();
  for (const [timestamp, offset] of entries) index.maybeAppend(timestamp, offset);
  return index;
}

describe('the time index', () => {
  it('K2: stands on disk as timestamp int64 and relative offset int32, big endian', () => {
    const index = indexOf([1_700_000_000_000, 9], [1_700_000_000_500, 300]);
    expect(Buffer.from(index.encode()).toString('hex')).toBe(
      ['0000018bcfe56800', '00000009', '0000018bcfe569f4', '0000012c'].join(''),
    );
  });

  it('takes only timestamps above the last', () => {
    const index = indexOf([100, 1], [100, 2], [90, 3], [-1, 4], [101, 5]);
    expect([index.entryCount, index.lastTimestamp, index.lastOffset]).toEqual([2, 101, 5]);
  });

  it('leads to the greatest entry not later than the time, else to the beginning', () => {
    const index = indexOf([100, 10], [200, 20], [300, 30]);
    expect([50, 100, 199, 200, 1000].map((time) => index.lookup(time))).toEqual([0, 10, 10, 20, 30]);
  });

  it('K4: takes no file that is cut within an entry, or whose entries do not rise', () => {
    const good = indexOf([100, 10], [200, 20]).encode();
    expect(TimeIndex.decode(good)?.lastTimestamp).toBe(200);
    expect(TimeIndex.decode(good.subarray(0, 20))).toBeNull();
    expect(TimeIndex.decode(new Uint8Array(24))).toBeNull();
    const falling = new Uint8Array(24);
    falling.set(indexOf([200, 20]).encode(), 0);
    falling.set(indexOf([100, 10]).encode(), 12);
    expect(TimeIndex.decode(falling)).toBeNull();
  });

  it('forgets the entries of batches that reach an offset', () => {
    const index = indexOf([100, 10], [200, 20]);
    index.truncate(20);
    expect(index.lastTimestamp).toBe(100);
  });
});
