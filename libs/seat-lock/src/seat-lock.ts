/**
 * Seat locks: they keep the crowd away from the database, which alone decides who gets a seat.
 *
 * ```
 * free ──acquire──> held ──settle sold──> sold ──settle freed──> free
 *                    │└──── TTL runs out ─────────────────────────┘
 *                    └─ release (nothing was published), settle refused
 * ```
 *
 * An order's seats are acquired together or not at all, in one script that also claims the idempotency key. Whoever
 * acquired calls exactly one of `complete` (published: answer stored), `markUnknown` (may have been published: locks are
 * kept, the same key takes the attempt up again) or `release` (surely not published). If it dies before, its lease runs
 * out and the same key takes the attempt up again; without that the locks run out by their TTL. Should Redis lose the key
 * with everything else, an order that the database knows is recognised by its seats.
 *
 * Every call fails with a SeatLockError within the command timeout if Redis is away.
 */
import { randomUUID } from 'node:crypto';
import { eventIdOf, seatLabelOf, type SeatSettlement } from '@seatlog/booking';
import type { Redis } from 'ioredis';
import { parseAcquireReply } from './acquire-reply.ts';
import { epochsKey, requestKey, seatKey } from './keys.ts';
import { isOpenForSale, reconcile } from './reconcile.ts';
import { connectRedis, type RedisConnectionOptions } from './redis-connection.ts';
import { loadScripts, runScript } from './redis-scripts.ts';
import { seatLockError } from './seat-lock-error.ts';
import { readSeatStates } from './seat-states.ts';
import type { SeatState } from './seat-value.ts';
import type {
  AcquireRequest,
  AcquireResult,
  Attempt,
  ReconcileReport,
  SettleResult,
  SoldSeat,
} from './types.ts';

export interface SeatLockOptions extends RedisConnectionOptions {
  /** How long a seat is kept for its buyer; longer than the worst lag of the worker. */
  readonly lockTtlMs: number;
  /** How long a run is believed to be at work before its attempt may be taken up again. */
  readonly leaseMs?: number;
  /** How long an answer is kept for its idempotency key. */
  readonly requestTtlMs?: number;
  /** Random text without `|`. Default: a random UUID. */
  readonly randomId?: () => string;
}

const DEFAULT_LEASE_MS = 15_000;
const DEFAULT_REQUEST_TTL_MS = 24 * 60 * 60 * 1000;

export class SeatLock {
  readonly #redis: Redis;
  readonly #lockTtlMs: number;
  readonly #leaseMs: number;
  readonly #requestTtlMs: number;
  readonly #randomId: () => string;

  private constructor(redis: Redis, options: SeatLockOptions) {
    this.#redis = redis;
    this.#lockTtlMs = options.lockTtlMs;
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
    this.#requestTtlMs = options.requestTtlMs ?? DEFAULT_REQUEST_TTL_MS;
    this.#randomId = options.randomId ?? randomUUID;
  }

  /** Refuses a Redis that evicts (REDIS_EVICTS), or is not there (REDIS_UNAVAILABLE). */
  static async connect(options: SeatLockOptions): Promise<SeatLock> {
    const redis = await connectRedis(options);
    try {
      await loadScripts(redis);
    } catch (error) {
      redis.disconnect();
      throw seatLockError(error);
    }
    return new SeatLock(redis, options);
  }

  async acquire(request: AcquireRequest): Promise<AcquireResult> {
    const claim = this.#randomId();
    const key = requestKey(request.eventId, request.userId, request.idempotencyKey);
    const reply = await runScript(
      this.#redis,
      'acquire',
      [epochsKey(request.eventId), key, ...request.seatIds.map(seatKey)],
      [
        request.fingerprint,
        request.orderId,
        request.userId,
        this.#randomId(),
        claim,
        this.#lockTtlMs,
        this.#leaseMs,
        this.#requestTtlMs,
        ...request.seatIds.map(seatLabelOf),
      ],
    );
    return parseAcquireReply(reply, { seatIds: request.seatIds, claim, requestKey: key });
  }

  /** Stores the answer under the idempotency key. False if another run has taken the attempt up: it will answer the same. */
  async complete(attempt: Attempt, response: string): Promise<boolean> {
    const values = [attempt.claim, response, this.#requestTtlMs];
    return (await runScript(this.#redis, 'complete', [attempt.requestKey], values)) === 1;
  }

  /** The events may have been written: the seats stay locked, and the same key may take the attempt up at once. */
  async markUnknown(attempt: Attempt): Promise<boolean> {
    return (await runScript(this.#redis, 'mark-unknown', [attempt.requestKey], [attempt.claim])) === 1;
  }

  /**
   * Frees the seats and the idempotency key; only for an attempt of which surely nothing was written. False if another run
   * has taken the attempt up: then nothing is freed, and the payment is that run's.
   */
  async release(attempt: Attempt): Promise<boolean> {
    const keys = [attempt.requestKey, ...attempt.seats.map((seat) => seatKey(seat.seatId))];
    return (await runScript(this.#redis, 'release', keys, [attempt.claim])) === 1;
  }

  /** Carries out what the database decided, seat by seat; may be repeated. In the order of `settlements`. */
  async settle(settlements: readonly SeatSettlement[]): Promise<SettleResult[]> {
    return Promise.all(settlements.map((settlement) => this.#settleOne(settlement)));
  }

  /** In the order of `seatIds`, which are all of one event. */
  async readSeats(seatIds: readonly string[]): Promise<SeatState[]> {
    return readSeatStates(this.#redis, seatIds);
  }

  /** Whether the seats of an event are known here. A Redis that lost its data knows none. */
  async isWarm(eventId: string): Promise<boolean> {
    return isOpenForSale(this.#redis, eventId);
  }

  /**
   * Brings the seats of an event in line with the database, and opens the event for sale if it was not. `readSold` is
   * called in between, and must read what is committed by then. Safe while seats are being sold.
   */
  async reconcile(
    eventId: string,
    seatIds: readonly string[],
    readSold: () => Promise<readonly SoldSeat[]>,
  ): Promise<ReconcileReport> {
    return reconcile(this.#redis, eventId, seatIds, readSold);
  }

  /** Rejects if Redis does not answer. */
  async ping(): Promise<void> {
    try {
      await this.#redis.ping();
    } catch (error) {
      throw seatLockError(error);
    }
  }

  async close(): Promise<void> {
    try {
      await this.#redis.quit();
    } catch {
      // Redis is gone already; what is left is our end of the connection.
      this.#redis.disconnect();
    }
  }

  async #settleOne(settlement: SeatSettlement): Promise<SettleResult> {
    const { kind, seatId, epoch, orderId, reservationId } = settlement;
    const keys = [seatKey(seatId), epochsKey(eventIdOf(seatId))];
    const values = [seatLabelOf(seatId), epoch, orderId];
    if (kind === 'sold') values.push(reservationId);
    if (kind === 'refused' && settlement.owner !== null) {
      const { owner } = settlement;
      values.push(owner.epoch, owner.orderId, owner.reservationId);
    }
    return settleResult(await runScript(this.#redis, `settle-${kind}`, keys, values));
  }
}

function settleResult(reply: unknown): SettleResult {
  if (reply === 'done' || reply === 'already' || reply === 'superseded') return reply;
  throw new TypeError(`a settling script gave ${String(reply)}`);
}
