/**
 * Redis follows the database. The order of reading makes this safe while seats are sold and given back:
 *
 * 1. read what is sold here; 2. ask the database; 3. repair.
 *
 * A seat becomes sold here only after the database has committed it. So what is sold here in 1 and not in the database in 2
 * was given back, and is freed if its value has not changed since. The other way round, a seat that was given back after 2
 * may be made sold in 3 by mistake; the next run finds that, and frees it.
 *
 * An event that is on sale has few differences and many seats, so only differences are repaired then. Should Redis lose
 * everything meanwhile, the event is no longer open, this run does not open it again, and the next one repairs all.
 */
import { seatLabelOf } from '@seatlog/booking';
import type { Redis } from 'ioredis';
import { epochsKey, READY_FIELD, seatKey } from './keys.ts';
import { runScript } from './redis-scripts.ts';
import { seatLockError } from './seat-lock-error.ts';
import { readSeatValues } from './seat-states.ts';
import { parseSeatValue } from './seat-value.ts';
import type { ReconcileReport, SoldSeat } from './types.ts';

const SEATS_PER_REPAIR = 200;

export async function reconcile(
  redis: Redis,
  eventId: string,
  seatIds: readonly string[],
  readSold: () => Promise<readonly SoldSeat[]>,
): Promise<ReconcileReport> {
  const wasOpen = await isOpenForSale(redis, eventId);
  const values = await readSeatValues(redis, seatIds);
  const sold = await readSold();
  const soldInDatabase = new Set(sold.map((seat) => seat.reservationId));
  const soldHere = new Set<string>();
  const stale = seatIds.flatMap((seatId, index) => {
    const value = values[index] ?? null;
    const state = parseSeatValue(value);
    if (value === null || state.state !== 'SOLD') return [];
    soldHere.add(state.reservationId);
    return soldInDatabase.has(state.reservationId) ? [] : [{ key: seatKey(seatId), value }];
  });
  const missing = wasOpen ? sold.filter((seat) => !soldHere.has(seat.reservationId)) : sold;

  const cleared = await repair(stale, (part) =>
    runScript(
      redis,
      'clear-sold',
      part.map((seat) => seat.key),
      part.map((seat) => seat.value),
    ),
  );
  const restored = await repair(missing, (part) =>
    runScript(
      redis,
      'restore-sold',
      [epochsKey(eventId), ...part.map((seat) => seatKey(seat.seatId))],
      part.flatMap((seat) => [seatLabelOf(seat.seatId), seat.epoch, seat.orderId, seat.reservationId]),
    ),
  );
  if (!wasOpen) await openForSale(redis, eventId);
  return { restored, cleared, sold: sold.length };
}

async function repair<T>(
  items: readonly T[],
  run: (part: readonly T[]) => Promise<unknown>,
): Promise<number> {
  let changed = 0;
  for (let from = 0; from < items.length; from += SEATS_PER_REPAIR) {
    changed += Number(await run(items.slice(from, from + SEATS_PER_REPAIR)));
  }
  return changed;
}

/** Whether the seats of an event are known here. A Redis that lost its data knows none. */
export async function isOpenForSale(redis: Redis, eventId: string): Promise<boolean> {
  try {
    return (await redis.hexists(epochsKey(eventId), READY_FIELD)) === 1;
  } catch (error) {
    throw seatLockError(error);
  }
}

async function openForSale(redis: Redis, eventId: string): Promise<void> {
  try {
    await redis.hset(epochsKey(eventId), READY_FIELD, '1');
  } catch (error) {
    throw seatLockError(error);
  }
}
