import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  acquired,
  EVENT,
  OTHER_SEAT,
  requestOf,
  SEAT,
  seatLockFixture,
  THIRD_SEAT,
  until,
  type SeatLockFixture,
} from './testing/seat-lock-fixture.ts';

describe('acquiring seats', () => {
  let fixture: SeatLockFixture;
  beforeAll(async () => {
    fixture = await seatLockFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.reset());

  it('gives a free seat to one of many buyers at once', async () => {
    const buyers = Array.from({ length: 200 }, (_, index) => requestOf(`u${index}`, [SEAT]));
    const results = await Promise.all(buyers.map((request) => fixture.lock.acquire(request)));
    expect(results.filter((result) => result.kind === 'acquired')).toHaveLength(1);
    expect(results.filter((result) => result.kind === 'taken')).toHaveLength(199);
  });

  it('negative control: a naive get-then-set sells the same seat more than once', async () => {
    const naive = async (buyer: string): Promise<boolean> => {
      if ((await fixture.redis.get('naive-seat')) !== null) return false;
      await fixture.redis.set('naive-seat', buyer, 'PX', 60_000);
      return true;
    };
    const won = await Promise.all(Array.from({ length: 200 }, (_, index) => naive(`u${index}`)));
    expect(won.filter(Boolean).length).toBeGreaterThan(1);
  });

  it('takes all seats of an order or none', async () => {
    await acquired(fixture.lock, requestOf('ann', [OTHER_SEAT]));
    expect(await fixture.lock.acquire(requestOf('bob', [SEAT, OTHER_SEAT, THIRD_SEAT]))).toEqual({
      kind: 'taken',
      seats: [{ seatId: OTHER_SEAT, state: 'HELD', heldByYou: false }],
    });
    const states = await fixture.lock.readSeats([SEAT, OTHER_SEAT, THIRD_SEAT]);
    expect(states.map((seat) => seat.state)).toEqual(['FREE', 'HELD', 'FREE']);
    // The refusal left no claim behind: the same key may choose other seats.
    const second = await fixture.lock.acquire(requestOf('bob', [SEAT, THIRD_SEAT]));
    expect(second.kind).toBe('acquired');
  });

  it('never lets two overlapping orders of many seats hold a part each', async () => {
    const forwards = requestOf('ann', [SEAT, OTHER_SEAT]);
    const backwards = requestOf('bob', [OTHER_SEAT, SEAT]);
    const results = await Promise.all([fixture.lock.acquire(forwards), fixture.lock.acquire(backwards)]);
    expect(results.map((result) => result.kind).toSorted()).toEqual(['acquired', 'taken']);
  });

  it('gives every acquisition of a seat a higher epoch, and the epoch outlives the lock', async () => {
    const epochs: number[] = [];
    for (const user of ['ann', 'bob', 'eve']) {
      const attempt = await acquired(fixture.lock, requestOf(user, [SEAT]));
      epochs.push(attempt.seats[0]?.epoch ?? 0);
      await fixture.lock.release(attempt);
    }
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
    expect(new Set(epochs).size).toBe(3);
  });

  it('F60: epochs go on rising when Redis has lost everything', async () => {
    const before = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    await fixture.reset();
    const after = await acquired(fixture.lock, requestOf('bob', [SEAT]));
    expect(after.seats[0]?.epoch).toBeGreaterThan(before.seats[0]?.epoch ?? Infinity);
  });

  it('F60: sells nothing while the seats are not known', async () => {
    await fixture.redis.flushdb();
    expect(await fixture.lock.isWarm(EVENT)).toBe(false);
    expect(await fixture.lock.acquire(requestOf('ann', [SEAT]))).toEqual({ kind: 'warming' });
    await fixture.lock.reconcile(EVENT, [SEAT], async () => []);
    expect(await fixture.lock.isWarm(EVENT)).toBe(true);
    expect((await fixture.lock.acquire(requestOf('ann', [SEAT]))).kind).toBe('acquired');
  });

  it('F61: a lock runs out by itself, and its late owner can release nothing of the one after it', async () => {
    const brief = await fixture.connect({ lockTtlMs: 50 });
    const late = await acquired(brief, requestOf('ann', [SEAT]));
    await until(async () => (await fixture.lock.readSeats([SEAT]))[0]?.state === 'FREE');
    const present = await acquired(fixture.lock, requestOf('bob', [SEAT]));
    expect(present.seats[0]?.epoch).toBeGreaterThan(late.seats[0]?.epoch ?? Infinity);
    await fixture.lock.release(late);
    expect((await fixture.lock.readSeats([SEAT]))[0]).toMatchObject({ state: 'HELD', userId: 'bob' });
  });

  it('reads who holds a seat, and until when', async () => {
    const attempt = await acquired(fixture.lock, requestOf('ann', [SEAT]));
    expect(await fixture.lock.readSeats([SEAT, OTHER_SEAT])).toEqual([
      {
        state: 'HELD',
        epoch: attempt.seats[0]?.epoch,
        orderId: attempt.orderId,
        userId: 'ann',
        lockedUntil: attempt.lockedUntil,
      },
      { state: 'FREE' },
    ]);
  });

  it('works on after Redis has forgotten its scripts', async () => {
    await fixture.redis.script('FLUSH');
    expect((await fixture.lock.acquire(requestOf('ann', [SEAT]))).kind).toBe('acquired');
  });
});
