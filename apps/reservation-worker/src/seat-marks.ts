/**
 * Tells the seat lock what the database decided. Redis only filters, so the worker does not wait for it: what could not be
 * told is remembered, told once Redis answers again, and its events are compared with the database after that.
 *
 * The comparison alone would not do: it leaves held seats alone, since their orders may be under way, and so a seat whose
 * order came and ended while Redis was away would stay held until its lock ran out.
 */
import { eventIdOf, type SeatSettlement } from '@seatlog/booking';
import { readLiveReservations, readSeats, type BookingDatabase } from '@seatlog/booking-database';
import type { Logger } from '@seatlog/observability';
import type { SeatLock } from '@seatlog/seat-lock';
import type { SeatMarks } from './ports.ts';

/** Past this many the oldest are forgotten: their seats are free again when their locks run out. */
export const MOST_MISSED = 10_000;
const TOLD_AT_ONCE = 200;

export class RedisSeatMarks implements SeatMarks {
  readonly #seatLock: Pick<SeatLock, 'settle' | 'reconcile'>;
  readonly #database: BookingDatabase;
  readonly #logger: Logger;
  /** Bounded by the number of events on sale. */
  readonly #behind = new Set<string>();
  /** What could not be told: the last of each reservation. */
  readonly #missed = new Map<string, SeatSettlement>();

  constructor(seatLock: Pick<SeatLock, 'settle' | 'reconcile'>, database: BookingDatabase, logger: Logger) {
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
      this.#remember(settlements);
      this.#logger.warn(
        { error, events: [...this.#behind] },
        'the seat lock is away; its marks are made good later',
      );
    }
  }

  /** Brings every event that is behind in line with the database. Resolves too if Redis is still away. */
  async catchUp(): Promise<void> {
    try {
      await this.#tellMissed();
    } catch (error) {
      this.#logger.warn({ error, missed: this.#missed.size }, 'the seat lock is still away');
      return;
    }
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

  #remember(settlements: readonly SeatSettlement[]): void {
    for (const settlement of settlements) {
      const { seatId, reservationId } = settlement;
      this.#behind.add(eventIdOf(seatId));
      this.#missed.delete(reservationId);
      this.#missed.set(reservationId, settlement);
    }
    for (const oldest of this.#missed.keys()) {
      if (this.#missed.size <= MOST_MISSED) return;
      this.#missed.delete(oldest);
    }
  }

  /** Telling them again, or late, does no harm: each is about one reservation, and the seat lock knows whose a seat is. */
  async #tellMissed(): Promise<void> {
    while (this.#missed.size > 0) {
      const part = [...this.#missed.values()].slice(0, TOLD_AT_ONCE);
      await this.#seatLock.settle(part);
      for (const settlement of part) {
        const { reservationId } = settlement;
        // A later one of that reservation may have been missed meanwhile.
        if (this.#missed.get(reservationId) === settlement) this.#missed.delete(reservationId);
      }
    }
  }
}
