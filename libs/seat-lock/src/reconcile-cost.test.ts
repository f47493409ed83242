import { reservationIdOf } from '@seatlog/booking';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { reconcile } from './reconcile.ts';
import {
  acquired,
  EVENT,
  requestOf,
  SEAT,
  seatIds,
  seatLockFixture,
  type SeatLockFixture,
} from './testing/seat-lock-fixture.ts';
import type { SoldSeat } from './types.ts';

describe('reconciling an event on sale', () => {
  let fixture: SeatLockFixture;
  let sold: SoldSeat;
  beforeAll(async () => {
    fixture = await seatLockFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    await fixture.reset();
    const { orderId, seats } = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    const reservationId = reservationIdOf(orderId, SEAT);
    sold = { seatId: SEAT, orderId, reservationId, epoch: seats[0]?.epoch ?? 0 };
    await fixture.lock.settle([{ kind: 'sold', ...sold }]);
  });

  it('runs no script where nothing differs, however much is sold', async () => {
    const evalsha = vi.spyOn(fixture.redis, 'evalsha');
    expect(await reconcile(fixture.redis, EVENT, seatIds, async () => [sold])).toMatchObject({ restored: 0 });
    expect(evalsha).not.toHaveBeenCalled();
    await reconcile(fixture.redis, EVENT, seatIds, async () => []);
    expect(evalsha).toHaveBeenCalledOnce();
    evalsha.mockRestore();
  });

  it('F60: does not open an event whose seats Redis lost in the middle of it; the next run restores all', async () => {
    await fixture.lock.reconcile(EVENT, seatIds, async () => {
      await fixture.redis.flushdb();
      return [sold];
    });
    expect(await fixture.lock.isWarm(EVENT)).toBe(false);
    expect(await fixture.lock.reconcile(EVENT, seatIds, async () => [sold])).toMatchObject({ restored: 1 });
    expect(await fixture.lock.isWarm(EVENT)).toBe(true);
    expect((await fixture.lock.readSeats([SEAT]))[0]?.state).toBe('SOLD');
  });
});
