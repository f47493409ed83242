import { DEFAULT_EVENTS, simulate } from '@seatlog/simulation';
import { describe, expect, it } from 'vitest';
import { isKilled, rotation } from './mutants/mutant-run.ts';
import { mutants } from './mutants/mutants.ts';
import { regressionSeeds } from './regression-seeds.ts';
import { runSeeds } from './seed-pool.ts';

const SEEDS = 2000;
const SEEDS_ON_DISK = 400;
const SEEDS_FOR_A_MUTANT = 5000;
const JOBS = 2;
const MINUTES = 60_000;

describe('brokers and controllers under simulated faults', () => {
  it(`F1, F2, F20 to F26, R1 to R30: keep their promises in ${SEEDS} seeds`, {
    timeout: 20 * MINUTES,
  }, async () => {
    const report = await runSeeds({ from: 1, seeds: SEEDS, events: DEFAULT_EVENTS, jobs: JOBS });
    expect(report.failures.map(({ seed, promise }) => ({ seed, promise }))).toEqual([]);
    expect(report.seeds).toBe(SEEDS);
    // What was not exercised was not tested.
    expect(report.elections).toBeGreaterThan(SEEDS);
    expect(report.acknowledged).toBeGreaterThan(20 * SEEDS);
  });

  it(`keep them in ${SEEDS_ON_DISK} seeds with the log itself`, { timeout: 20 * MINUTES }, async () => {
    const options = {
      from: 1,
      seeds: SEEDS_ON_DISK,
      events: DEFAULT_EVENTS,
      jobs: JOBS,
      log: 'commit-log',
    } as const;
    const report = await runSeeds(options);
    expect(report.failures.map(({ seed, promise }) => ({ seed, promise }))).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(20 * SEEDS_ON_DISK);
  });

  it.each(regressionSeeds)('keep them in seed $seed, which failed once', ({ found: _found, ...options }) => {
    expect(simulate(options).failure).toBeNull();
  });

  it('do the same again by the same seed, event for event', () => {
    const hashes = (): readonly string[] =>
      Array.from({ length: 20 }, (_, at) => simulate({ seed: 900 + at, events: 1000 }).traceHash);
    const first = hashes();
    expect(hashes()).toEqual(first);
    expect(new Set(first).size).toBe(first.length);
  });
});

describe('the mutants of today', () => {
  it.each(rotation(mutants, Date.now()))('$id is killed', { timeout: 20 * MINUTES }, async (mutant) => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const options = {
      which: mutant.id,
      seeds: SEEDS_FOR_A_MUTANT,
      events: DEFAULT_EVENTS,
      jobs: JOBS,
      print,
    };
    expect(await isKilled(mutant, options), lines.join('\n')).toBe(true);
  });
});
