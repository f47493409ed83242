/** What Redis says about each seat. */
import { eventIdOf } from '@seatlog/booking';
import { SeatLock } from '@seatlog/seat-lock';
import type { LockFact } from '../audit/facts.ts';

/** Nothing is locked here; the option only has to be there. */
const UNUSED_TTL_MS = 1_000;
/** An audit has time, and decodes a whole log meanwhile: answers may have to wait for their turn. */
const ANSWER_WITHIN_MS = 30_000;

export async function collectLocks(
  redisUrl: string,
  seatIds: readonly string[],
): Promise<readonly LockFact[]> {
  const locks = await SeatLock.connect({
    url: redisUrl,
    clientName: 'seatlog-audit',
    lockTtlMs: UNUSED_TTL_MS,
    commandTimeoutMs: ANSWER_WITHIN_MS,
  });
  try {
    const found: LockFact[] = [];
    for (const ofEvent of Map.groupBy(seatIds, eventIdOf).values()) {
      const states = await locks.readSeats(ofEvent);
      for (const [index, seat] of states.entries()) {
        const seatId = ofEvent[index];
        if (seatId === undefined || seat.state === 'FREE') continue;
        const reservationId = seat.state === 'SOLD' ? seat.reservationId : null;
        found.push({ seatId, state: seat.state, orderId: seat.orderId, reservationId });
      }
    }
    return found;
  } finally {
    await locks.close();
  }
}
