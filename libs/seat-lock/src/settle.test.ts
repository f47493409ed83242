import { reservationIdOf, type SeatSettlement } from '@seatlog/booking';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  acquired,
  requestOf,
  SEAT,
  seatLockFixture,
  until,
  type SeatLockFixture,
} from './testing/seat-lock-fixture.ts';
import { seatKey } from './keys.ts';
import type { Attempt } from './types.ts';

function subject(attempt: Attempt) {
  const { orderId } = attempt;
  return {
    seatId: SEAT,
    orderId,
    reservationId: reservationIdOf(orderId, SEAT),
    epoch: attempt.seats[0]?.epoch ?? 0,
  };
}
const sold = (attempt: Attempt): SeatSettlement => ({ kind: 'sold', ...subject(attempt) });
const freed = (attempt: Attempt): SeatSettlement => ({ kind: 'freed', ...subject(attempt) });
const refused = (attempt: Attempt, owner: Attempt | null): SeatSettlement => ({
  kind: 'refused',
  ...subject(attempt),
  owner: owner === null ? null : subject(owner),
});

describe('settling what the database decided', () => {
  let fixture: SeatLockFixture;
  beforeAll(async () => {
    fixture = await seatLockFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.reset());

  const state = async () => (await fixture.lock.readSeats([SEAT]))[0];
  const settle = async (settlement: SeatSettlement) => (await fixture.lock.settle([settlement]))[0];

  async function runOut(): Promise<Attempt> {
    const brief = await fixture.connect({ lockTtlMs: 20 });
    const attempt = await acquired(brief, requestOf('ann', [SEAT]));
    await until(async () => (await state())?.state === 'FREE');
    return attempt;
  }

  it('sold: the seat has no TTL and is refused to everyone; telling it again changes nothing', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    expect(await settle(sold(attempt))).toBe('done');
    expect(await settle(sold(attempt))).toBe('already');
    expect(await state()).toEqual({
      state: 'SOLD',
      epoch: attempt.seats[0]?.epoch,
      orderId: attempt.orderId,
      reservationId: reservationIdOf(attempt.orderId, SEAT),
    });
    expect(await fixture.redis.ttl(seatKey(SEAT))).toBe(-1);
    expect(await fixture.lock.acquire(requestOf('bob', [SEAT]))).toMatchObject({
      kind: 'taken',
      seats: [{ state: 'SOLD' }],
    });
  });

  it('F61: sold holds although the lock ran out before the worker came to it', async () => {
    expect(await settle(sold(await runOut()))).toBe('done');
    expect((await state())?.state).toBe('SOLD');
  });

  it('F61: a lock that someone else took meanwhile is not overwritten; the refusal of that one hands the seat over', async () => {
    const first = await runOut();
    const second = await acquired(fixture.lock, requestOf('bob', [SEAT]));
    expect(await settle(sold(first))).toBe('superseded');
    expect(await state()).toMatchObject({ state: 'HELD', userId: 'bob' });
    expect(await settle(refused(second, first))).toBe('done');
    expect(await state()).toMatchObject({ state: 'SOLD', orderId: first.orderId });
  });

  it('freed: the seat can be had again, and a late "sold" of the same reservation is refused', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    await settle(sold(attempt));
    expect(await settle(freed(attempt))).toBe('done');
    expect(await settle(freed(attempt))).toBe('already');
    expect(await settle(sold(attempt))).toBe('superseded');
    expect((await state())?.state).toBe('FREE');
    expect((await fixture.lock.acquire(requestOf('bob', [SEAT]))).kind).toBe('acquired');
  });

  it('freed: a late one takes nothing from the next owner', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    await settle(sold(attempt));
    await settle(freed(attempt));
    const next = await acquired(fixture.lock, requestOf('bob', [SEAT]));
    expect(await settle(freed(attempt))).toBe('already');
    expect(await settle(sold(next))).toBe('done');
    expect(await settle(freed(attempt))).toBe('already');
    expect(await state()).toMatchObject({ state: 'SOLD', orderId: next.orderId });
  });

  it('refused: without an owner the seat is free, and another order is left alone', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    expect(await settle(refused(attempt, null))).toBe('done');
    expect((await state())?.state).toBe('FREE');
    const next = await acquired(fixture.lock, requestOf('bob', [SEAT]));
    expect(await settle(refused(attempt, null))).toBe('already');
    expect(await state()).toMatchObject({ state: 'HELD', orderId: next.orderId });
  });
});
