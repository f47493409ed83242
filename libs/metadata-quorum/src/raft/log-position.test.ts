import { describe, expect, it } from 'vitest';
import { checkPosition, endOf, isUpToDate, truncationPoint } from './log-position.ts';
import { contentBatch, MemoryQuorumLog } from './testing/memory-quorum-log.ts';

/** `[epoch, start]` of each epoch, and the end. */
function logOf(epochs: readonly (readonly [number, number])[], end: number): MemoryQuorumLog {
  const log = new MemoryQuorumLog();
  for (let offset = 0; offset < end; offset += 1) {
    const epoch = epochs.findLast(([, start]) => start <= offset)?.[0] ?? 0;
    log.append(contentBatch(offset, epoch, `${epoch}/${offset}`));
  }
  log.sync();
  return log;
}

describe('the end of a log', () => {
  it('has the epoch of the last record, and 0 where there is none', () => {
    expect(endOf(new MemoryQuorumLog())).toEqual({ offset: 0, epoch: 0 });
    expect(
      endOf(
        logOf(
          [
            [1, 0],
            [4, 3],
          ],
          5,
        ),
      ),
    ).toEqual({ offset: 5, epoch: 4 });
  });

  it('does not count an epoch that was begun and has no record', () => {
    const log = logOf([[1, 0]], 3);
    log.assignEpoch(9, 3);
    expect(endOf(log)).toEqual({ offset: 3, epoch: 1 });
  });

  it('does not count what is not synced', () => {
    const log = logOf([[1, 0]], 3);
    log.append(contentBatch(3, 2, 'unsynced'));
    expect(endOf(log)).toEqual({ offset: 3, epoch: 1 });
  });

  it('is that of the snapshot where the log holds nothing after it', () => {
    const log = new MemoryQuorumLog();
    log.installSnapshot({ endOffset: 40, epoch: 6 }, 10);
    expect(endOf(log)).toEqual({ offset: 40, epoch: 6 });
    log.assignEpoch(7, 40);
    expect(endOf(log)).toEqual({ offset: 40, epoch: 6 });
    log.append(contentBatch(40, 7, 'a'));
    log.sync();
    expect(endOf(log)).toEqual({ offset: 41, epoch: 7 });
  });

  it('is compared by the epoch first', () => {
    const own = { epoch: 3, offset: 10 };
    expect(isUpToDate({ epoch: 3, offset: 10 }, own)).toBe(true);
    expect(isUpToDate({ epoch: 3, offset: 9 }, own)).toBe(false);
    expect(isUpToDate({ epoch: 4, offset: 1 }, own)).toBe(true);
    expect(isUpToDate({ epoch: 2, offset: 99 }, own)).toBe(false);
  });
});

describe('a reader at a position', () => {
  const leader = logOf(
    [
      [1, 0],
      [2, 10],
      [5, 14],
    ],
    16,
  );

  it.each([
    [{ offset: 0, epoch: 0 }, { kind: 'valid' }],
    [{ offset: 10, epoch: 1 }, { kind: 'valid' }],
    [{ offset: 12, epoch: 2 }, { kind: 'valid' }],
    [{ offset: 16, epoch: 5 }, { kind: 'valid' }],
    [
      { offset: 12, epoch: 1 },
      { kind: 'diverging', epoch: 1, endOffset: 10 },
    ],
    [
      { offset: 17, epoch: 5 },
      { kind: 'diverging', epoch: 5, endOffset: 16 },
    ],
    [
      { offset: 15, epoch: 4 },
      { kind: 'diverging', epoch: 2, endOffset: 14 },
    ],
    [
      { offset: 12, epoch: 3 },
      { kind: 'diverging', epoch: 2, endOffset: 14 },
    ],
    [
      { offset: 9, epoch: 8 },
      { kind: 'diverging', epoch: 5, endOffset: 16 },
    ],
    [
      { offset: 4, epoch: 0 },
      { kind: 'diverging', epoch: 0, endOffset: 0 },
    ],
  ])('%o: %o', (position, verdict) => {
    expect(checkPosition(leader, position)).toEqual(verdict);
  });

  describe('of a log that begins at a snapshot', () => {
    const cut = logOf(
      [
        [1, 0],
        [3, 5],
        [6, 10],
      ],
      14,
    );
    const id = cut.takeSnapshot(10, 50);

    it.each([
      [
        { offset: 0, epoch: 0 },
        { kind: 'snapshot', id },
      ],
      [
        { offset: 9, epoch: 3 },
        { kind: 'snapshot', id },
      ],
      [{ offset: 10, epoch: 3 }, { kind: 'valid' }],
      [
        { offset: 10, epoch: 2 },
        { kind: 'snapshot', id },
      ],
      [
        { offset: 12, epoch: 2 },
        { kind: 'snapshot', id },
      ],
      [
        { offset: 12, epoch: 3 },
        { kind: 'diverging', epoch: 3, endOffset: 10 },
      ],
      [
        { offset: 12, epoch: 5 },
        { kind: 'diverging', epoch: 3, endOffset: 10 },
      ],
      [{ offset: 12, epoch: 6 }, { kind: 'valid' }],
    ])('%o: %o', (position, verdict) => {
      expect(checkPosition(cut, position)).toEqual(verdict);
    });

    it('takes the snapshot where of the records before the log nothing else is known', () => {
      const later = logOf(
        [
          [1, 0],
          [3, 5],
          [6, 10],
        ],
        14,
      );
      later.takeSnapshot(10, 50);
      const newest = later.takeSnapshot(12, 60, false);
      expect(checkPosition(later, { offset: 10, epoch: 3 })).toEqual({ kind: 'snapshot', id: newest });
    });
  });

  it('is sent to the snapshot of a log that is empty behind it', () => {
    const empty = new MemoryQuorumLog();
    empty.installSnapshot({ endOffset: 40, epoch: 6 }, 10);
    expect(checkPosition(empty, { offset: 40, epoch: 6 })).toEqual({ kind: 'valid' });
    expect(checkPosition(empty, { offset: 40, epoch: 5 }).kind).toBe('snapshot');
    expect(checkPosition(empty, { offset: 41, epoch: 7 })).toEqual({
      kind: 'diverging',
      epoch: 6,
      endOffset: 40,
    });
  });
});

describe('R24: the truncation point', () => {
  /** The diverged-log vectors of replication, which hold here as well, with epochs raised by one. */
  it.each([
    ['a longer log of an elder epoch', [[1, 0]], 15, { epoch: 1, endOffset: 10 }, 10],
    [
      'another epoch at the same end',
      [
        [1, 0],
        [2, 10],
      ],
      12,
      { epoch: 1, endOffset: 10 },
      10,
    ],
    [
      'an epoch that the leader lacks',
      [
        [1, 0],
        [3, 4],
      ],
      9,
      { epoch: 2, endOffset: 8 },
      4,
    ],
    [
      'several epochs, first round',
      [
        [1, 0],
        [2, 6],
        [4, 9],
        [5, 12],
      ],
      15,
      { epoch: 3, endOffset: 14 },
      9,
    ],
    [
      'several epochs, second round',
      [
        [1, 0],
        [2, 6],
      ],
      9,
      { epoch: 1, endOffset: 10 },
      6,
    ],
    ['the same epoch, too long', [[1, 0]], 12, { epoch: 1, endOffset: 10 }, 10],
    ['nothing in common', [[3, 0]], 5, { epoch: 2, endOffset: 0 }, 0],
  ] as const)('%s', (_, epochs, end, diverging, point) => {
    expect(truncationPoint(logOf(epochs, end), diverging)).toBe(point);
  });
});
