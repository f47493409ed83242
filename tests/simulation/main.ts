// `npm run simulate`: one seed, many seeds, or mutants of the protocol. docs/simulation.md tells more.
import os from 'node:os';
import { parseArgs } from 'node:util';
import { DEFAULT_EVENTS, simulate } from '@seatlog/simulation';
import { runMutants } from './mutants/mutant-run.ts';
import { runSeeds } from './seed-pool.ts';
import type { FailedSeed } from './seed-worker.ts';

const USAGE = `npm run simulate -- --seed N [--events N] [--trace]        one seed; prints its trace hash
                            --plain                       with the profiles of before alone
npm run simulate -- --seeds N [--from N] [--jobs N] [--events N]  many seeds
                            --log commit-log              with the log itself in place of its model; slower
npm run simulate -- --mutant ID | --mutants all|rotation [--seeds N] [--jobs N]
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    events: { type: 'string', default: String(DEFAULT_EVENTS) },
    jobs: { type: 'string', default: String(os.availableParallelism()) },
    log: { type: 'string', default: 'model' },
    trace: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    mutants: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  process.stderr.write(`--${name} takes a whole number, not ${text}.\n${USAGE}`);
  process.exit(2);
}

const events = whole('events', values.events);
const log = values.log === 'commit-log' ? 'commit-log' : 'model';
const jobs = Math.max(1, whole('jobs', values.jobs));

function runOne(seed: number): boolean {
  const result = simulate({
    seed,
    events,
    log,
    isPlain: values.plain,
    ...(values.trace ? { trace: print } : {}),
  });
  if (result.failure !== null) print(result.failure.message);
  print(
    `seed ${seed}: ${result.events} events, ${result.elections} elections, ${result.acknowledged} acknowledged, ` +
      `trace ${result.traceHash}, ${result.failure === null ? 'held' : 'FAILED'}`,
  );
  return result.failure === null;
}

function tellFailure({ seed, traceHash, promise, message }: FailedSeed): void {
  const options = `${events === DEFAULT_EVENTS ? '' : ` --events ${events}`}${log === 'model' ? '' : ` --log ${log}`}`;
  print(`seed ${seed} failed: ${promise}; trace ${traceHash}; npm run simulate -- --seed ${seed}${options}`);
  print(`  ${message.split('\n')[0]}`);
}

async function runMany(seeds: number, from: number): Promise<boolean> {
  const began = performance.now();
  let saidAt = began;
  let told = 0;
  const report = await runSeeds({
    from,
    seeds,
    events,
    jobs,
    log,
    onReport(sums) {
      for (const failed of sums.failures.slice(told)) tellFailure(failed);
      told = sums.failures.length;
      if (performance.now() - saidAt < 10_000) return;
      saidAt = performance.now();
      print(`${sums.seeds} seeds so far, ${sums.failures.length} failed`);
    },
  });
  const seconds = (performance.now() - began) / 1000;
  const perCore = report.seeds / (report.milliseconds / 1000);
  print(
    `${report.events} events, ${report.elections} elections, ${report.acknowledged} acknowledged; ` +
      `${seconds.toFixed(1)} s, ${(report.seeds / seconds).toFixed(1)} seeds/s, ${perCore.toFixed(1)} seeds/s and core`,
  );
  print(`${report.seeds} seeds, ${report.failures.length} failed`);
  return report.failures.length === 0;
}

async function run(): Promise<boolean> {
  if (values.mutant !== undefined || values.mutants !== undefined) {
    const seeds = whole('seeds', values.seeds ?? '5000');
    return runMutants({ which: values.mutant ?? values.mutants ?? 'all', seeds, events, jobs, print });
  }
  if (values.seed !== undefined) return runOne(whole('seed', values.seed));
  if (values.seeds !== undefined) return runMany(whole('seeds', values.seeds), whole('from', values.from));
  process.stderr.write(USAGE);
  return values.help;
}

process.exitCode = (await run()) ? 0 : 1;
