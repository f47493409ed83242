import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

function filled(timestamps: readonly number[], segmentBytes = 300): TestDirectory {
  const test = openTestDirectory({ config: { segmentBytes, indexIntervalBytes: 150 } });
  for (const timestamp of timestamps) test.append(test.log(), testBatch({ count: 2, timestamp }));
  return test;
}

describe('lookup by time', () => {
  it('finds the first batch with that time or a later one, in offset order', () => {
    const log = filled([100, 300, 200, 400, 400, 350]).log();
    const base = (timestamp: number): number | undefined => log.findByTimestamp(timestamp)?.baseOffset;
    expect([base(0), base(100), base(101), base(300), base(301), base(400), base(401)]).toEqual([
      0,
      0,
      2,
      2,
      6,
      6,
      undefined,
    ]);
    expect(log.findByTimestamp(301)).toMatchObject({
      baseOffset: 6,
      lastOffset: 7,
      maxTimestamp: 400,
      leaderEpoch: 0,
    });
    expect(log.findByTimestamp(301)?.batch).toHaveLength(100);
  });

  it('finds the first of the latest batches', () => {
    const log = filled([100, 300, 400, 200, 400]).log();
    expect(log.findMaxTimestamp()).toMatchObject({ baseOffset: 4, maxTimestamp: 400 });
    expect(openTestDirectory().log().findMaxTimestamp()).toBeNull();
  });

  it('looks at nothing beyond the bound or before the log start', () => {
    const log = filled([500, 300, 400, 200, 600]).log();
    expect(log.findByTimestamp(550, 8)).toBeNull();
    expect(log.findMaxTimestamp(8)?.baseOffset).toBe(0);
    log.updateHighWatermark(10);
    log.deleteRecordsBefore(2);
    expect(log.findByTimestamp(450)?.baseOffset).toBe(8);
    expect(log.findMaxTimestamp(8)?.baseOffset).toBe(4);
  });

  it('equals a scan for any times, segment sizes and bounds, also after a restart', () => {
    const times = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(times, fc.constantFrom(14, 450, 100_000), fc.nat(80), (timestamps, segmentBytes, bound) => {
        const live = filled(timestamps, segmentBytes);
        const batches = timestamps.map((timestamp, place) => ({ timestamp, baseOffset: place * 2 }));
        const below = batches.filter((batch) => batch.baseOffset + 2 <= bound);
        const verify = (test: TestDirectory): void => {
          for (let time = 0; time <= 51; time += 3) {
            const expected = below.find((batch) => batch.timestamp >= time)?.baseOffset;
            expect(test.log().findByTimestamp(time, bound)?.baseOffset).toBe(expected);
          }
          const latest = Math.max(...below.map((batch) => batch.timestamp));
          const first = below.find((batch) => batch.timestamp === latest)?.baseOffset;
          expect(test.log().findMaxTimestamp(bound)?.baseOffset).toBe(first);
        };
        verify(live);
        verify(live.restart());
      }),
      { numRuns: 100 },
    );
  });
});
