import { describe, expect, it } from 'vitest';
import type { LogConfig } from './log-config.ts';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

const HOUR = 3_600_000;
const START = 1_700_000_000_000;

/** Ten batches of 100 bytes, one a minute, in segments of two; the high watermark at the end. */
function filled(config: Partial<LogConfig>, highWatermark = 10): TestDirectory {
  const test = openTestDirectory({
    config: { segmentBytes: 200, ...config },
    intervals: { retentionCheckMs: 1000 * HOUR },
  });
  const log = test.log();
  for (let round = 0; round < 10; round += 1)
    test.append(log, testBatch({ timestamp: START + round * 60_000 }));
  log.updateHighWatermark(highWatermark);
  return test;
}

function stateOf(test: TestDirectory): { start: number; segments: number[]; end: number } {
  const log = test.log();
  return {
    start: log.logStartOffset,
    segments: log.describeSegments().map((segment) => segment.baseOffset),
    end: log.logEndOffset,
  };
}

describe('retention', () => {
  it('K9: deletes whole segments of which every record is too old', () => {
    const test = filled({ retentionMs: HOUR });
    expect(test.log().applyRetention(START + 4 * 60_000 + HOUR)).toBe(2);
    expect(stateOf(test)).toEqual({ start: 4, segments: [4, 6, 8], end: 10 });
    expect(() => test.log().read(3, { maxBytes: 1, upperBound: 10 })).toThrow(/outside \[4, 10\]/);
  });

  it('K9: deletes the oldest segments while the rest is large enough', () => {
    const test = filled({ retentionMs: -1, retentionBytes: 500 });
    expect(test.log().applyRetention(START)).toBe(2);
    expect(stateOf(test)).toEqual({ start: 4, segments: [4, 6, 8], end: 10 });
    expect(test.log().sizeBytes).toBe(600);
  });

  it('K9: spares what is not wholly below the high watermark', () => {
    const test = filled({ retentionMs: HOUR }, 5);
    expect(test.log().applyRetention(START + 100 * HOUR)).toBe(2);
    expect(stateOf(test)).toEqual({ start: 4, segments: [4, 6, 8], end: 10 });
  });

  it('K9: replaces the active segment when it is too old as well', () => {
    const test = filled({ retentionMs: HOUR });
    expect(test.log().applyRetention(START + 100 * HOUR)).toBe(5);
    expect(stateOf(test)).toEqual({ start: 10, segments: [10], end: 10 });
    expect(test.append(test.log(), testBatch()).firstOffset).toBe(10);
    expect(stateOf(test.restart())).toEqual({ start: 10, segments: [10], end: 11 });
  });

  it('keeps everything where limits are off, and in topics that are only compacted', () => {
    for (const config of [{ retentionMs: -1 }, { retentionMs: 1, cleanupPolicy: 'compact' as const }]) {
      expect(
        filled(config)
          .log()
          .applyRetention(START + 1000 * HOUR),
      ).toBe(0);
    }
  });

  it('F14: spares data when the wall clock jumps ahead', () => {
    const test = filled({ retentionMs: HOUR });
    test.clock.jump(48 * HOUR);
    expect(test.directory.applyRetention()).toBe(0);
    test.clock.advance(2 * HOUR);
    expect(test.directory.applyRetention()).toBe(5);
  });

  it('runs at its interval over all partitions', () => {
    const test = openTestDirectory({ config: { segmentBytes: 200, retentionMs: HOUR } });
    const log = test.log();
    test.append(log, testBatch({ timestamp: test.clock.now() }));
    log.updateHighWatermark(1);
    test.clock.advance(HOUR);
    expect(log.logStartOffset).toBe(0);
    test.clock.advance(300_001);
    expect(log.logStartOffset).toBe(1);
  });

  it('renames at once and unlinks after file.delete.delay.ms', () => {
    const test = filled({ retentionMs: HOUR, fileDeleteDelayMs: 1000 });
    const deleted = (): number =>
      test.files.readDirectory('/logs/seats-0').filter((entry) => entry.name.endsWith('.deleted')).length;
    test.log().applyRetention(START + HOUR + 60_001);
    expect([deleted(), stateOf(test).segments[0]]).toEqual([3, 2]);
    test.clock.advance(999);
    expect(deleted()).toBe(3);
    test.clock.advance(1);
    expect(deleted()).toBe(0);
  });
});

describe('deleteRecordsBefore', () => {
  it('K9: raises the log start at once, and deletes segments wholly below it', () => {
    const test = filled({});
    test.log().deleteRecordsBefore(5);
    expect(stateOf(test)).toEqual({ start: 5, segments: [4, 6, 8], end: 10 });
    test.log().deleteRecordsBefore(3);
    expect(stateOf(test).start).toBe(5);
    test.log().deleteRecordsBefore(10);
    expect(stateOf(test)).toEqual({ start: 10, segments: [8], end: 10 });
  });

  it('is refused above the high watermark', () => {
    const test = filled({}, 6);
    expect(() => test.log().deleteRecordsBefore(7)).toThrow(
      expect.objectContaining({ code: 'OFFSET_OUT_OF_RANGE' }),
    );
    expect(stateOf(test).start).toBe(0);
  });

  it('lasts over a restart, and over a crash once it is checkpointed', () => {
    let test = filled({});
    test.log().deleteRecordsBefore(5);
    test = test.restart();
    expect(stateOf(test).start).toBe(5);
    test.log().updateHighWatermark(10);
    test.log().deleteRecordsBefore(7);
    test.clock.advance(60_000);
    test = test.crash('power');
    expect(stateOf(test)).toEqual({ start: 7, segments: [6, 8], end: 10 });
    expect(new TextDecoder().decode(test.files.readFile('/logs/log-start-offset-checkpoint'))).toBe(
      '0\n1\nseats 0 7\n',
    );
  });

  it('begins anew at the log start when a power cut took everything behind it', () => {
    let test = openTestDirectory();
    test.append(test.log(), testBatch({ count: 50 }));
    test.log().flush(() => undefined);
    test.append(test.log(), testBatch({ count: 50 }));
    test.log().updateHighWatermark(100);
    test.log().deleteRecordsBefore(100);
    test.directory.checkpoint();
    test.files.tamper('/logs/seats-0/00000000000000000000.log', (contents) => contents.slice(0, 100));
    test = test.crash('process');
    expect(stateOf(test)).toEqual({ start: 100, segments: [100], end: 100 });
  });
});
