/** What a drill is asked for. */
import { parseArgs } from 'node:util';
import { families, familiesOfOneNode, type FaultKind, kindsOf } from './fault-plan.ts';

export interface DrillSettings {
  /** Ends after so long, or after so many faults. */
  readonly end: { readonly seconds: number } | { readonly rounds: number };
  readonly faults: readonly FaultKind[];
  readonly seed: number;
  readonly brokers: number;
  /** Records a second, of all producers together. */
  readonly rate: number;
  readonly sessionTimeoutMs: number;
  readonly partitions: number;
  /** The longest calm between two faults. */
  readonly mostCalmMs: number;
  /** Nodes sync what they acknowledge. */
  readonly fsync: boolean;
}

export interface DrillOptions extends DrillSettings {
  /** Kept afterwards, with the history. Default: a temporary folder that goes when all was sound. */
  readonly data: string | undefined;
}

export const defaultSettings: DrillSettings = {
  end: { seconds: 60 },
  faults: families.flatMap((family) => kindsOf(family, families)),
  seed: 1,
  brokers: 3,
  rate: 600,
  sessionTimeoutMs: 3_000,
  partitions: 6,
  mostCalmMs: 1_500,
  fsync: false,
};

const MOST_MINUTES = 24 * 60;
const MOST_ROUNDS = 100_000;
const MOST_RATE = 100_000;
const LARGEST_SEED = 2 ** 32 - 1;

export const DRILL_HELP = `npm run drill -- [options]

  --minutes n          how long (default 1)
  --rounds n           so many faults instead of a time
  --faults a,b,...     ${families.join(', ')} (default all), or single kinds:
                       ${defaultSettings.faults.join(', ')}
  --seed n             the same seed makes the same plan of faults; it is printed
  --brokers n          1 or 3, each broker and controller (default 3)
  --rate n             records a second (default ${defaultSettings.rate})
  --session-timeout n  broker.session.timeout.ms (default ${defaultSettings.sessionTimeoutMs})
  --partitions n       of the topic (default ${defaultSettings.partitions})
  --fsync              nodes sync what they acknowledge
  --data folder        keep data, logs and the history there

Producers (idempotent, acks=all) and consumers (a group, and one on its own) run all the while. What they did and saw is
recorded and checked for lost writes, duplicates, wrong orders and the like. The last line is JSON; the exit code is 0 if
nothing was found, 1 if something was, 2 if the drill could not be made.
`;

export class DrillUsageError extends Error {
  override readonly name = 'DrillUsageError';
}

/** null: help was asked for. */
export function readDrillOptions(args: readonly string[], drawSeed: () => number): DrillOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      rounds: { type: 'string' },
      faults: { type: 'string' },
      seed: { type: 'string' },
      brokers: { type: 'string', default: '3' },
      rate: { type: 'string', default: String(defaultSettings.rate) },
      'session-timeout': { type: 'string', default: String(defaultSettings.sessionTimeoutMs) },
      partitions: { type: 'string', default: String(defaultSettings.partitions) },
      fsync: { type: 'boolean', default: false },
      data: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const brokers = number('brokers', values.brokers, 1, 3);
  if (brokers === 2) throw new DrillUsageError('--brokers 2: there are 1 and 3');
  return {
    end: endOf(values),
    faults: faultsOf(values.faults, brokers),
    seed: values.seed === undefined ? drawSeed() : number('seed', values.seed, 0, LARGEST_SEED),
    brokers,
    rate: number('rate', values.rate, 1, MOST_RATE),
    sessionTimeoutMs: number('session-timeout', values['session-timeout'], 500, 60_000),
    partitions: number('partitions', values.partitions, 1, 100),
    mostCalmMs: defaultSettings.mostCalmMs,
    fsync: values.fsync,
    data: values.data,
  };
}

function endOf(values: { readonly minutes?: string; readonly rounds?: string }): DrillSettings['end'] {
  if (values.rounds === undefined) {
    const minutes = Number(values.minutes ?? '1');
    if (minutes > 0 && minutes <= MOST_MINUTES) return { seconds: minutes * 60 };
    throw new DrillUsageError(`--minutes ${values.minutes}: a number up to ${MOST_MINUTES} is wanted`);
  }
  if (values.minutes !== undefined) throw new DrillUsageError('give --minutes or --rounds, not both');
  return { rounds: number('rounds', values.rounds, 1, MOST_ROUNDS) };
}

function faultsOf(text: string | undefined, brokers: number): readonly FaultKind[] {
  const possible = brokers === 1 ? familiesOfOneNode : families;
  const names = text === undefined ? possible : text.split(',');
  return names.flatMap((name) => {
    const kinds = kindsOf(name, possible);
    if (kinds.length > 0) return kinds;
    throw new DrillUsageError(`--faults ${name}: with ${brokers} broker(s) there are ${possible.join(', ')}`);
  });
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new DrillUsageError(`--${name} ${text}: a whole number from ${least} to ${most} is wanted`);
}
