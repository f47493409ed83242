/**
 * Which rounds are played. Without anything in the environment: those of CI, in which every victim is killed. Else
 * `CRASH_ROUNDS=N` for so many, drawn from `CRASH_SEED` (a random one if it is not given), and `CRASH_VICTIM` and
 * `CRASH_POINT` to settle what is otherwise drawn. A seed, a victim and a point are one round, played again.
 */
import { SeededChoices } from '../../load-tests/smoke/random.ts';
import { type CrashPoint, crashPoints } from './crash-points.ts';
import { type Victim, victims } from './victims.ts';

export interface CrashRound {
  /** Of the sale. */
  readonly seed: number;
  readonly victim: Victim;
  readonly point: CrashPoint;
}

export const roundsOfCi: readonly CrashRound[] = [
  { seed: 1, victim: 'broker', point: 'in the middle of the fights' },
  { seed: 2, victim: 'reservation-worker', point: 'while the worker is behind' },
  { seed: 3, victim: 'booking-api', point: 'after the first 202' },
  { seed: 4, victim: 'outbox-relay', point: 'right after an outbox claim' },
  { seed: 5, victim: 'refund-notifier', point: 'while draining' },
  { seed: 6, victim: 'redis', point: 'in the middle of the fights' },
  { seed: 7, victim: 'redis-emptied', point: 'while cancellations are under way' },
  { seed: 8, victim: 'postgres', point: 'while the worker is behind' },
  { seed: 9, victim: 'broker', point: 'while cancellations are under way' },
  { seed: 10, victim: 'reservation-worker', point: 'between rows and their offset' },
];

export interface RoundsWanted {
  readonly CRASH_ROUNDS?: string | undefined;
  readonly CRASH_SEED?: string | undefined;
  readonly CRASH_VICTIM?: string | undefined;
  readonly CRASH_POINT?: string | undefined;
}

export function roundsFor(wanted: RoundsWanted, anySeed: () => number): readonly CrashRound[] {
  if (Object.values(wanted).every((value) => value === undefined)) return roundsOfCi;
  const count = wholeNumber('CRASH_ROUNDS', wanted.CRASH_ROUNDS ?? '1');
  const first = wanted.CRASH_SEED === undefined ? anySeed() : wholeNumber('CRASH_SEED', wanted.CRASH_SEED);
  const possible = {
    victims:
      wanted.CRASH_VICTIM === undefined ? victims : [oneOf('CRASH_VICTIM', wanted.CRASH_VICTIM, victims)],
    points:
      wanted.CRASH_POINT === undefined
        ? crashPoints
        : [oneOf('CRASH_POINT', wanted.CRASH_POINT, crashPoints)],
  };
  const choices = new SeededChoices(first);
  const turns = <T>(all: readonly T[]): (() => T) => {
    let left: T[] = [];
    return () => {
      if (left.length === 0) left = choices.shuffled(all);
      return left.pop() as T;
    };
  };
  // Each victim has its turn before one comes again; so do the points.
  const nextVictim = turns(possible.victims);
  const nextPoint = turns(possible.points);
  return Array.from({ length: count }, (_, index) => ({
    seed: first + index,
    victim: nextVictim(),
    point: nextPoint(),
  }));
}

/** The environment that plays a round again. */
export function replayOf({ seed, victim, point }: CrashRound): string {
  return `CRASH_SEED=${seed} CRASH_VICTIM=${victim} CRASH_POINT='${point}'`;
}

function oneOf<T extends string>(name: string, value: string, all: readonly T[]): T {
  const found = all.find((one) => one === value);
  if (found === undefined) throw new Error(`${name} is "${value}"; it is one of: ${all.join(', ')}`);
  return found;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`${name} is "${text}", not a number from 1 on`);
  return value;
}
