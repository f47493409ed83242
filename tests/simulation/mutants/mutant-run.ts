// Holds the simulation to killing mutants: each must fail some seed.
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

export async function isKilled(
  mutant: Mutant,
  { seeds, events, jobs, print }: MutantRunOptions,
): Promise<boolean> {
  using copy = new MutatedCopy(mutant);
  const report = await runSeeds({ from: 1, seeds, events, jobs, untilFailure: true, library: copy.library });
  const [first] = report.failures;
  const outcome =
    first === undefined ? `SURVIVED ${report.seeds} seeds` : `killed by seed ${first.seed}: ${first.promise}`;
  print(`${mutant.id} (${mutant.rule}): ${outcome}`);
  return first !== undefined;
}
