/** The reply of lua/acquire.lua, as a result. */
import { eventIdOf } from '@seatlog/booking';
import type { AcquireResult, Attempt, TakenSeat } from './types.ts';

interface AcquireContext {
  readonly seatIds: readonly string[];
  readonly claim: string;
  readonly requestKey: string;
}

export function parseAcquireReply(reply: unknown, context: AcquireContext): AcquireResult {
  if (!Array.isArray(reply)) throw new TypeError('the acquire script gave no list');
  const [kind = '', ...rest] = reply.map(String);
  switch (kind) {
    case 'acquired':
    case 'resumed':
    case 'joined':
    case 'sold':
      return { kind, attempt: attemptOf(rest, context) };
    case 'completed':
      return { kind, response: rest[0] ?? '' };
    case 'in-flight':
      return { kind, retryAfterMs: Number(rest[0]) };
    case 'mismatch':
    case 'warming':
      return { kind };
    case 'taken':
      return { kind, seats: takenSeats(rest, eventIdOf(context.seatIds[0] ?? '')) };
    default:
      throw new TypeError(`the acquire script gave "${kind}"`);
  }
}

function attemptOf(rest: readonly string[], context: AcquireContext): Attempt {
  const [orderId = '', token = '', lockedUntil, ...epochs] = rest;
  const { claim, requestKey } = context;
  const seats = context.seatIds.map((seatId, index) => ({ seatId, epoch: Number(epochs[index]) }));
  return { orderId, token, claim, seats, lockedUntil: Number(lockedUntil), requestKey };
}

function takenSeats(rest: readonly string[], eventId: string): TakenSeat[] {
  const seats: TakenSeat[] = [];
  for (let index = 0; index + 1 < rest.length; index += 2) {
    const mark = rest[index + 1];
    const state = mark === 'S' ? 'SOLD' : 'HELD';
    seats.push({ seatId: `${eventId}:${rest[index]}`, state, heldByYou: mark === 'Y' });
  }
  return seats;
}
