/**
 * The seats of an event with their states, from the database (sold) and the seat lock (held, sold). Many buyers look at the
 * same list at once: it is put together once, kept for a moment as the text that is sent, and whoever asks meanwhile waits
 * for the same one. If one of the two sources is away the other one answers alone, and the list says so.
 */
import { BookingProblem } from '@seatlog/booking';
import type { LiveReservation } from '@seatlog/booking-database';
import type { SeatLock, SeatState } from '@seatlog/seat-lock';
import type { EventEntry } from './catalogue.ts';
import type { CatalogueSource } from './catalogue-source.ts';

export interface SeatListOptions {
  readonly source: Pick<CatalogueSource, 'readSold'>;
  readonly seatLock: Pick<SeatLock, 'readSeats'>;
  /** How old a list may be that is given out. */
  readonly cacheMs: number;
  readonly monotonic: () => number;
}

interface KeptList {
  readonly revision: number;
  readonly madeAt: number;
  readonly text: Promise<string>;
}

export class SeatLists {
  readonly #options: SeatListOptions;
  readonly #kept = new Map<string, KeptList>();

  constructor(options: SeatListOptions) {
    this.#options = options;
  }

  /** As JSON text. */
  read(entry: EventEntry): Promise<string> {
    const { eventId, revision } = entry.event;
    const now = this.#options.monotonic();
    const kept = this.#kept.get(eventId);
    if (kept !== undefined && kept.revision === revision && now - kept.madeAt < this.#options.cacheMs) {
      return kept.text;
    }
    const text = this.#make(entry);
    this.#kept.set(eventId, { revision, madeAt: now, text });
    text.catch(() => this.#kept.delete(eventId));
    return text;
  }

  async #make({ event, seats }: EventEntry): Promise<string> {
    const seatIds = seats.map((seat) => seat.seatId);
    const [sold, locks] = await Promise.allSettled([
      this.#options.source.readSold(event.eventId),
      this.#options.seatLock.readSeats(seatIds),
    ]);
    if (sold.status === 'rejected' && locks.status === 'rejected') {
      throw new BookingProblem('STATUS_UNAVAILABLE', undefined, { cause: sold.reason });
    }
    const soldSeats = sold.status === 'fulfilled' ? seatsOf(sold.value) : new Set<string>();
    const states = locks.status === 'fulfilled' ? locks.value : [];
    return JSON.stringify({
      eventId: event.eventId,
      currency: event.currency,
      sources: { database: sold.status === 'fulfilled', seatLock: locks.status === 'fulfilled' },
      seats: seats.map((seat, index) => ({
        ...seat,
        state: stateOf(soldSeats.has(seat.seatId), states[index]),
      })),
    });
  }
}

function seatsOf(reservations: readonly LiveReservation[]): ReadonlySet<string> {
  return new Set(reservations.map((reservation) => reservation.seatId));
}

function stateOf(isSold: boolean, lock: SeatState | undefined): SeatState['state'] {
  return isSold ? 'SOLD' : (lock?.state ?? 'FREE');
}
