// Holds the simulation to killing mutants: each must fail some seed.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Mutant } from './mutant.ts';
import { MutatedCopy } from './mutated-copy.ts';
import { mutants } from './mutants.ts';
import { runSeeds } from '../seed-pool.ts';

export interface MutantRunOptions {
  /** An id, `all`, or `rotation`: two of them, by the day. */
  readonly which: string;
  /** So many seeds has each to survive. */
  readonly seeds: number;
  readonly events: number;
  readonly jobs: number;
  readonly print: (line: string) => void;
}

const IN_ROTATION = 2;
const DAY_MS = 86_400_000;
const SCENARIO_TIMEOUT_MS = 60_000;

/** Two each day, so that all have their turn; the same all day long. */
export function rotation(all: readonly Mutant[], nowMs: number): readonly Mutant[] {
  const first = (Math.floor(nowMs / DAY_MS) * IN_ROTATION) % all.length;
  return Array.from({ length: IN_ROTATION }, (_, at) => all[(first + at) % all.length] as Mutant);
}

export async function runMutants(options: MutantRunOptions): Promise<boolean> {
  const chosen = choose(options.which);
  if (chosen.length === 0) {
    options.print(
      `There is no mutant ${options.which}. There are: ${mutants.map(({ id }) => id).join(', ')}.`,
    );
    return false;
  }
  let killed = 0;
  for (const mutant of chosen) if (await isKilled(mutant, options)) killed += 1;
  options.print(`${chosen.length} mutants, ${chosen.length - killed} survived`);
  return killed === chosen.length;
}

function choose(which: string): readonly Mutant[] {
  if (which === 'all') return mutants;
  if (which === 'rotation') return rotation(mutants, Date.now());
  return mutants.filter(({ id }) => id === which);
}

export async function isKilled(mutant: Mutant, options: MutantRunOptions): Promise<boolean> {
  using copy = new MutatedCopy(mutant);
  const killer = killedByScenario(mutant, copy.library) ?? (await killedBySeed(copy.library, options));
  const outcome = killer === null ? `SURVIVED ${options.seeds} seeds` : `killed by ${killer}`;
  options.print(`${mutant.id} (${mutant.rule}): ${outcome}`);
  return killer !== null;
}

/** The scenario is told in a process of its own, which the mutant may hang. */
function killedByScenario({ scenario }: Mutant, library: string): string | null {
  if (scenario === undefined) return null;
  const worker = path.join(import.meta.dirname, '..', 'scenario-worker.ts');
  const parameters = ['--disable-warning=ExperimentalWarning', worker, library, scenario];
  const { status, stdout } = spawnSync(process.execPath, parameters, {
    encoding: 'utf8',
    timeout: SCENARIO_TIMEOUT_MS,
  });
  return status === 0 ? null : `the scenario ${scenario}: ${stdout.split('\n')[0] ?? 'it came to no end'}`;
}

async function killedBySeed(
  library: string,
  { seeds, events, jobs }: MutantRunOptions,
): Promise<string | null> {
  const report = await runSeeds({ from: 1, seeds, events, jobs, untilFailure: true, library });
  const [first] = report.failures;
  return first === undefined ? null : `seed ${first.seed}: ${first.promise}`;
}
