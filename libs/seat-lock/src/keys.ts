/** Names of keys. All keys of an event share its hash tag, so that one script may touch them on a Redis cluster. */
import { eventIdOf, seatLabelOf } from '@seatlog/booking';

export function seatKey(seatId: string): string {
  return `seatlog:{${eventIdOf(seatId)}}:seat:${seatLabelOf(seatId)}`;
}

/** Hash: seat label to the highest epoch given out; and whether the seats of the event are known here at all. */
export function epochsKey(eventId: string): string {
  return `seatlog:{${eventId}}:epochs`;
}

/** Field of the epochs hash; no seat label looks like it. */
export const READY_FIELD = '#ready';

// A user id holds no colon, so that two pairs never give one key.
export function requestKey(eventId: string, userId: string, idempotencyKey: string): string {
  return `seatlog:{${eventId}}:request:${userId}:${idempotencyKey}`;
}
