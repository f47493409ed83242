import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  apiFixture,
  EVENT,
  get,
  PRICE,
  reserve,
  seat,
  seats,
  until,
  withApi,
  type ApiFixture,
} from '../testing/api-fixture.ts';

async function statesOf(app: NestFastifyApplication) {
  const { body } = await get(app, `/events/${EVENT}/seats`);
  const listed = body['seats'] as { state: string }[];
  return { sources: body['sources'], states: listed.slice(0, 3).map((each) => each.state) };
}

describe('events and their seats', () => {
  let fixture: ApiFixture;
  beforeAll(async () => {
    fixture = await apiFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.reset());

  it('GET /events lists what can be bought', async () => {
    expect(await get(fixture.app, '/events')).toMatchObject({
      status: 200,
      body: [{ eventId: EVENT, name: 'Spring Gala', currency: 'EUR', seats: seats.length, priceFrom: PRICE }],
    });
  });

  it('GET /events/:id/seats shows each seat with its state, the database before the lock', async () => {
    await reserve(fixture.app, { seats: [seat(2)] });
    fixture.source.sold = [{ seatId: seat(3), orderId: 'o', reservationId: 'r', epoch: 1 }];
    expect(await statesOf(fixture.app)).toEqual({
      sources: { database: true, seatLock: true },
      states: ['FREE', 'HELD', 'SOLD'],
    });
    const { body } = await get(fixture.app, `/events/${EVENT}/seats`);
    expect(body['seats']).toContainEqual({ ...seats[1], state: 'HELD' });
  });

  it('goes on with one source when the other is away, and says so', async () => {
    await withApi({}, async (cutOff) => {
      const { app, source, seatLock } = cutOff;
      await reserve(app, { seats: [seat(2)] });
      source.failure = new Error('away');
      expect(await statesOf(app)).toEqual({
        sources: { database: false, seatLock: true },
        states: ['FREE', 'HELD', 'FREE'],
      });
      await seatLock.close();
      const neither = await get(app, `/events/${EVENT}/seats`);
      expect(neither).toMatchObject({ status: 503, body: { code: 'STATUS_UNAVAILABLE' } });
      source.failure = null;
      source.sold = [{ seatId: seat(3), orderId: 'o', reservationId: 'r', epoch: 1 }];
      expect(await statesOf(app)).toEqual({
        sources: { database: true, seatLock: false },
        states: ['FREE', 'FREE', 'SOLD'],
      });
    });
  });

  it('puts a list together once for all who ask at the same time', async () => {
    await withApi({ seatListCacheMs: 60_000 }, async (cached) => {
      const before = cached.source.soldReads;
      const asked = Array.from({ length: 20 }, () => get(cached.app, `/events/${EVENT}/seats`));
      for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200);
      expect(cached.source.soldReads).toBe(before + 1);
    });
  });

  it('404 for an event that is not there, 400 for what cannot be an event', async () => {
    expect(await get(fixture.app, '/events/other/seats')).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    expect(await get(fixture.app, '/events/a%7Cb/seats')).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION' },
    });
    expect(await get(fixture.app, '/nowhere')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('reads seats again only when the revision of their event has changed', async () => {
    const before = fixture.source.seatReads;
    await fixture.keeper.refresh();
    expect(fixture.source.seatReads).toBe(before);
    fixture.source.events = fixture.source.events.map((event) => ({
      ...event,
      revision: event.revision + 1,
    }));
    await fixture.keeper.refresh();
    expect(fixture.source.seatReads).toBe(before + 1);
  });

  it('keeps the last catalogue while the database is away', async () => {
    fixture.source.failure = new Error('away');
    fixture.keeper.wake();
    await until(() => fixture.log.some((line) => line['level'] === 'warn'));
    expect((await reserve(fixture.app)).status).toBe(202);
  });

  it('F60: tells a Redis that lost its data what is sold, before anything can be had', async () => {
    fixture.source.sold = [{ seatId: seat(1), orderId: 'o', reservationId: 'r', epoch: 1 }];
    await fixture.redis.flushdb();
    fixture.keeper.start();
    await until(() => fixture.seatLock.isWarm(EVENT));
    expect(await reserve(fixture.app)).toMatchObject({ status: 409, body: { code: 'SEAT_TAKEN' } });
    expect((await reserve(fixture.app, { seats: [seat(2)], key: 'key-2' })).status).toBe(202);
  });
});
