/**
 * Events and seats in memory: what can be bought, and for how much. The route that sells looks here and never asks the
 * database; the keeper brings it up to date in the background.
 */
import type { CatalogueEvent, CatalogueSeat } from '@seatlog/booking-database';

export interface EventEntry {
  readonly event: CatalogueEvent;
  /** By section, row and number. */
  readonly seats: readonly CatalogueSeat[];
  readonly priceOf: ReadonlyMap<string, number>;
}

export class Catalogue {
  #entries: ReadonlyMap<string, EventEntry> = new Map();
  #loaded = false;

  /** False until the database has been read once: then nothing is known about any event. */
  get isLoaded(): boolean {
    return this.#loaded;
  }

  /** By their beginning, soonest first. */
  get events(): readonly EventEntry[] {
    return [...this.#entries.values()];
  }

  find(eventId: string): EventEntry | undefined {
    return this.#entries.get(eventId);
  }

  replace(entries: readonly EventEntry[]): void {
    this.#entries = new Map(entries.map((entry) => [entry.event.eventId, entry]));
    this.#loaded = true;
  }
}

export function entryOf(event: CatalogueEvent, seats: readonly CatalogueSeat[]): EventEntry {
  return { event, seats, priceOf: new Map(seats.map((seat) => [seat.seatId, seat.price])) };
}
