import { describe, expect, it } from 'vitest';
import { contentsOf } from './testing/crash-model.ts';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

const START = 1_700_000_000_000;

function basesOf(test: TestDirectory): number[] {
  return test
    .log()
    .describeSegments()
    .map((segment) => segment.baseOffset);
}

describe('segments', () => {
  it('K5: close before they would grow beyond segment.bytes', () => {
    const test = openTestDirectory({ config: { segmentBytes: 300 } });
    for (let round = 0; round < 7; round += 1) test.append(test.log(), testBatch({ count: 2 }));
    expect(basesOf(test)).toEqual([0, 6, 12]);
  });

  it('K5: may be tiny; a larger batch gets one of its own', () => {
    const test = openTestDirectory({ config: { segmentBytes: 14 } });
    const log = test.log();
    for (const size of [100, 5000, 61]) log.append(testBatch({ size }), 0, () => undefined);
    test.turns.endAll();
    expect(basesOf(test)).toEqual([0, 1, 2]);
    expect(contentsOf(log).map((batch) => batch.length)).toEqual([100, 5000, 61]);
  });

  it('K5: close once their first batch is segment.ms older than the next, by the batches’ own time', () => {
    const test = openTestDirectory({ config: { segmentMs: 1000 } });
    for (const later of [0, 1000, 500, 1001, 2001])
      test.append(test.log(), testBatch({ timestamp: START + later }));
    expect(basesOf(test)).toEqual([0, 3]);
    test.append(test.log(), testBatch({ timestamp: START + 2002 }));
    expect(basesOf(test)).toEqual([0, 3, 5]);
  });

  it('K5: close by time after a restart as before it', () => {
    let test = openTestDirectory({ config: { segmentMs: 1000 } });
    test.append(test.log(), testBatch({ timestamp: START }));
    test = test.restart();
    test.append(test.log(), testBatch({ timestamp: START + 1001 }));
    expect(basesOf(test)).toEqual([0, 1]);
  });

  it('K5: close by the clock where batches bear no time', () => {
    const test = openTestDirectory({ config: { segmentMs: 1000 } });
    test.append(test.log(), testBatch({ timestamp: -1 }));
    test.clock.advance(1001);
    test.append(test.log(), testBatch({ timestamp: -1 }));
    expect(basesOf(test)).toEqual([0, 1]);
  });

  it('K5: close when an index is full', () => {
    const test = openTestDirectory({ config: { indexIntervalBytes: 1, segmentIndexBytes: 40 } });
    const log = test.log();
    // Five offset entries would fit, and three of time.
    for (let round = 0; round < 9; round += 1)
      log.append(testBatch({ timestamp: START + round }), 0, () => undefined);
    test.turns.endAll();
    expect(basesOf(test)).toEqual([0, 3, 6]);
  });

  it('K5: close when a relative offset no longer fits 32 bits', () => {
    const test = openTestDirectory();
    const log = test.log();
    const far = 2 ** 31 - 1;
    for (const baseOffset of [0, far - 1, far, far + 1]) {
      log.appendAsFollower(testBatch({ baseOffset }), () => undefined, { allowGaps: true });
    }
    test.turns.endAll();
    expect(basesOf(test)).toEqual([0, far + 1]);
    expect(log.read(far, { maxBytes: 1, upperBound: far + 2 }).nextOffset).toBe(far + 1);
  });

  it('K2: leave log, both indexes and a producer snapshot, named after their base offset', () => {
    const test = openTestDirectory({ config: { segmentBytes: 14 } });
    for (let round = 0; round < 2; round += 1) test.append(test.log(), testBatch({ count: 1000 }));
    expect(test.files.readDirectory('/logs/seats-0').map((entry) => entry.name)).toEqual([
      '00000000000000000000.index',
      '00000000000000000000.log',
      '00000000000000000000.timeindex',
      '00000000000000001000.index',
      '00000000000000001000.log',
      '00000000000000001000.snapshot',
      '00000000000000001000.timeindex',
      'leader-epoch-checkpoint',
    ]);
  });

  it('K3: have an entry for their first batch and then one each interval, of a batch’s last offset', () => {
    const test = openTestDirectory({ config: { indexIntervalBytes: 250 } });
    for (let round = 0; round < 8; round += 1) {
      test.append(test.log(), testBatch({ count: 10, timestamp: START + round }));
    }
    test.close();
    const index = new DataView(test.files.readFile('/logs/seats-0/00000000000000000000.index').buffer);
    const entries = Array.from({ length: index.byteLength / 8 }, (_, entry) => [
      index.getInt32(entry * 8),
      index.getInt32(entry * 8 + 4),
    ]);
    expect(entries).toEqual([
      [9, 0],
      [39, 300],
      [69, 600],
    ]);
    const times = new DataView(test.files.readFile('/logs/seats-0/00000000000000000000.timeindex').buffer);
    expect(
      Array.from({ length: 4 }, (_, entry) => [
        times.getBigInt64(entry * 12),
        times.getInt32(entry * 12 + 8),
      ]),
    ).toEqual([
      [BigInt(START), 9],
      [BigInt(START + 3), 39],
      [BigInt(START + 6), 69],
      [BigInt(START + 7), 79],
    ]);
  });

  it('take another size from the moment it is configured', () => {
    const test = openTestDirectory({ config: { segmentBytes: 14 } });
    const log = test.log();
    test.append(log, testBatch());
    log.updateConfig({ ...log.config, segmentBytes: 10_000 });
    for (let round = 0; round < 3; round += 1) test.append(log, testBatch());
    expect(basesOf(test)).toEqual([0]);
  });

  it('are closed on request, unless they are empty', () => {
    const test = openTestDirectory();
    const log = test.log();
    log.roll();
    log.append(testBatch(), 0, () => undefined);
    log.roll();
    log.roll();
    test.append(log, testBatch());
    expect(basesOf(test)).toEqual([0, 1]);
  });

  it('K8: are synced in the background when they are closed, and the recovery point follows', () => {
    const test = openTestDirectory({ config: { segmentBytes: 250 } });
    const log = test.log();
    test.append(log, testBatch());
    test.append(log, testBatch());
    expect([log.recoveryPoint, log.describeSegments().map((segment) => segment.synced)]).toEqual([
      0,
      [false],
    ]);
    test.append(log, testBatch());
    expect([log.recoveryPoint, log.describeSegments().map((segment) => segment.synced)]).toEqual([
      2,
      [true, false],
    ]);
  });
});
