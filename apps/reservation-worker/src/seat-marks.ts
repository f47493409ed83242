/**
 * Tells the seat lock what the database decided. Redis only filters, so the worker does not wait for it: what could not be
 * told is remembered by event, and the events are reconciled with the database as soon as Redis answers again.
 */
import { eventIdOf, type SeatSettlement } from '@seatlog/booking';
import { readLiveReservations, readSeats, type BookingDatabase } from '@seatlog/booking-database';
import type { Logger } from '@seatlog/observability';
import type { SeatLock } from '@seatlog/seat-lock';
import type { SeatMarks } from './ports.ts';

export class RedisSeatMarks implements SeatMarks {
  readonly #seatLock: SeatLock;
  readonly #database: BookingDatabase;
  readonly #logger: Logger;
  /** Bounded by the number of events on sale. */
  readonly #behind = new Set<string>();

  constructor(seatLock: SeatLock, database: BookingDatabase, logger: Logger) {
    this.#seatLock = seatLock;
    this.#database = database;
    this.#logger = logger;
  }

  /** Events whose marks are behind the database. */
  get behind(): number {
    return this.#behind.size;
  }

  async settle(settlements: readonly SeatSettlement[]): Promise<void> {
    try {
      const results = await this.#seatLock.settle(settlements);
      for (const [index, result] of results.entries()) {
        if (result !== 'superseded') continue;
        const { seatId, reservationId } = settlements[index] ?? {};
        this.#logger.warn(
          { seatId, reservationId },
          'the seat has been locked anew since; the database will refuse one of the two',
        );
      }
    } catch (error) {
      for (const { seatId } of settlements) this.#behind.add(eventIdOf(seatId));
      this.#logger.warn(
        { error, events: [...this.#behind] },
        'the seat lock is away; its marks are made good later',
      );
    }
  }

  /** Brings every event that is behind in line with the database. Resolves too if Redis is still away. */
  async catchUp(): Promise<void> {
    for (const eventId of this.#behind) {
      try {
        const seats = await readSeats(this.#database, eventId);
        const report = await this.#seatLock.reconcile(
          eventId,
          seats.map((seat) => seat.seatId),
          () => readLiveReservations(this.#database, eventId),
        );
        this.#behind.delete(eventId);
        this.#logger.info({ eventId, ...report }, 'seat marks reconciled with the database');
      } catch (error) {
        this.#logger.warn({ error, eventId }, 'seat marks could not be reconciled');
        return;
      }
    }
  }
}
