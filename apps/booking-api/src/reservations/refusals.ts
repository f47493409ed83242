/** What the buyer is told when the seat lock does not give the seats. */
import { BookingProblem } from '@seatlog/booking';
import type { AcquireResult } from '@seatlog/seat-lock';

type Granted = 'acquired' | 'resumed' | 'joined' | 'sold' | 'completed';
type Refused = Exclude<AcquireResult, { readonly kind: Granted }>;

export function refusalOf(result: Refused): BookingProblem {
  switch (result.kind) {
    case 'in-flight': {
      const retryAfterSeconds = Math.max(1, Math.ceil(result.retryAfterMs / 1000));
      return new BookingProblem('IDEMPOTENCY_IN_FLIGHT', undefined, { retryAfterSeconds });
    }
    case 'mismatch':
      return new BookingProblem('IDEMPOTENCY_MISMATCH');
    case 'warming':
      return new BookingProblem('SEAT_MAP_WARMING');
    case 'taken': {
      const named = result.seats.map((seat) => seat.seatId).join(', ');
      return new BookingProblem('SEAT_TAKEN', `Taken: ${named}`, { members: { seats: result.seats } });
    }
  }
}
