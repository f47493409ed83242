/** Where the catalogue is read from. */
import {
  readEvents,
  readLiveReservations,
  readSeats,
  type BookingDatabase,
  type CatalogueEvent,
  type CatalogueSeat,
  type LiveReservation,
} from '@seatlog/booking-database';

export abstract class CatalogueSource {
  abstract readEvents(): Promise<readonly CatalogueEvent[]>;
  abstract readSeats(eventId: string): Promise<readonly CatalogueSeat[]>;
  /** What is sold, by all that is committed when it is called. */
  abstract readSold(eventId: string): Promise<readonly LiveReservation[]>;
}

export class DatabaseCatalogueSource extends CatalogueSource {
  readonly #database: BookingDatabase;

  constructor(database: BookingDatabase) {
    super();
    this.#database = database;
  }

  readEvents(): Promise<readonly CatalogueEvent[]> {
    return readEvents(this.#database);
  }

  readSeats(eventId: string): Promise<readonly CatalogueSeat[]> {
    return readSeats(this.#database, eventId);
  }

  readSold(eventId: string): Promise<readonly LiveReservation[]> {
    return readLiveReservations(this.#database, eventId);
  }
}
