/** A real Redis for a test file, and the lock on it. */
import { orderIdOf, requestFingerprint } from '@seatlog/booking';
import { testServices } from '@seatlog/local-stack';
import { Redis } from 'ioredis';
import { SeatLock } from '../seat-lock.ts';
import type { AcquireRequest, Attempt } from '../types.ts';

export const EVENT = 'gala';
export const seatIds = ['gala:A-1-1', 'gala:A-1-2', 'gala:A-1-3', 'gala:A-1-4'];
export const [SEAT, OTHER_SEAT, THIRD_SEAT] = seatIds as [string, string, string, string];

export interface SeatLockFixture extends AsyncDisposable {
  readonly lock: SeatLock;
  /** A connection of the test's own, to look at keys and to bring faults about. */
  readonly redis: Redis;
  readonly url: string;
  /** Empties Redis, and opens the event. */
  reset(): Promise<void>;
  connect(options?: { lockTtlMs?: number; leaseMs?: number }): Promise<SeatLock>;
}

export async function seatLockFixture(): Promise<SeatLockFixture> {
  const services = await testServices();
  const redis = new Redis(services.redisUrl);
  const locks: SeatLock[] = [];
  const connect = async (options: { lockTtlMs?: number; leaseMs?: number } = {}) => {
    const lock = await SeatLock.connect({
      url: services.redisUrl,
      clientName: 'test',
      lockTtlMs: 60_000,
      // The machine may be busy with other tests: only the outage tests assert on deadlines.
      commandTimeoutMs: 60_000,
      ...options,
    });
    locks.push(lock);
    return lock;
  };
  const lock = await connect();
  return {
    lock,
    redis,
    url: services.redisUrl,
    connect,
    async reset() {
      await redis.flushdb();
      await lock.reconcile(EVENT, seatIds, async () => []);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(locks.map((each) => each.close()));
      redis.disconnect();
      await services.stop();
    },
  };
}

export function requestOf(
  userId: string,
  seats: readonly string[],
  idempotencyKey = 'key-1',
): AcquireRequest {
  return {
    eventId: EVENT,
    userId,
    idempotencyKey,
    fingerprint: requestFingerprint(['POST', ...seats]),
    orderId: orderIdOf({ userId, eventId: EVENT, idempotencyKey }),
    seatIds: seats,
  };
}

export async function acquired(lock: SeatLock, request: AcquireRequest): Promise<Attempt> {
  const result = await lock.acquire(request);
  if (result.kind !== 'acquired' && result.kind !== 'resumed')
    throw new Error(`the lock gave ${result.kind}`);
  return result.attempt;
}

export async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the awaited condition did not come within 60 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
