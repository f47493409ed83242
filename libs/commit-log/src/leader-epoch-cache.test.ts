import { describe, expect, it } from 'vitest';
import { LeaderEpochCache } from './leader-epoch-cache.ts';

/** `0@0,1@10` */
function cacheOf(notation: string): LeaderEpochCache {
  return new LeaderEpochCache(
    notation
      .split(',')
      .filter((entry) => entry !== '')
      .map((entry) => {
        const [epoch, startOffset] = entry.split('@').map(Number);
        return { epoch: epoch ?? -1, startOffset: startOffset ?? -1 };
      }),
  );
}

function notationOf(cache: LeaderEpochCache): string {
  return cache.entries.map(({ epoch, startOffset }) => `${epoch}@${startOffset}`).join();
}

describe('the leader epoch cache', () => {
  it.each([
    ['0@0,1@10', 13, 0, [0, 10]],
    ['0@0,1@10', 13, 1, [1, 13]],
    ['0@0,1@10', 13, 2, [-1, -1]],
    ['0@0,2@10', 12, 1, [0, 10]],
    ['0@0,1@5,3@8', 10, 2, [1, 8]],
    ['0@0,2@10,5@14', 16, 4, [2, 14]],
    ['0@0,2@10,5@14', 16, 1, [0, 10]],
    ['3@20,4@30', 40, 1, [1, 20]],
    ['0@0', 10, -1, [-1, -1]],
    ['', 10, 0, [-1, -1]],
  ])('R23: %s with end %i answers epoch %i with %j', (notation, logEndOffset, epoch, [found, endOffset]) => {
    expect(cacheOf(notation).endOffsetFor(epoch, logEndOffset)).toEqual({ epoch: found, endOffset });
  });

  it.each([
    ['', 0, 0, '0@0'],
    ['0@0', 1, 10, '0@0,1@10'],
    ['0@0', 0, 5, '0@0'],
    ['0@0,1@10', 2, 10, '0@0,2@10'],
    ['0@0,1@10,3@20', 2, 15, '0@0,1@10,2@15'],
    ['0@0,1@10', 1, 8, '0@0,1@8'],
    ['0@5', 1, 0, '1@0'],
  ])('R21: %s, told that %i begins at %i, is %s', (before, epoch, startOffset, after) => {
    const cache = cacheOf(before);
    expect(cache.assign(epoch, startOffset)).toBe(before !== after);
    expect(notationOf(cache)).toBe(after);
  });

  it('R24: forgets epochs that begin where the log is cut, also where that is its end', () => {
    const cache = cacheOf('0@0,1@10,2@12');
    expect(cache.truncateFromEnd(10)).toBe(true);
    expect([notationOf(cache), cache.latestEpoch]).toEqual(['0@0', 0]);
    expect(cache.truncateFromEnd(10)).toBe(false);
  });

  it.each([
    ['0@0,1@10,2@20', 15, '1@15,2@20'],
    ['0@0,1@10,2@20', 10, '1@10,2@20'],
    ['0@0,1@10,2@20', 50, '2@50'],
    ['3@20', 5, '3@20'],
  ])('%s, begun anew at %i, is %s', (before, offset, after) => {
    const cache = cacheOf(before);
    cache.truncateFromStart(offset);
    expect(notationOf(cache)).toBe(after);
  });

  it('knows the epoch of an offset', () => {
    const cache = cacheOf('0@0,2@10');
    expect([0, 9, 10, 99].map((offset) => cache.epochAt(offset))).toEqual([0, 0, 2, 2]);
    expect(cacheOf('3@20').epochAt(5)).toBe(-1);
  });
});
