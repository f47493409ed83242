import type { Redis } from 'ioredis';
import { seatKey } from './keys.ts';
import { seatLockError } from './seat-lock-error.ts';
import { parseSeatValue, type SeatState } from './seat-value.ts';

/** Seats asked for in one command: enough to make the round trip cheap, few enough not to hold Redis up. */
export const SEATS_PER_READ = 500;

export async function readSeatStates(redis: Redis, seatIds: readonly string[]): Promise<SeatState[]> {
  return (await readSeatValues(redis, seatIds)).map(parseSeatValue);
}

/** The raw values, null for a free seat; in the order of `seatIds`. */
export async function readSeatValues(redis: Redis, seatIds: readonly string[]): Promise<(string | null)[]> {
  const reads: Promise<(string | null)[]>[] = [];
  for (let from = 0; from < seatIds.length; from += SEATS_PER_READ) {
    reads.push(redis.mget(seatIds.slice(from, from + SEATS_PER_READ).map(seatKey)));
  }
  try {
    return (await Promise.all(reads)).flat();
  } catch (error) {
    throw seatLockError(error);
  }
}
