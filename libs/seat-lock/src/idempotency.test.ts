import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  acquired,
  OTHER_SEAT,
  requestOf,
  SEAT,
  seatLockFixture,
  THIRD_SEAT,
  until,
  type SeatLockFixture,
} from './testing/seat-lock-fixture.ts';

describe('the idempotency key', () => {
  let fixture: SeatLockFixture;
  beforeAll(async () => {
    fixture = await seatLockFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.reset());

  it('F69: of 50 at once one works, the others are told it is in flight', async () => {
    const request = requestOf('ann', [SEAT, OTHER_SEAT]);
    const results = await Promise.all(Array.from({ length: 50 }, () => fixture.lock.acquire(request)));
    expect(results.filter((result) => result.kind === 'acquired')).toHaveLength(1);
    expect(results.filter((result) => result.kind === 'in-flight')).toHaveLength(49);
  });

  it('F69: another request under the same key is refused, before and after the answer', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    expect(await fixture.lock.acquire(requestOf('ann', [OTHER_SEAT]))).toEqual({ kind: 'mismatch' });
    await fixture.lock.complete(attempt, '{}');
    expect(await fixture.lock.acquire(requestOf('ann', [OTHER_SEAT]))).toEqual({ kind: 'mismatch' });
  });

  it('belongs to its user', async () => {
    await acquired(fixture.lock, requestOf('ann', [SEAT]));
    expect((await fixture.lock.acquire(requestOf('bob', [OTHER_SEAT]))).kind).toBe('acquired');
  });

  it('gives the stored answer again', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    expect(await fixture.lock.complete(attempt, '{"a":1}')).toBe(true);
    expect(await fixture.lock.acquire(requestOf('ann', [SEAT]))).toEqual({
      kind: 'completed',
      response: '{"a":1}',
    });
  });

  it('is free again, with the seats, after a release', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    expect(await fixture.lock.release(attempt)).toBe(true);
    expect((await fixture.lock.acquire(requestOf('ann', [OTHER_SEAT]))).kind).toBe('acquired');
    expect((await fixture.lock.acquire(requestOf('bob', [SEAT]))).kind).toBe('acquired');
  });

  it('F63: takes an attempt of unknown outcome up at once: same order, token and epochs, another claim', async () => {
    const request = requestOf('ann', [SEAT, OTHER_SEAT]);
    const first = await acquired(fixture.lock, request);
    await fixture.lock.markUnknown(first);
    expect((await fixture.lock.acquire(requestOf('bob', [SEAT]))).kind).toBe('taken');
    const result = await fixture.lock.acquire(request);
    expect(result).toMatchObject({
      kind: 'resumed',
      attempt: { orderId: first.orderId, token: first.token, seats: first.seats },
    });
    const second = await acquired(fixture.lock, request).catch((error: unknown) => error);
    expect(String(second)).toContain('in-flight');
  });

  it('F64: takes up an attempt whose run died, once its lease is over; the dead run can do no harm', async () => {
    const hasty = await fixture.connect({ leaseMs: 1 });
    const request = requestOf('ann', [SEAT]);
    const dead = await acquired(hasty, request);
    await until(async () => (await fixture.lock.acquire(request)).kind !== 'in-flight');
    // The run above took it up with the usual lease.
    expect((await fixture.lock.acquire(request)).kind).toBe('in-flight');
    expect(await fixture.lock.release(dead)).toBe(false);
    expect(await fixture.lock.complete(dead, '{}')).toBe(false);
    expect(await fixture.lock.markUnknown(dead)).toBe(false);
    expect((await fixture.lock.readSeats([SEAT]))[0]).toMatchObject({ state: 'HELD', userId: 'ann' });
  });

  it('F64: locks again what ran out meanwhile, under the old epoch if nobody had it in between', async () => {
    const brief = await fixture.connect({ lockTtlMs: 30, leaseMs: 1 });
    const request = requestOf('ann', [SEAT, OTHER_SEAT]);
    const first = await acquired(brief, request);
    await until(async () => (await fixture.lock.readSeats([SEAT]))[0]?.state === 'FREE');
    // Someone had the other seat in between.
    const between = await acquired(fixture.lock, requestOf('bob', [OTHER_SEAT]));
    await fixture.lock.release(between);

    const second = await acquired(fixture.lock, request);
    expect(second.seats[0]).toEqual(first.seats[0]);
    expect(second.seats[1]?.epoch).toBeGreaterThan(between.seats[0]?.epoch ?? Infinity);
    const states = await fixture.lock.readSeats([SEAT, OTHER_SEAT]);
    expect(states.map((seat) => seat.state === 'HELD' && seat.userId)).toEqual(['ann', 'ann']);
  });

  it('F63: leaves a seat alone that someone else took meanwhile, and resolves to the same order', async () => {
    const brief = await fixture.connect({ lockTtlMs: 30 });
    const request = requestOf('ann', [SEAT]);
    const first = await acquired(brief, request);
    await brief.markUnknown(first);
    await until(async () => (await fixture.lock.readSeats([SEAT]))[0]?.state === 'FREE');
    await acquired(fixture.lock, requestOf('bob', [SEAT]));
    expect(await acquired(fixture.lock, request)).toMatchObject({
      orderId: first.orderId,
      seats: first.seats,
    });
    expect((await fixture.lock.readSeats([SEAT]))[0]).toMatchObject({ userId: 'bob' });
  });

  it('the same buyer with a fresh key and the same seats gets the same hold once nobody works on it', async () => {
    const hasty = await fixture.connect({ leaseMs: 1 });
    const first = await acquired(hasty, requestOf('ann', [SEAT, OTHER_SEAT], 'key-1'));
    const again = requestOf('ann', [SEAT, OTHER_SEAT], 'key-2');
    await until(async () => {
      const result = await hasty.acquire(again);
      return result.kind === 'joined' && result.attempt.orderId === first.orderId;
    });
    // The first run no longer owns the seats.
    expect(await fixture.lock.release(first)).toBe(false);
    expect((await fixture.lock.readSeats([SEAT]))[0]).toMatchObject({ state: 'HELD', userId: 'ann' });
  });

  it('the same buyer with other seats is told which of them are held by the buyer already', async () => {
    await acquired(fixture.lock, requestOf('ann', [SEAT, OTHER_SEAT], 'key-1'));
    expect(await fixture.lock.acquire(requestOf('ann', [SEAT, THIRD_SEAT], 'key-2'))).toEqual({
      kind: 'taken',
      seats: [{ seatId: SEAT, state: 'HELD', heldByYou: true }],
    });
  });
});
