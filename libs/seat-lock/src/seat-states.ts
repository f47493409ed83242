import type { Redis } from 'ioredis';
import { seatKey } from './keys.ts';
import { seatLockError } from './seat-lock-error.ts';
import { parseSeatValue, type SeatState } from './seat-value.ts';

/** Seats asked for in one command: enough to make the round trip cheap, few enough not to hold Redis up. */
export const SEATS_PER_READ = 500;

export async function readSeatStates(redis: Redis, seatIds: readonly string[]): Promise<SeatState[]> {
  return (await readSeatValues(redis, seatIds)).map(parseSeatValue);
}

/**
 * The raw values, null for a free seat; in the order of `seatIds`. One part after the other, so that in a large hall the
 * commands of buyers come in between instead of waiting for all of it.
 */
export async function readSeatValues(redis: Redis, seatIds: readonly string[]): Promise<(string | null)[]> {
  const values: (string | null)[] = [];
  try {
    for (let from = 0; from < seatIds.length; from += SEATS_PER_READ) {
      values.push(...(await redis.mget(seatIds.slice(from, from + SEATS_PER_READ).map(seatKey))));
    }
  } catch (error) {
    throw seatLockError(error);
  }
  return values;
}
