import { reservationIdOf, verifyStatusToken } from '@seatlog/booking';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  apiFixture,
  EVENT,
  PRICE,
  reserve,
  seat,
  TOKEN_SECRET,
  until,
  withApi,
  type Answered,
  type ApiFixture,
} from '../testing/api-fixture.ts';

describe('POST /events/:id/reservations', () => {
  let fixture: ApiFixture;
  beforeAll(async () => {
    fixture = await apiFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.reset());

  const stateOf = async (number: number) => (await fixture.seatLock.readSeats([seat(number)]))[0];

  it('T1: locks, checks the payment, publishes an event for each seat, answers 202 with a token', async () => {
    const answer = await reserve(fixture.app, { seats: [seat(2), seat(1)] });
    expect(answer.status).toBe(202);
    const { reservationId, token } = answer.body as { reservationId: string; token: string };
    const order = verifyStatusToken(token, TOKEN_SECRET);
    expect(order).toMatchObject({ orderId: reservationId, userId: 'ann', currency: 'EUR' });
    expect(answer.body).toEqual({
      reservationId,
      token,
      statusUrl: `/reservations/${token}`,
      seats: [1, 2].map((number) => ({
        seatId: seat(number),
        reservationId: reservationIdOf(reservationId, seat(number)),
        price: { amount: PRICE, currency: 'EUR' },
      })),
      total: { amount: 2 * PRICE, currency: 'EUR' },
      lockedUntil: expect.stringMatching(/^\d{4}-/),
    });
    const epochs = order?.seats.map((each) => each.epoch);
    expect(fixture.publisher.written.map((event) => [event.seatId, event.epoch])).toEqual([
      [seat(1), epochs?.[0]],
      [seat(2), epochs?.[1]],
    ]);
    expect(fixture.payments.authorized).toMatchObject([{ amount: 2 * PRICE, orderId: reservationId }]);
    expect(await stateOf(1)).toMatchObject({ state: 'HELD', userId: 'ann' });
    expect(fixture.log.find((line) => line['msg'] === 'reservation accepted')).toMatchObject({
      reservationId,
    });
  });

  it('T1: never asks the database on this path', async () => {
    const reads = [fixture.source.seatReads, fixture.source.soldReads];
    fixture.source.failure = new Error('the database is away');
    expect((await reserve(fixture.app)).status).toBe(202);
    expect([fixture.source.seatReads, fixture.source.soldReads]).toEqual(reads);
  });

  it('sells one seat to one of many buyers', async () => {
    const buyers = Array.from({ length: 40 }, (_, index) => reserve(fixture.app, { userId: `u${index}` }));
    const answers = await Promise.all(buyers);
    expect(answers.filter((answer) => answer.status === 202)).toHaveLength(1);
    const refused = answers.filter((answer) => answer.status === 409);
    expect(refused).toHaveLength(39);
    expect(refused[0]?.body).toMatchObject({
      code: 'SEAT_TAKEN',
      seats: [{ seatId: seat(1), state: 'HELD' }],
    });
    expect(refused[0]?.headers['content-type']).toContain('application/problem+json');
    expect(fixture.publisher.written).toHaveLength(1);
  });

  it('F69: the same key 50 times at once has one effect; 409 while in flight, then the same answer', async () => {
    let proceed = () => {};
    fixture.publisher.hold = new Promise((resolve) => (proceed = resolve));
    const answers: Answered[] = [];
    const requests = Array.from({ length: 50 }, async () => answers.push(await reserve(fixture.app)));
    await until(() => answers.length === 49);
    proceed();
    await Promise.all(requests);
    const accepted = answers.filter((answer) => answer.status === 202);
    const inFlight = answers.filter((answer) => answer.status === 409);
    expect([accepted.length, inFlight.length]).toEqual([1, 49]);
    expect(inFlight[0]).toMatchObject({
      body: { code: 'IDEMPOTENCY_IN_FLIGHT' },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    const again = await reserve(fixture.app);
    expect(again).toMatchObject({
      status: 202,
      body: accepted[0]?.body,
      headers: { 'idempotency-replayed': 'true' },
    });
    expect(fixture.publisher.written).toHaveLength(1);
    expect(fixture.payments.authorized).toHaveLength(1);
  });

  it('F69: the same key with another body is refused', async () => {
    await reserve(fixture.app);
    for (const other of [{ seats: [seat(2)] }, { cardToken: 'tok_other' }]) {
      expect(await reserve(fixture.app, other)).toMatchObject({
        status: 422,
        body: { code: 'IDEMPOTENCY_MISMATCH' },
      });
    }
    // The order of the seats makes no other request.
    const both = { seats: [seat(3), seat(4)], key: 'key-2' };
    await reserve(fixture.app, both);
    expect((await reserve(fixture.app, { ...both, seats: both.seats.toReversed() })).status).toBe(202);
  });

  it('a declined payment frees the seats and the key', async () => {
    expect(await reserve(fixture.app, { cardToken: 'tok_insufficient_funds' })).toMatchObject({
      status: 402,
      body: { code: 'PAYMENT_DECLINED', reason: 'insufficient_funds' },
    });
    expect(fixture.publisher.calls).toBe(0);
    expect((await reserve(fixture.app, { userId: 'bob' })).status).toBe(202);
    expect((await reserve(fixture.app, { seats: [seat(2)] })).status).toBe(202);
  });

  it('a provider that is away or too slow: 503, the payment is voided, the seats are free', async () => {
    await withApi({ paymentTimeoutMs: 20 }, async (slow) => {
      for (const cardToken of ['tok_unavailable', 'tok_slow_60000']) {
        const answer = await reserve(slow.app, { cardToken, key: cardToken });
        expect(answer).toMatchObject({ status: 503, body: { code: 'PAYMENT_UNAVAILABLE' } });
        expect(answer.headers['retry-after']).toBeDefined();
      }
      expect(slow.payments.voided).toEqual(slow.payments.authorized.map((request) => request.attemptId));
      expect((await slow.seatLock.readSeats([seat(1)]))[0]?.state).toBe('FREE');
    });
  });

  it('T2, F63: surely not written: 503, seats and key are free, the payment is voided', async () => {
    fixture.publisher.outcomes.push('not-written');
    const answer = await reserve(fixture.app);
    expect(answer).toMatchObject({ status: 503, body: { code: 'RESERVATION_NOT_WRITTEN' } });
    expect(answer.headers['retry-after']).toBeDefined();
    expect((await stateOf(1))?.state).toBe('FREE');
    expect(fixture.payments.voided).toHaveLength(1);
    expect((await reserve(fixture.app)).status).toBe(202);
  });

  it('T2, F63: outcome unknown: 503, the seats are kept, the same key resolves to the same reservation', async () => {
    fixture.publisher.outcomes.push('unknown-but-written', 'unknown');
    const unknown = await reserve(fixture.app);
    expect(unknown).toMatchObject({ status: 503, body: { code: 'RESERVATION_UNKNOWN' } });
    expect(unknown.headers['retry-after']).toBeDefined();
    expect((await reserve(fixture.app, { userId: 'bob' })).body['code']).toBe('SEAT_TAKEN');
    expect((await reserve(fixture.app)).body['code']).toBe('RESERVATION_UNKNOWN');
    const resolved = await reserve(fixture.app);
    expect(resolved).toMatchObject({ status: 202, body: { reservationId: unknown.body['reservationId'] } });
    // What was published twice is the same event, and it was paid for under one attempt.
    const [first, second] = fixture.publisher.written;
    expect(second).toMatchObject({ reservationId: first?.reservationId, epoch: first?.epoch });
    expect(new Set(fixture.payments.authorized.map((request) => request.attemptId)).size).toBe(1);
    expect(fixture.payments.voided).toEqual([]);
  });

  it('T2: a failure that is sure does not free what an earlier run may have written', async () => {
    fixture.publisher.outcomes.push('unknown-but-written', 'not-written');
    await reserve(fixture.app);
    expect((await reserve(fixture.app)).body['code']).toBe('RESERVATION_UNKNOWN');
    expect((await stateOf(1))?.state).toBe('HELD');
    expect(fixture.payments.voided).toEqual([]);
  });

  it('T2: a card that is declined does not free what another request of the same buyer may have written', async () => {
    await withApi({ leaseMs: 50 }, async (hasty) => {
      hasty.publisher.outcomes.push('unknown-but-written');
      const first = await reserve(hasty.app);
      expect(first.body['code']).toBe('RESERVATION_UNKNOWN');
      const other = { key: 'key-2', cardToken: 'tok_declined' };
      await until(async () => (await reserve(hasty.app, other)).body['code'] !== 'IDEMPOTENCY_IN_FLIGHT');
      expect((await reserve(hasty.app, other)).body['code']).toBe('RESERVATION_UNKNOWN');
      expect((await reserve(hasty.app, { userId: 'bob' })).body['code']).toBe('SEAT_TAKEN');
      await until(async () => (await reserve(hasty.app)).status === 202);
      expect((await reserve(hasty.app)).body['reservationId']).toBe(first.body['reservationId']);
    });
  });

  it('F64: an API that died after the lock: the seat is free after the TTL, and the same key succeeds', async () => {
    await withApi({ lockTtlMs: 60, leaseMs: 50 }, async (brief) => {
      brief.publisher.hold = new Promise(() => {});
      void reserve(brief.app);
      await until(() => brief.publisher.calls === 1);
      brief.publisher.hold = Promise.resolve();
      await until(async () => (await brief.seatLock.readSeats([seat(1)]))[0]?.state === 'FREE');
      expect((await reserve(brief.app)).status).toBe(202);
      expect(brief.publisher.written).toHaveLength(1);
    });
  });

  it('F60: sells nothing while Redis does not know the seats, and has it told', async () => {
    await fixture.redis.flushdb();
    expect(await reserve(fixture.app)).toMatchObject({ status: 503, body: { code: 'SEAT_MAP_WARMING' } });
    await until(async () => fixture.seatLock.isWarm(EVENT));
    expect((await reserve(fixture.app)).status).toBe(202);
  });

  it('F60: an answer that Redis lost is given again once it knows what is sold: nothing is paid or published twice', async () => {
    const first = await reserve(fixture.app, { seats: [seat(1), seat(2)] });
    fixture.source.sold = fixture.publisher.written.map(({ seatId, orderId, reservationId, epoch }) => ({
      seatId,
      orderId,
      reservationId,
      epoch,
    }));
    await fixture.redis.flushdb();
    const again = () => reserve(fixture.app, { seats: [seat(1), seat(2)] });
    await until(async () => (await again()).status === 202);
    const { status, body, headers } = await again();
    const { lockedUntil: _first, ...told } = first.body;
    expect({ status, body }).toMatchObject({ status: 202, body: told });
    expect(headers['idempotency-replayed']).toBe('true');
    expect([fixture.publisher.calls, fixture.payments.authorized.length]).toEqual([1, 1]);
    expect((await reserve(fixture.app, { seats: [seat(3)] })).body['code']).toBe('IDEMPOTENCY_MISMATCH');
    expect((await reserve(fixture.app, { userId: 'bob' })).body['code']).toBe('SEAT_TAKEN');
  });

  it('F62: Redis away: 503 with Retry-After', async () => {
    await withApi({}, async (cutOff) => {
      await cutOff.seatLock.close();
      const answer = await reserve(cutOff.app);
      expect(answer).toMatchObject({ status: 503, body: { code: 'SEAT_LOCK_UNAVAILABLE' } });
      expect(answer.headers['retry-after']).toBeDefined();
    });
  });

  it('an answer that could not be kept is given again under the same key', async () => {
    const first = await reserve(fixture.app);
    // As if the answer had not been kept: the run is over, the record is not.
    const [key] = await fixture.redis.keys('*request*');
    await fixture.redis.hset(key ?? '', 'state', 'open', 'lease', '0');
    const second = await reserve(fixture.app);
    expect(second.status).toBe(202);
    expect(second.body['reservationId']).toBe(first.body['reservationId']);
    expect(second.body['token']).toBe(first.body['token']);
  });

  const malformed = [
    ['no key', { key: null }, 'Idempotency-Key'],
    ['a key with blanks', { key: 'a b' }, 'Idempotency-Key'],
    ['no seats', { seats: [] }, 'seats'],
    ['seven seats', { seats: [1, 2, 3, 4, 5, 6, 7].map(seat) }, 'seats'],
    ['a seat twice', { seats: [seat(1), seat(1)] }, 'each seat once'],
    ['a seat that is none', { seats: ['A-1'] }, 'seats.0'],
    ['a user with blanks', { userId: 'a b' }, 'userId'],
    ['no payment', { body: { userId: 'ann', seats: [seat(1)] } }, 'payment'],
    [
      'another method of payment',
      { body: { userId: 'ann', seats: [seat(1)], payment: { method: 'cash' } } },
      'payment.method',
    ],
    ['an event that is none', { eventId: 'a%7Cb' }, 'letters'],
    ['a body that is none', { body: 'text' }, 'object'],
  ] as const;
  it.each(malformed)('refuses %s', async (_, request, named) => {
    const answer = await reserve(fixture.app, request);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect(JSON.stringify(answer.body)).toContain(named);
    expect(await fixture.redis.keys('*request*')).toEqual([]);
  });

  it('refuses events and seats that are not there', async () => {
    expect(await reserve(fixture.app, { eventId: 'other' })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    expect(await reserve(fixture.app, { seats: [seat(1), seat(99)] })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND', seats: [seat(99)] },
    });
  });

  it('refuses bodies that are no JSON, or too large, as problem documents', async () => {
    for (const payload of ['{', JSON.stringify({ x: 'y'.repeat(10_000) })]) {
      const response = await fixture.app.inject({
        method: 'POST',
        url: `/events/${EVENT}/reservations`,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
        payload,
      });
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ code: 'VALIDATION' });
    }
  });
});
