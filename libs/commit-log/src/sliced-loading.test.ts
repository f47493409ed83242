import { describe, expect, it } from 'vitest';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

const PARTITIONS = 3;
const BATCHES = 20;

/** Several MiB of records in three partitions, none of them synced by a clean stop. */
function crashed(kind: 'process' | 'power' = 'process'): TestDirectory {
  const test = openTestDirectory();
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const log = test.log('seats', partition);
    for (let batch = 0; batch < BATCHES; batch += 1) {
      test.append(log, testBatch({ count: 2, size: 64 * 1024, fill: batch }));
    }
  }
  const next = test.crash(kind, { load: false });
  // Each look at the clock finds that some time has passed: a turn is over after a few slices.
  const { clock } = next;
  const monotonic = clock.monotonic.bind(clock);
  let looks = 0;
  clock.monotonic = () => monotonic() + 3 * looks++;
  return next;
}

/** Ends turns until all is loaded; gives how many it took. */
function loadInTurns(test: TestDirectory, eachTurn: () => void = () => {}): number {
  const told: string[] = [];
  let turns = 0;
  test.directory.loadAllInTurns(
    () => test.config,
    () => told.push('done'),
  );
  expect(told).toEqual([]);
  while (test.turns.pending > 0) {
    test.turns.end();
    turns += 1;
    eachTurn();
  }
  expect(told).toEqual(['done']);
  return turns;
}

const contents = (test: TestDirectory) =>
  [...test.directory.partitions()].map(({ topic, partition, logEndOffset, recoveryPoint }) => ({
    topic,
    partition,
    logEndOffset,
    recoveryPoint,
  }));

describe('loading in turns', () => {
  it('lets others have their turn, tells how far it is, and finds what loading at once finds', () => {
    const atOnce = crashed();
    atOnce.directory.loadAll(() => atOnce.config);
    const inTurns = crashed();
    const left: number[] = [];
    const turns = loadInTurns(inTurns, () => left.push(inTurns.directory.notLoaded().length));
    expect(turns).toBeGreaterThan(PARTITIONS);
    expect(left).toContain(1);
    expect(left.at(-1)).toBe(0);
    expect(contents(inTurns)).toEqual(contents(atOnce));
    expect(contents(inTurns).map(({ logEndOffset }) => logEndOffset)).toEqual(
      Array(PARTITIONS).fill(2 * BATCHES),
    );
    inTurns.close();
    expect(inTurns.restart({ load: false }).directory.cleanStart).toBe(true);
  });

  it('F1, F2: finds the same after a power cut', () => {
    const atOnce = crashed('power');
    atOnce.directory.loadAll(() => atOnce.config);
    const inTurns = crashed('power');
    loadInTurns(inTurns);
    expect(contents(inTurns)).toEqual(contents(atOnce));
  });

  it('syncs what it has checked without waiting for it, and goes on when that is done', () => {
    const test = crashed();
    test.files.completions = 'held';
    let isDone = false;
    test.directory.loadAllInTurns(
      () => test.config,
      () => {
        isDone = true;
      },
    );
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      test.turns.endAll();
      const held = test.files.heldCompletions.findIndex(({ name }) => name === 'sync');
      expect([held >= 0, isDone]).toEqual([true, false]);
      expect(test.directory.get('seats', partition)).toBeUndefined();
      test.files.deliver(held);
    }
    test.turns.endAll();
    expect(isDone).toBe(true);
  });

  it('F8: a partition that cannot be synced is kept out, the others are loaded', () => {
    const test = crashed();
    test.files.fault = ({ name, path }) =>
      name === 'sync' && path.includes('seats-1') ? { code: 'EIO' } : undefined;
    loadInTurns(test);
    expect([...test.directory.failures.keys()]).toEqual(['seats-1']);
    expect(contents(test).map(({ partition }) => partition)).toEqual([0, 2]);
  });

  it('KAFKA-15375: that was cut short by a stop leaves no clean-stop marker', () => {
    for (const turnsBefore of [0, 1, 2]) {
      const test = crashed();
      test.directory.loadAllInTurns(
        () => test.config,
        () => expect.unreachable('it goes on after the directory was closed'),
      );
      for (let turn = 0; turn < turnsBefore; turn += 1) test.turns.end();
      test.close();
      test.turns.endAll();
      const next = test.crash('process', { load: false });
      expect(next.directory.cleanStart).toBe(false);
      loadInTurns(next);
      expect(contents(next).map(({ logEndOffset }) => logEndOffset)).toEqual(
        Array(PARTITIONS).fill(2 * BATCHES),
      );
    }
  });
});
