import { type EventToSeed, openDatabase, type SeededEvent, seedEvent } from '@seatlog/booking-database';

/** Needs the schema. Seats that are there already keep their state. */
export async function putOnSale(databaseUrl: string, event: EventToSeed): Promise<SeededEvent> {
  const database = openDatabase({ url: databaseUrl, applicationName: 'seatlog-seed' });
  try {
    return await seedEvent(database, event);
  } finally {
    await database.destroy();
  }
}
