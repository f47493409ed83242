/** An event with its seats, in two statements however many seats there are. Seeding it again adds what is missing. */
import { eventIdSchema } from '@seatlog/booking';
import { sql } from 'kysely';
import type { BookingDatabase } from '../database.ts';
import { inTransaction } from '../transaction.ts';

export interface SectionToSeed {
  /** Letters and digits. */
  readonly name: string;
  readonly rows: number;
  readonly seatsPerRow: number;
  /** In minor units. */
  readonly price: number;
}

export interface EventToSeed {
  readonly eventId: string;
  readonly name: string;
  readonly startsAt: Date;
  readonly currency: string;
  readonly sections: readonly SectionToSeed[];
}

export interface SeededEvent {
  readonly insertedSeats: number;
  readonly seats: number;
}

export async function seedEvent(database: BookingDatabase, event: EventToSeed): Promise<SeededEvent> {
  eventIdSchema.parse(event.eventId);
  const { sections } = event;
  return inTransaction(database, async (transaction) => {
    await sql`
      INSERT INTO events (id, name, starts_at, currency)
      VALUES (${event.eventId}, ${event.name}, ${event.startsAt}, ${event.currency})
      ON CONFLICT (id) DO UPDATE SET
        name = excluded.name, starts_at = excluded.starts_at, revision = events.revision + 1`.execute(
      transaction,
    );
    const inserted = await sql`
      INSERT INTO seats (id, event_id, section, row_name, number, price)
      SELECT ${event.eventId} || ':' || section || '-' || row_number || '-' || seat_number,
             ${event.eventId}, section, row_number::text, seat_number, price
      FROM unnest(
        ${sections.map((section) => section.name)}::text[],
        ${sections.map((section) => section.rows)}::integer[],
        ${sections.map((section) => section.seatsPerRow)}::integer[],
        ${sections.map((section) => section.price)}::integer[]
      ) AS section_to_seed (section, row_count, seats_per_row, price)
      CROSS JOIN LATERAL generate_series(1, row_count) AS row_number
      CROSS JOIN LATERAL generate_series(1, seats_per_row) AS seat_number
      ON CONFLICT (id) DO NOTHING`.execute(transaction);
    const { seats } = await transaction
      .selectFrom('seats')
      .select((builder) => builder.fn.countAll<number>().as('seats'))
      .where('event_id', '=', event.eventId)
      .executeTakeFirstOrThrow();
    return { insertedSeats: Number(inserted.numAffectedRows ?? 0n), seats };
  });
}
