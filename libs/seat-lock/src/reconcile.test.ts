import { reservationIdOf } from '@seatlog/booking';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  acquired,
  EVENT,
  OTHER_SEAT,
  requestOf,
  SEAT,
  seatIds,
  seatLockFixture,
  type SeatLockFixture,
} from './testing/seat-lock-fixture.ts';
import type { Attempt, SoldSeat } from './types.ts';

const soldTo = (attempt: Attempt): SoldSeat[] =>
  attempt.seats.map(({ seatId, epoch }) => ({
    seatId,
    orderId: attempt.orderId,
    reservationId: reservationIdOf(attempt.orderId, seatId),
    epoch,
  }));

describe('reconciling with the database', () => {
  let fixture: SeatLockFixture;
  beforeAll(async () => {
    fixture = await seatLockFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.reset());

  const reconcile = (sold: readonly SoldSeat[]) => fixture.lock.reconcile(EVENT, seatIds, async () => sold);
  const states = async () => (await fixture.lock.readSeats([SEAT, OTHER_SEAT])).map((seat) => seat.state);

  it('F60: an empty Redis learns what is sold, and gives later epochs than the database knows', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    const farAhead = soldTo(attempt).map((seat) => ({ ...seat, epoch: seat.epoch + 1_000_000_000_000 }));
    await fixture.redis.flushdb();
    expect(await reconcile(farAhead)).toEqual({ restored: 1, cleared: 0, sold: 1 });
    expect(await states()).toEqual(['SOLD', 'FREE']);
    expect(await reconcile([])).toEqual({ restored: 0, cleared: 1, sold: 0 });
    const next = await acquired(fixture.lock, requestOf('bob', [SEAT]));
    expect(next.seats[0]?.epoch).toBeGreaterThan(farAhead[0]?.epoch ?? Infinity);
  });

  it('F60: an order whose key Redis lost is recognised by its seats; another one of the buyer is not', async () => {
    const request = requestOf('ann', [SEAT, OTHER_SEAT]);
    const attempt = await acquired(fixture.lock, request);
    await fixture.redis.flushdb();
    await reconcile(soldTo(attempt));
    const { orderId, seats } = attempt;
    expect(await fixture.lock.acquire(request)).toMatchObject({ kind: 'sold', attempt: { orderId, seats } });
    expect((await fixture.lock.acquire(requestOf('ann', [SEAT]))).kind).toBe('mismatch');
    for (const other of [requestOf('ann', [SEAT, OTHER_SEAT], 'key-2'), requestOf('bob', [SEAT])]) {
      expect((await fixture.lock.acquire(other)).kind).toBe('taken');
    }
  });

  it('F60: what the database did not know of such an order is taken up again, unless someone else has it', async () => {
    const request = requestOf('ann', [SEAT, OTHER_SEAT]);
    const attempt = await acquired(fixture.lock, request);
    const [known] = soldTo(attempt);
    const forget = async () => {
      await fixture.redis.flushdb();
      await reconcile(known === undefined ? [] : [known]);
    };
    await forget();
    const result = await fixture.lock.acquire(request);
    expect(result).toMatchObject({ kind: 'resumed', attempt: { orderId: attempt.orderId } });
    const epochs = result.kind === 'resumed' ? result.attempt.seats.map((seat) => seat.epoch) : [];
    expect(epochs[0]).toBe(attempt.seats[0]?.epoch);
    expect(epochs[1]).toBeGreaterThan(attempt.seats[1]?.epoch ?? Infinity);
    expect(await states()).toEqual(['SOLD', 'HELD']);
    await forget();
    await acquired(fixture.lock, requestOf('bob', [OTHER_SEAT]));
    expect((await fixture.lock.acquire(request)).kind).toBe('taken');
  });

  it('changes nothing where both agree', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    await fixture.lock.settle(soldTo(attempt).map((seat) => ({ kind: 'sold', ...seat })));
    expect(await reconcile(soldTo(attempt))).toEqual({ restored: 0, cleared: 0, sold: 1 });
  });

  it('frees a seat that is sold here and not there', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    await fixture.lock.settle(soldTo(attempt).map((seat) => ({ kind: 'sold', ...seat })));
    expect(await reconcile([])).toMatchObject({ cleared: 1 });
    expect(await states()).toEqual(['FREE', 'FREE']);
  });

  it('leaves locks of orders under way alone', async () => {
    await acquired(fixture.lock, requestOf('ann', [SEAT, OTHER_SEAT]));
    expect(await reconcile([])).toEqual({ restored: 0, cleared: 0, sold: 0 });
    expect(await states()).toEqual(['HELD', 'HELD']);
  });

  it('does not free what became sold while the database was being asked', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    const report = await fixture.lock.reconcile(EVENT, seatIds, async () => {
      await fixture.lock.settle(soldTo(attempt).map((seat) => ({ kind: 'sold', ...seat })));
      return [];
    });
    expect(report.cleared).toBe(0);
    expect(await states()).toEqual(['SOLD', 'FREE']);
  });

  it('does not overwrite a later order under way, whose refusal will hand the seat over', async () => {
    const first = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    await fixture.lock.release(first);
    await acquired(fixture.lock, requestOf('bob', [SEAT]));
    expect(await reconcile(soldTo(first))).toMatchObject({ restored: 0 });
    expect(await states()).toEqual(['HELD', 'FREE']);
  });
});
