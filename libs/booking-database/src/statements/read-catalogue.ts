/** What can be bought: events, their seats, and which of them are sold. */
import type { BookingDatabase } from '../database.ts';

export interface CatalogueEvent {
  readonly eventId: string;
  readonly name: string;
  readonly startsAt: Date;
  readonly currency: string;
  /** Rises with every change of the event or its seats. */
  readonly revision: number;
}

export interface CatalogueSeat {
  readonly seatId: string;
  readonly section: string;
  readonly row: string;
  readonly number: number;
  readonly price: number;
}

/** A seat that is sold, and to which reservation. */
export interface LiveReservation {
  readonly seatId: string;
  readonly orderId: string;
  readonly reservationId: string;
  readonly epoch: number;
}

/** By their beginning, soonest first. */
export async function readEvents(database: BookingDatabase): Promise<CatalogueEvent[]> {
  const rows = await database
    .selectFrom('events')
    .select(['id as eventId', 'name', 'starts_at as startsAt', 'currency', 'revision'])
    .orderBy('starts_at')
    .orderBy('id')
    .execute();
  return rows;
}

/** By section, row and number. */
export async function readSeats(database: BookingDatabase, eventId: string): Promise<CatalogueSeat[]> {
  return (
    database
      .selectFrom('seats')
      .select(['id as seatId', 'section', 'row_name as row', 'number', 'price'])
      .where('event_id', '=', eventId)
      .orderBy('section')
      // Rows are mostly numbers: 2 comes before 10.
      .orderBy((builder) => builder.fn('length', ['row_name']))
      .orderBy('row_name')
      .orderBy('number')
      .execute()
  );
}

export async function readLiveReservations(
  database: BookingDatabase,
  eventId: string,
): Promise<LiveReservation[]> {
  return database
    .selectFrom('reservations')
    .innerJoin('seats', 'seats.id', 'reservations.seat_id')
    .select([
      'reservations.seat_id as seatId',
      'reservations.order_id as orderId',
      'reservations.id as reservationId',
      'reservations.epoch',
    ])
    .where('seats.event_id', '=', eventId)
    .where('reservations.status', '=', 'CONFIRMED')
    .execute();
}
