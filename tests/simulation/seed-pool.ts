// Runs many seeds in worker processes, one for each core that it may use.
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { FailedSeed, RangeReport, SeedRange } from './seed-worker.ts';

export interface PoolOptions {
  readonly from: number;
  readonly seeds: number;
  readonly events: number;
  readonly jobs: number;
  /** What logs are made of; the fast model if not said. */
  readonly log?: SeedRange['log'];
  /** Stop at the first seed that fails. */
  readonly untilFailure?: boolean;
  /** The library's entry, if it is not the repository's own. */
  readonly library?: string;
  readonly onReport?: (sums: PoolReport) => void;
}

export interface PoolReport {
  seeds: number;
  events: number;
  elections: number;
  acknowledged: number;
  /** Spent by all workers together. */
  milliseconds: number;
  failures: FailedSeed[];
}

const SEEDS_AT_ONCE = 25;

export async function runSeeds(options: PoolOptions): Promise<PoolReport> {
  const sums: PoolReport = {
    seeds: 0,
    events: 0,
    elections: 0,
    acknowledged: 0,
    milliseconds: 0,
    failures: [],
  };
  const end = options.from + options.seeds;
  let next = options.from;
  const takeRange = (): SeedRange | null => {
    if (next >= end || (options.untilFailure === true && sums.failures.length > 0)) return null;
    const count = Math.min(SEEDS_AT_ONCE, end - next);
    const { events, log = 'model', untilFailure = false } = options;
    const range = { from: next, count, events, log, untilFailure };
    next += count;
    return range;
  };
  const add = (report: RangeReport): void => {
    sums.seeds += report.seeds;
    sums.events += report.events;
    sums.elections += report.elections;
    sums.acknowledged += report.acknowledged;
    sums.milliseconds += report.milliseconds;
    sums.failures.push(...report.failures);
    options.onReport?.(sums);
  };
  const jobs = Math.min(options.jobs, Math.ceil(options.seeds / SEEDS_AT_ONCE));
  await Promise.all(Array.from({ length: jobs }, () => work(options.library, takeRange, add)));
  sums.failures.sort((left, right) => left.seed - right.seed);
  return sums;
}

function work(
  library: string | undefined,
  takeRange: () => SeedRange | null,
  add: (report: RangeReport) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker: ChildProcess = fork(
      path.join(import.meta.dirname, 'seed-worker.ts'),
      library === undefined ? [] : [library],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        execArgv: ['--disable-warning=ExperimentalWarning'],
      },
    );
    let isDone = false;
    const goOn = (): void => {
      const range = takeRange();
      if (range !== null) {
        worker.send(range);
        return;
      }
      isDone = true;
      worker.disconnect();
    };
    worker.on('message', (report: RangeReport) => {
      add(report);
      goOn();
    });
    worker.on('error', reject);
    worker.on('exit', (code) => {
      if (isDone) resolve();
      else reject(new Error(`a worker ended with ${code} before its seeds were run`));
    });
    goOn();
  });
}
