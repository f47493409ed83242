import type { OrderState } from '@seatlog/booking-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiFixture, get, PRICE, reserve, seat, type ApiFixture } from '../testing/api-fixture.ts';

describe('a reservation, by its token', () => {
  let fixture: ApiFixture;
  let token: string;
  let reservationId: string;
  beforeAll(async () => {
    fixture = await apiFixture();
    const { body } = await reserve(fixture.app, { seats: [seat(1), seat(2)] });
    token = String(body['token']);
    reservationId = String(body['reservationId']);
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const recorded = (state: Partial<OrderState>): OrderState => ({
    orderId: reservationId,
    eventId: 'gala',
    userId: 'ann',
    status: 'PENDING',
    reason: null,
    createdAt: new Date(),
    settledAt: null,
    seats: [
      {
        seatId: seat(1),
        reservationId: 'r1',
        epoch: 1,
        status: 'CONFIRMED',
        reason: null,
        price: PRICE,
        currency: 'EUR',
        recordedAt: new Date(),
        source: { partition: 3, offset: 1841 },
      },
    ],
    ...state,
  });

  it('is PENDING while there is no row', async () => {
    const answer = await get(fixture.app, `/reservations/${token}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { reservationId, status: 'PENDING', nextPollMs: 250 },
      headers: { 'cache-control': 'no-store' },
    });
    expect(answer.body['seats']).toMatchObject([
      { seatId: seat(1), status: 'PENDING', price: { amount: PRICE } },
      { seatId: seat(2), status: 'PENDING' },
    ]);
  });

  it('shows the seats that have come while the others have not', async () => {
    fixture.orders.set(reservationId, recorded({}));
    const { body } = await get(fixture.app, `/reservations/${token}`);
    expect(body).toMatchObject({
      status: 'PENDING',
      seats: [
        { status: 'CONFIRMED', source: { partition: 3, offset: 1841 } },
        { status: 'PENDING', source: null },
      ],
    });
  });

  it('shows the outcome, and why', async () => {
    fixture.orders.set(reservationId, recorded({ status: 'REJECTED', reason: 'SEAT_SOLD' }));
    const { body } = await get(fixture.app, `/reservations/${token}`);
    expect(body).toMatchObject({ status: 'REJECTED', reason: 'SEAT_SOLD', nextPollMs: null });
  });

  it('503 while the database is away', async () => {
    fixture.orders.set(reservationId, new Error('away'));
    const answer = await get(fixture.app, `/reservations/${token}`);
    expect(answer).toMatchObject({ status: 503, body: { code: 'STATUS_UNAVAILABLE' } });
    expect(answer.headers['retry-after']).toBeDefined();
  });

  it('404 for a token that was not signed here', async () => {
    const forged = `${token.slice(0, -3)}AAA`;
    for (const method of ['GET', 'DELETE'] as const) {
      for (const wrong of [forged, 'x']) {
        expect(await get(fixture.app, `/reservations/${wrong}`, method)).toMatchObject({
          status: 404,
          body: { code: 'NOT_FOUND' },
        });
      }
    }
  });

  it('DELETE publishes a cancellation for each seat, under the epochs of the token', async () => {
    const created = fixture.publisher.written.splice(0);
    const answer = await get(fixture.app, `/reservations/${token}`, 'DELETE');
    expect(answer).toMatchObject({
      status: 202,
      body: { reservationId, statusUrl: `/reservations/${token}` },
    });
    expect(fixture.publisher.written).toMatchObject(
      created.map(({ reservationId: id, epoch, seatId, orderSeats }) => ({
        type: 'ReservationCancelled',
        reservationId: id,
        epoch,
        seatId,
        orderSeats,
        userId: 'ann',
      })),
    );
  });

  it.each(['not-written', 'unknown'] as const)('DELETE, %s: 503, to be repeated', async (outcome) => {
    fixture.publisher.outcomes.push(outcome);
    const answer = await get(fixture.app, `/reservations/${token}`, 'DELETE');
    expect(answer).toMatchObject({ status: 503, body: { code: 'CANCELLATION_UNKNOWN' } });
    expect((await get(fixture.app, `/reservations/${token}`, 'DELETE')).status).toBe(202);
  });
});
