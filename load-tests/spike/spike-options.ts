/** What a spike is asked for: the command line, checked, with every refusal saying what would do. Pure but for the seed. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PARTITIONS } from '@seatlog/ticketing-setup';
import { CommandError } from '../demo/command-error.ts';
import { arrivalSchedule, type Profile, profiles } from './arrival-schedule.ts';
import { type Kill, readKill } from './kills.ts';
import { defaultMix, type Mix, readMix } from './mix.ts';

export const acksChoices = ['all', '1', '0'] as const;
export type Acks = (typeof acksChoices)[number];

export interface SpikeSettings {
  /** Arrivals a second. */
  readonly rate: number;
  readonly seconds: number;
  readonly profile: Profile;
  readonly partitions: number;
  readonly acks: Acks;
  /** Of our own, each broker and controller: 1, or 3 that replicate everything. */
  readonly brokers: number;
  readonly workers: number;
  readonly seats: number;
  readonly mix: Mix;
  /** Requests under way at one time, at most. */
  readonly connections: number;
  /** False: each request comes on a connection of its own, as those of a crowd do. */
  readonly keepAlive: boolean;
  /** Before the measurement, at a fifth of the rate; 0 measures cold processes. */
  readonly warmUpSeconds: number;
  readonly seed: number;
  /** The broker syncs what it acknowledges, instead of leaving it to the page cache. */
  readonly fsync: boolean;
  readonly kills: readonly Kill[];
}

export interface SpikeOptions extends SpikeSettings {
  readonly dataDirectory?: string;
  readonly resultsDirectory?: string;
  /** Compile the apps first. */
  readonly build: boolean;
}

/** The generator and the audit keep every order in memory. */
export const MOST_ARRIVALS = 300_000;
export const LEAST_SEATS = 20_000;
const MOST_SEATS = 200_000;
const MOST_PARTITIONS = 512;
const MOST_WORKERS = 64;
const MOST_CONNECTIONS = 4_096;
const MOST_SECONDS = 3_600;
const MOST_RATE = 50_000;
const WARM_UP_SHARE = 0.2;
/** More than are wished for: a house that is not sold out shows no refusals of its own making. */
const SPARE_SEATS = 1.05;

export const SPIKE_HELP = `npm run load -- spike --rate n --seconds n [options]

  --rate n          arrivals a second, by the clock
  --seconds n       for how long
  --profile name    constant, or spike: from 0 to the rate within the first second (default constant)
  --partitions n    of reservation-events (default ${PARTITIONS})
  --acks all|1|0    what the booking API waits for when it publishes (default all)
  --brokers n       1, or 3 that replicate everything (default 1)
  --workers n       processes of the reservation worker (default 1)
  --seats n         of the hall (default: as many as are wished for, at least ${LEAST_SEATS})
  --mix shares      pairs=${defaultMix.pairs},popular=${defaultMix.popular},declined=${defaultMix.declined}: buyers of two seats, of one of 20 popular seats, with bad cards
  --connections n   requests under way at most (default 512)
  --no-keep-alive   a connection for each request, as of a crowd that comes to buy once
  --warm-up n       seconds at a fifth of the rate before the measurement (default 5)
  --seed n          the same seed makes the same wishes
  --fsync           the broker syncs to disk before it acknowledges
  --kill name@n     kills that process in second n, and starts it again; may be given several times
  --data directory  for the run's data; it is wiped (default .data/spike)
  --results dir     where the result is kept (default load-tests/results)
  --no-build        use the apps as they were built last

An arrival that could not be started within a second of its moment is dropped and counted. Latencies count from the moment
for which a request was scheduled. The exit code is that of the audit: 0 sound, 1 something was found, 2 not made.
DATABASE_URL, REDIS_URL and BROKERS, where given, are used instead of servers of its own.
`;

/** null: help was asked for. */
export function readSpikeOptions(args: readonly string[], drawSeed: () => number): SpikeOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string' },
      seconds: { type: 'string' },
      profile: { type: 'string', default: 'constant' },
      partitions: { type: 'string', default: String(PARTITIONS) },
      acks: { type: 'string', default: 'all' },
      brokers: { type: 'string', default: '1' },
      workers: { type: 'string', default: '1' },
      seats: { type: 'string' },
      mix: { type: 'string' },
      connections: { type: 'string', default: '512' },
      'keep-alive': { type: 'boolean', default: true },
      'warm-up': { type: 'string', default: '5' },
      seed: { type: 'string' },
      fsync: { type: 'boolean', default: false },
      kill: { type: 'string', multiple: true, default: [] },
      data: { type: 'string' },
      results: { type: 'string' },
      build: { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowNegative: true,
  });
  if (values.help) return null;
  const load = {
    rate: whole('rate', values.rate, 1, MOST_RATE),
    seconds: whole('seconds', values.seconds, 1, MOST_SECONDS),
    profile: oneOf('profile', values.profile, profiles),
    warmUpSeconds: whole('warm-up', values['warm-up'], 0, MOST_SECONDS),
    mix: values.mix === undefined ? defaultMix : readMix(values.mix),
  };
  const arrivals = arrivalsOf(load);
  if (arrivals > MOST_ARRIVALS) {
    throw new CommandError(
      `${load.rate} a second for ${load.seconds} s are ${arrivals} arrivals with the warm-up; at most ${MOST_ARRIVALS} can be audited. Ask for a lower --rate or fewer --seconds.`,
    );
  }
  const seatsWished = Math.ceil(arrivals * (1 + load.mix.pairs) * SPARE_SEATS);
  return {
    ...load,
    partitions: whole('partitions', values.partitions, 1, MOST_PARTITIONS),
    acks: oneOf('acks', values.acks, acksChoices),
    brokers: Number(oneOf('brokers', values.brokers, ['1', '3'])),
    workers: whole('workers', values.workers, 1, MOST_WORKERS),
    seats:
      values.seats === undefined
        ? Math.min(MOST_SEATS, Math.max(LEAST_SEATS, seatsWished))
        : whole('seats', values.seats, 1, MOST_SEATS),
    connections: whole('connections', values.connections, 1, MOST_CONNECTIONS),
    keepAlive: values['keep-alive'],
    seed: values.seed === undefined ? drawSeed() : whole('seed', values.seed, 0, 2 ** 32 - 1),
    fsync: values.fsync,
    kills: values.kill.map((text) => readKill(text, load.seconds)),
    build: values.build,
    ...(values.data === undefined ? {} : { dataDirectory: resolve(values.data) }),
    ...(values.results === undefined ? {} : { resultsDirectory: resolve(values.results) }),
  };
}

/** Of the time before the measurement. */
export function warmUpRate({ rate }: Pick<SpikeSettings, 'rate'>): number {
  return Math.max(1, Math.round(rate * WARM_UP_SHARE));
}

/** Measured or not. */
export function arrivalsOf(
  settings: Pick<SpikeSettings, 'rate' | 'seconds' | 'profile' | 'warmUpSeconds'>,
): number {
  const { rate, seconds, profile, warmUpSeconds } = settings;
  return arrivalSchedule(profile, rate, seconds).count + warmUpRate(settings) * warmUpSeconds;
}

function whole(name: string, text: string | undefined, least: number, most: number): number {
  if (text === undefined)
    throw new CommandError(`--${name} is missing. npm run load -- spike --help tells all.`);
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new CommandError(`--${name} ${text}: a whole number from ${least} to ${most} is wanted`);
}

function oneOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new CommandError(`--${name} ${text}: there are ${choices.join(', ')}`);
}
