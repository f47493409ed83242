// A process that runs ranges of seeds for whoever started it. The library to run is named by path, so that it may be a
// changed copy.
import type * as simulation from '@seatlog/simulation';

export interface SeedRange {
  readonly from: number;
  readonly count: number;
  readonly events: number;
  readonly log: 'model' | 'commit-log';
  /** Stop at the first that fails. */
  readonly untilFailure: boolean;
}

export interface FailedSeed {
  readonly seed: number;
  readonly traceHash: string;
  readonly promise: string;
  readonly message: string;
}

export interface RangeReport {
  readonly seeds: number;
  readonly events: number;
  readonly elections: number;
  readonly acknowledged: number;
  /** Of the processor, so that a machine with other work gives the same figure. */
  readonly milliseconds: number;
  readonly failures: readonly FailedSeed[];
}

const [library = '@seatlog/simulation'] = process.argv.slice(2);
const { simulate } = (await import(library)) as typeof simulation;

function run({ from, count, events, log, untilFailure }: SeedRange): RangeReport {
  const began = process.cpuUsage();
  const failures: FailedSeed[] = [];
  const sums = { seeds: 0, events: 0, elections: 0, acknowledged: 0 };
  for (let seed = from; seed < from + count; seed++) {
    const result = simulate({ seed, events, log });
    sums.seeds += 1;
    sums.events += result.events;
    sums.elections += result.elections;
    sums.acknowledged += result.acknowledged;
    if (result.failure === null) continue;
    failures.push({ seed, traceHash: result.traceHash, ...result.failure });
    if (untilFailure) break;
  }
  return { ...sums, failures, milliseconds: spentSince(began) };
}

function spentSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

process.on('message', (range: SeedRange) => process.send?.(run(range)));
// Whoever started it is gone.
process.on('disconnect', () => process.exit(0));
