import {
  orderIdOf,
  type PlacedOrder,
  reservationCancelledEvents,
  reservationCreatedEvents,
  type ReservationEvent,
  type SeatSettlement,
} from '@seatlog/booking';
import { applyReservationEvents, migrate, openDatabase, seedEvent } from '@seatlog/booking-database';
import { testServices } from '@seatlog/local-stack';
import { createLogger } from '@seatlog/observability';
import { SeatLock } from '@seatlog/seat-lock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOST_MISSED, RedisSeatMarks } from './seat-marks.ts';

const EVENT = 'gala';
const NOW = 1_800_000_000_000;
const seatId = (number: number): string => `${EVENT}:A-1-${number}`;
const logger = createLogger({ service: 'test', level: 'silent' });

describe('seat marks while Redis is away', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it('F62: a seat whose order came and ended meanwhile is free again, and one that was sold is sold', async () => {
    const { marks, lock } = world;
    const [brief, lasting] = [await world.hold('ann', 1), await world.hold('bob', 2)];
    world.away = true;
    await marks.settle(await world.apply(created(brief)));
    await marks.settle(await world.apply(created(lasting)));
    await marks.settle(await world.apply(reservationCancelledEvents(brief, NOW)));
    await marks.catchUp();
    expect((await lock.readSeats([seatId(1), seatId(2)])).map(({ state }) => state)).toEqual([
      'HELD',
      'HELD',
    ]);
    world.away = false;
    await marks.catchUp();
    expect(await lock.readSeats([seatId(1), seatId(2)])).toMatchObject([
      { state: 'FREE' },
      { state: 'SOLD', orderId: lasting.orderId },
    ]);
    expect(marks.behind).toBe(0);
  });

  it('keeps the last of each reservation, and no more of them than it may', async () => {
    const told: SeatSettlement[] = [];
    let away = true;
    const lock = {
      settle: async (settlements: readonly SeatSettlement[]) => {
        if (away) throw new Error('Redis is away');
        told.push(...settlements);
        return settlements.map(() => 'done' as const);
      },
      reconcile: async () => ({ restored: 0, cleared: 0, sold: 0 }),
    };
    const marks = new RedisSeatMarks(lock, world.database, logger);
    const of = (kind: 'sold' | 'freed', number: number): SeatSettlement => ({
      kind,
      seatId: seatId(1),
      orderId: 'o',
      reservationId: `r-${number}`,
      epoch: number,
    });
    await marks.settle([of('sold', 1), of('sold', 2)]);
    await marks.settle(Array.from({ length: MOST_MISSED - 1 }, (_, index) => of('sold', 3 + index)));
    await marks.settle([of('freed', 2)]);
    away = false;
    await marks.catchUp();
    expect(told).toHaveLength(MOST_MISSED);
    expect(told.some((one) => one.reservationId === 'r-1')).toBe(false);
    expect(told.filter((one) => one.reservationId === 'r-2')).toEqual([of('freed', 2)]);
  });
});

function created(order: PlacedOrder): ReservationEvent[] {
  return reservationCreatedEvents(order, { paymentReference: 'paid', lockedUntil: NOW, occurredAt: NOW });
}

async function openWorld() {
  const services = await testServices({
    template: { name: 'booking-database', prepare: async (url) => void (await migrate(url)) },
  });
  const database = openDatabase({ url: services.databaseUrl, applicationName: 'test' });
  const section = { name: 'A', rows: 1, seatsPerRow: 4, price: 4500 };
  const startsAt = new Date(NOW);
  await seedEvent(database, {
    eventId: EVENT,
    name: 'Gala',
    startsAt,
    currency: 'EUR',
    sections: [section],
  });
  const lock = await SeatLock.connect({
    url: services.redisUrl,
    clientName: 'test',
    lockTtlMs: 600_000,
    commandTimeoutMs: 60_000,
  });
  await lock.reconcile(EVENT, [1, 2, 3, 4].map(seatId), async () => []);
  const world = {
    database,
    lock,
    away: false,
    marks: new RedisSeatMarks(
      {
        settle: async (settlements) => {
          if (world.away) throw new Error('Redis is away');
          return lock.settle(settlements);
        },
        reconcile: (...parameters) => lock.reconcile(...parameters),
      },
      database,
      logger,
    ),
    async hold(userId: string, number: number): Promise<PlacedOrder> {
      const orderId = orderIdOf({ userId, eventId: EVENT, idempotencyKey: 'key' });
      const request = { eventId: EVENT, userId, idempotencyKey: 'key', fingerprint: 'f', orderId };
      const result = await lock.acquire({ ...request, seatIds: [seatId(number)] });
      if (result.kind !== 'acquired') throw new Error(`the lock gave ${result.kind}`);
      const seats = result.attempt.seats.map((seat) => ({ ...seat, amount: 4500 }));
      return { orderId, eventId: EVENT, userId, currency: 'EUR', seats };
    },
    async apply(events: readonly ReservationEvent[]): Promise<readonly SeatSettlement[]> {
      const sourced = events.map((event) => ({ event, source: null }));
      return (await applyReservationEvents(database, sourced, { now: NOW })).settlements;
    },
    async close(): Promise<void> {
      await lock.close();
      await database.destroy();
      await services.stop();
    },
  };
  return world;
}
