import { describe, expect, it } from 'vitest';
import type { LogError } from './log-error.ts';
import type { PartitionLog } from './partition-log.ts';
import { contentsOf } from './testing/crash-model.ts';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

/** Ten batches of two offsets in segments of three; an epoch every four batches. */
function filled(): TestDirectory {
  const test = openTestDirectory({ config: { segmentBytes: 300, indexIntervalBytes: 100 } });
  for (let round = 0; round < 10; round += 1) {
    const batch = testBatch({
      count: 2,
      fill: round,
      producerId: 1,
      producerEpoch: 0,
      sequence: round * 2,
      timestamp: 1000 + round,
    });
    test.append(test.log(), batch, Math.floor(round / 4));
  }
  test.log().updateHighWatermark(20);
  return test;
}

function truncate(log: PartitionLog, offset: number): LogError | null {
  let outcome: LogError | null | undefined;
  log.truncateTo(offset, (error) => {
    outcome = error;
  });
  if (outcome === undefined) throw new Error('the truncation did not end');
  return outcome;
}

function stateOf(log: PartitionLog) {
  return {
    end: log.logEndOffset,
    next: log.nextAppendOffset,
    highWatermark: log.highWatermark,
    segments: log.describeSegments().map((segment) => segment.baseOffset),
    epochs: log.leaderEpochs.map(({ epoch, startOffset }) => `${epoch}@${startOffset}`),
    lastSequence: log.producers[0]?.lastSequence,
  };
}

const CUT_AT_8 = { end: 8, next: 8, highWatermark: 8, segments: [0, 6], epochs: ['0@0'], lastSequence: 7 };

describe('truncateTo', () => {
  it('R24: cuts log, high watermark, epochs and producers at the offset, and the log goes on from there', () => {
    const test = filled();
    expect(truncate(test.log(), 8)).toBeNull();
    expect(stateOf(test.log())).toEqual(CUT_AT_8);
    expect(test.append(test.log(), testBatch({ fill: 99 }), 5).firstOffset).toBe(8);
    expect(contentsOf(test.log())).toHaveLength(5);
    expect(test.log().findMaxTimestamp()?.baseOffset).toBe(8);
  });

  it('lasts, with what was there before gone for good, whatever crash follows', () => {
    for (const kind of ['process', 'power'] as const) {
      let test = filled();
      truncate(test.log(), 8);
      test = test.crash(kind);
      const { highWatermark, ...rest } = stateOf(test.log());
      expect(rest).toEqual({ ...CUT_AT_8, highWatermark: undefined });
      expect(highWatermark).toBeLessThanOrEqual(8);
    }
  });

  it('takes a batch that holds the offset as a whole', () => {
    const test = filled();
    truncate(test.log(), 9);
    expect(stateOf(test.log()).end).toBe(8);
  });

  it('cuts at the beginning of a segment, and of the log', () => {
    const test = filled();
    truncate(test.log(), 6);
    expect(stateOf(test.log())).toMatchObject({ end: 6, segments: [0, 6] });
    truncate(test.log(), 0);
    expect(stateOf(test.log())).toMatchObject({ end: 0, segments: [0], epochs: [], lastSequence: undefined });
    expect(test.append(test.log(), testBatch()).firstOffset).toBe(0);
  });

  it('R24, KAFKA-10706: leaves the log as it is at its end, while later epochs leave the cache', () => {
    const test = filled();
    test.log().assignLeaderEpoch(7, 20);
    truncate(test.log(), 20);
    expect(stateOf(test.log())).toMatchObject({ end: 20, highWatermark: 20, epochs: ['0@0', '1@8', '2@16'] });
  });

  it('begins anew where the offset is below the log start', () => {
    const test = filled();
    test.log().deleteRecordsBefore(10);
    truncate(test.log(), 4);
    expect(stateOf(test.log())).toMatchObject({ end: 4, segments: [4], epochs: [] });
    expect(test.log().logStartOffset).toBe(4);
  });

  it('fails what is queued, lets what is in flight settle, and takes no appends meanwhile', () => {
    const test = filled();
    const log = test.log();
    const outcomes: string[] = [];
    const append = (name: string): boolean =>
      log.append(testBatch(), 2, (error) => outcomes.push(`${name} ${error?.code ?? 'done'}`)).accepted;
    test.files.completions = 'held';
    append('in flight');
    test.turns.end();
    append('queued');
    let truncated = false;
    log.truncateTo(20, () => {
      truncated = true;
    });
    expect([outcomes, truncated, append('late')]).toEqual([['queued LOG_TRUNCATED'], false, false]);
    while (test.files.heldCompletions.length > 0) test.files.deliver();
    expect([outcomes, truncated]).toEqual([['queued LOG_TRUNCATED', 'in flight done'], true]);
    expect([log.logEndOffset, append('after')]).toEqual([20, true]);
  });

  it('leaves index entries and snapshots of nothing that is gone', () => {
    let test = openTestDirectory({
      config: { segmentBytes: 1000, indexIntervalBytes: 1 },
      limits: { tailCacheBytes: 0 },
    });
    for (let round = 0; round < 12; round += 1) test.append(test.log(), testBatch({ count: 2 }));
    // A clean stop leaves a snapshot at the end of the log.
    test = test.restart();
    truncate(test.log(), 4);
    const snapshots = test.files
      .readDirectory('/logs/seats-0')
      .filter(({ name }) => name.endsWith('.snapshot'));
    expect(snapshots).toEqual([]);
    for (let round = 0; round < 5; round += 1) test.append(test.log(), testBatch({ count: 2, size: 130 }));
    for (let offset = 0; offset < 14; offset += 1) {
      const read = test.log().read(offset, { maxBytes: 1, upperBound: 14 });
      expect(read.nextOffset).toBe(offset - (offset % 2) + 2);
    }
  });

  it('lets no sync move the recovery point on while it waits to cut', () => {
    const test = filled();
    const log = test.log();
    test.files.completions = 'held';
    let truncated = false;
    log.truncateTo(8, () => {
      truncated = true;
    });
    const outcomes: string[] = [];
    log.flush((error) => outcomes.push(error?.code ?? 'done'));
    expect(test.files.heldCompletions.map(({ path }) => path)).toEqual([
      '/logs/recovery-point-offset-checkpoint',
    ]);
    expect(log.recoveryPoint).toBeLessThanOrEqual(8);
    test.files.deliverAll();
    expect([truncated, log.logEndOffset, outcomes]).toEqual([true, 8, ['LOG_TRUNCATED']]);
  });

  it('lowers the recovery point on disk before it cuts', () => {
    const test = filled();
    test.log().flush(() => undefined);
    test.directory.checkpoint();
    const order: string[] = [];
    test.files.fault = ({ name, path }) => {
      if (name === 'rename' && path.includes('recovery-point')) order.push('checkpoint');
      if (name === 'truncate' && path.endsWith('.log')) order.push('cut');
      return undefined;
    };
    truncate(test.log(), 8);
    expect(order).toEqual(['checkpoint', 'cut']);
    const checkpoint = test.files.readFile('/logs/recovery-point-offset-checkpoint');
    expect(new TextDecoder().decode(checkpoint)).toBe('0\n1\nseats 0 8\n');
  });
});

describe('truncateFullyAndStartAt', () => {
  it('R26: drops everything and begins at the offset', () => {
    let test = filled();
    test.log().truncateFullyAndStartAt(100, (error) => expect(error).toBeNull());
    const expected = {
      end: 100,
      next: 100,
      highWatermark: 100,
      segments: [100],
      epochs: [],
      lastSequence: undefined,
    };
    expect([stateOf(test.log()), test.log().logStartOffset]).toEqual([expected, 100]);
    expect(test.append(test.log(), testBatch()).firstOffset).toBe(100);
    test = test.crash('process');
    expect([test.log().logStartOffset, test.log().logEndOffset]).toEqual([100, 101]);
  });
});
