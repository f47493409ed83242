/** A real PostgreSQL for a test file, with one event in it; and events made short. */
import {
  reservationCancelledEvents,
  reservationCreatedEvents,
  orderIdOf,
  type PlacedOrder,
  type ReservationEvent,
} from '@seatlog/booking';
import { testServices } from '@seatlog/local-stack';
import { sql } from 'kysely';
import { openDatabase, type BookingDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { applyReservationEvents, type AppliedEvents } from '../statements/apply-reservation-events.ts';
import { seedEvent } from '../statements/seed-event.ts';

export const EVENT = 'gala';
export const NOW = 1_800_000_000_000;
/** Each seat costs this much. */
export const PRICE = 4500;

export interface DatabaseFixture extends AsyncDisposable {
  readonly database: BookingDatabase;
  readonly url: string;
  /** Empties what is about sales; the event stays. */
  reset(): Promise<void>;
  apply(...events: readonly ReservationEvent[]): Promise<AppliedEvents>;
}

export async function databaseFixture(): Promise<DatabaseFixture> {
  const services = await testServices({
    template: {
      name: 'booking-database',
      prepare: async (url) => {
        await migrate(url);
      },
    },
  });
  const database = openDatabase({ url: services.databaseUrl, applicationName: 'test', poolSize: 8 });
  await seedEvent(database, {
    eventId: EVENT,
    name: 'Spring Gala',
    startsAt: new Date(NOW),
    currency: 'EUR',
    sections: [{ name: 'A', rows: 10, seatsPerRow: 50, price: PRICE }],
  });
  return {
    database,
    url: services.databaseUrl,
    async reset() {
      await sql`TRUNCATE orders, reservations, outbox, inbox, refunds, parked_records`.execute(database);
    },
    apply: (...events) =>
      applyReservationEvents(
        database,
        events.map((event, offset) => ({ event, source: { partition: 0, offset } })),
        { now: NOW },
      ),
    async [Symbol.asyncDispose]() {
      await database.destroy();
      await services.stop();
    },
  };
}

export function seat(number: number): string {
  return `${EVENT}:A-${Math.floor((number - 1) / 50) + 1}-${((number - 1) % 50) + 1}`;
}

/** An order of these seats, all under the same epoch. */
export function orderOf(userId: string, epoch: number, ...numbers: readonly number[]): PlacedOrder {
  const seats = numbers.map((number) => ({ seatId: seat(number), epoch, amount: PRICE }));
  const idempotencyKey = `${epoch}-${numbers.join('-')}`;
  const orderId = orderIdOf({ userId, eventId: EVENT, idempotencyKey });
  return { orderId, eventId: EVENT, userId, currency: 'EUR', seats };
}

export function created(order: PlacedOrder): ReservationEvent[] {
  const payment = { paymentReference: `pay-${order.userId}`, lockedUntil: NOW + 60_000, occurredAt: NOW };
  return reservationCreatedEvents(order, payment);
}

export function cancelled(order: PlacedOrder): ReservationEvent[] {
  return reservationCancelledEvents(order, NOW + 1000);
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the awaited condition did not come within 60 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
