/** Faults that need more than a kill at some point: what is held up, emptied, cut or stopped at one certain moment. */
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { collectLog } from '../../load-tests/collect/log-facts.ts';
import { tellLastWords } from '../last-words.ts';
import { LOSERS, RunningSale } from './running-sale.ts';
import { type ProcessName, SaleStack } from './sale-stack.ts';
import type { Order } from '../../load-tests/smoke/buyer.ts';
import { Shop } from './shop.ts';
import { until } from './until.ts';
import { bringBack, kill, type Victim } from './victims.ts';

/** Times that a seat is bought and given back while two relays run. */
const TURNS = 3;
const SESSIONS_TO_CUT = 4;
const STORY = { timeout: 480_000 };
/** How often the worker is killed at most until it happens at the moment that is wanted. */
const MOST_KILLS = 20;

let stack: SaleStack;
beforeAll(async () => {
  stack = await SaleStack.start();
});
afterAll(() => stack?.[Symbol.asyncDispose]());
beforeEach(() => tellLastWords(() => stack.processes.values()));

/** A test that fails in the middle leaves no buyers to the next one. */
async function beginSale(seed: number): Promise<RunningSale> {
  const sale = await RunningSale.begin(stack, seed);
  onTestFinished(() => sale.over);
  return sale;
}

async function crash(victim: Victim): Promise<void> {
  await kill(stack, victim);
  await bringBack(stack, victim);
}

const hold = (name: ProcessName): void => void stack.process(name).kill('SIGSTOP');
const letGo = (name: ProcessName): void => void stack.process(name).kill('SIGCONT');

/** Locks rows until the connection is released; what else wants them waits. */
async function lockRows(text: string, values: readonly unknown[]): Promise<PoolClient> {
  const connection = await stack.connection();
  await connection.query('BEGIN');
  await connection.query(text, [...values]);
  return connection;
}

async function unlock(connection: PoolClient): Promise<void> {
  await connection.query('ROLLBACK');
  connection.release();
}

const WAITING_FOR_LOCK = `application_name = $1 AND wait_event_type = 'Lock'`;

async function untilWaitsForLock(service: string): Promise<void> {
  const count = `SELECT count(*) FROM pg_stat_activity WHERE ${WAITING_FOR_LOCK}`;
  await until(`a statement of ${service} that waits`, async () => (await stack.number(count, [service])) > 0);
}

async function isSound(shop: Pick<Shop, 'journal'>): Promise<void> {
  expect((await stack.auditAtRest(shop.journal)).violations).toEqual([]);
}

describe('F60: Redis comes back empty', () => {
  it(
    'between two buyers of one seat: the first has it, the second is refused late, counted and refunded',
    STORY,
    async () => {
      const shop = await Shop.open(stack);
      const late = () => stack.metric('reservation-worker', 'seatlog_late_rejections_total');
      const before = await late();
      // The database does not hear of the first before the second has asked.
      hold('reservation-worker');
      const ann = await shop.buy('ann', [1]);
      await crash('redis-emptied');
      const bob = await shop.buy('bob', [1]);
      letGo('reservation-worker');
      expect(await shop.outcome(ann)).toBe('CONFIRMED');
      expect(await shop.outcome(bob)).toBe('REJECTED');
      await isSound(shop);
      expect(await late()).toBe(before + 1);
      const refunds = `SELECT count(*) FROM refunds WHERE order_id = $1`;
      expect(await stack.number(refunds, [bob.orderId])).toBe(1);
    },
  );

  it(
    'a buyer who asks again gets the order that is theirs, and one with other seats does not spoil it',
    STORY,
    async () => {
      const shop = await Shop.open(stack);
      const [ann, eve] = [await shop.buy('ann', [1, 2]), await shop.buy('eve', [4])];
      for (const order of [ann, eve]) expect(await shop.outcome(order)).toBe('CONFIRMED');
      await crash('redis-emptied');
      expect(await shop.buy('ann', [1, 2])).toMatchObject({ orderId: ann.orderId, token: ann.token });
      expect(await shop.ask('ann', [3])).toMatchObject({ kind: 'refused', code: 'IDEMPOTENCY_MISMATCH' });
      expect(await shop.ask('bob', [1])).toMatchObject({ kind: 'refused', code: 'SEAT_TAKEN' });
      // Nobody remembers that this key was another request's. The database does.
      expect(await shop.buy('eve', [5])).toMatchObject({ orderId: eve.orderId });
      await isSound(shop);
      const rows = await stack.rows(
        'SELECT seat_id, status FROM reservations WHERE order_id = $1 ORDER BY seat_id',
        [eve.orderId],
      );
      expect(rows).toEqual([
        { seat_id: shop.seat(4), status: 'CONFIRMED' },
        { seat_id: shop.seat(5), status: 'REJECTED' },
      ]);
    },
  );
});

describe('F65: the worker is killed', () => {
  const ofSeat = 'SELECT id FROM reservations WHERE seat_id = $1';

  it('inside its transaction: one row', STORY, async () => {
    const shop = await Shop.open(stack);
    const seat = await lockRows('SELECT FROM seats WHERE id = $1 FOR UPDATE', [shop.seat(1)]);
    const order = await shop.buy('ann', [1]);
    await untilWaitsForLock('reservation-worker');
    await kill(stack, 'reservation-worker');
    await unlock(seat);
    await bringBack(stack, 'reservation-worker');
    expect(await shop.outcome(order)).toBe('CONFIRMED');
    expect(await stack.rows(ofSeat, [shop.seat(1)])).toHaveLength(1);
    await isSound(shop);
  });

  it(
    'between the commit of its rows and that of its offset: the records come again and change nothing',
    STORY,
    async () => {
      const shop = await Shop.open(stack);
      const orders: Order[] = [];
      const killAfterRow = async (number: number): Promise<void> => {
        const seat = await lockRows('SELECT FROM seats WHERE id = $1 FOR UPDATE', [shop.seat(number)]);
        const order = await shop.buy(`guest-${number}`, [number]);
        await untilWaitsForLock('reservation-worker');
        // Between the two it speaks to Redis, and waits a while for the answer.
        hold('redis');
        await unlock(seat);
        await until('the row', async () => (await stack.rows(ofSeat, [shop.seat(number)])).length > 0);
        await kill(stack, 'reservation-worker');
        letGo('redis');
        orders.push(order);
      };
      // On a busy machine the row may be seen when the worker has waited for long enough.
      for (let number = 1; (await stack.rowsPastOffset()) === 0; number += 1) {
        if (number > MOST_KILLS) throw new Error('the worker was never killed between the two');
        if (number > 1) await bringBack(stack, 'reservation-worker');
        await killAfterRow(number);
      }
      expect(await stack.rowsPastOffset()).toBe(1);
      await bringBack(stack, 'reservation-worker');
      for (const order of orders) expect(await shop.outcome(order)).toBe('CONFIRMED');
      await isSound(shop);
      const again = { kind: 'duplicate' };
      expect(await stack.metric('reservation-worker', 'seatlog_reservation_decisions_total', again)).toBe(1);
    },
  );
});

describe('F66: two relays at once', () => {
  it(
    'one dies after publishing, before deleting: told twice, applied once, in order for each seat',
    STORY,
    async () => {
      const shop = await Shop.open(stack);
      const other = await stack.startAnother('outbox-relay', 'outbox-relay-2');
      const { pid } = other.process;
      hold('outbox-relay');
      other.process.kill('SIGSTOP');
      const seats = Array.from({ length: 12 }, (_, index) => index + 1);
      const guests = Promise.all(seats.map((seat) => shop.goRound(seat, TURNS)));
      await until(
        'a full outbox',
        async () => (await stack.number('SELECT count(*) FROM outbox')) > seats.length,
      );
      // The first one claims what it can, and cannot publish yet.
      hold('broker-1');
      letGo('outbox-relay');
      const claims = 'SELECT claimed_by, message_id FROM outbox WHERE claimed_by IS NOT NULL';
      await until('a claim', async () => (await stack.rows(claims)).length > 0);
      const [claim] = await stack.rows(claims);
      const rows = await lockRows('SELECT FROM outbox WHERE claimed_by = $1 FOR UPDATE', [
        claim?.['claimed_by'],
      ]);
      letGo('broker-1');
      other.process.kill('SIGCONT');
      // All of them are acknowledged, and their deletion waits.
      await untilWaitsForLock('outbox-relay');
      await kill(stack, 'outbox-relay');
      // Its last statement has not come through.
      await stack.rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${WAITING_FOR_LOCK}`, [
        'outbox-relay',
      ]);
      await unlock(rows);
      await bringBack(stack, 'outbox-relay');
      await guests;
      await isSound(shop);
      expect([other.process.running, other.process.pid]).toEqual([true, pid]);

      const { refundEvents } = await collectLog(stack.client);
      const told = refundEvents
        .filter(({ value }) => value.eventId === shop.eventId)
        .toSorted((a, b) => a.partition - b.partition || a.offset - b.offset);
      const ids = told.map(({ value }) => value.refundId);
      const once = told.filter((_, index) => ids.indexOf(ids[index] ?? '') === index);
      expect(once).toHaveLength(seats.length * TURNS);
      expect(told.length).toBeGreaterThan(once.length);
      for (const [seat, ofSeat] of Map.groupBy(once, ({ value }) => value.seatId)) {
        const epochs = ofSeat.map(({ value }) => value.epoch);
        expect({ seat, epochs }).toEqual({ seat, epochs: epochs.toSorted((a, b) => a - b) });
      }
      await other.stop();
    },
  );
});

describe('F67: PostgreSQL', () => {
  it(
    'cuts every session in the middle of a sale: all processes live on, nothing is lost or doubled',
    STORY,
    async () => {
      const pids = () =>
        [...stack.processes].map(([name, process]) => [name, process.running && process.pid]);
      const before = pids();
      const sale = await beginSale(67);
      const sessions = 'datname = current_database() AND pid <> pg_backend_pid()';
      const cutWhen = async (point: () => boolean): Promise<void> => {
        await until('a moment with sessions to cut', async () => {
          const count = await stack.number(`SELECT count(*) FROM pg_stat_activity WHERE ${sessions}`);
          return point() && count > SESSIONS_TO_CUT;
        });
        await stack.rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${sessions}`);
      };
      await cutWhen(() => sale.taken >= LOSERS / 2);
      await cutWhen(() => sale.cancelled > 4);
      await sale.over;
      await isSound(sale);
      expect(sale.complaints).toEqual([]);
      expect(pids()).toEqual(before);
    },
  );
});

describe('F71: SIGTERM under load', () => {
  it('each process ends by itself with 0, and the sale loses nothing', STORY, async () => {
    const sale = await beginSale(71);
    const hopeless = () => (sale.isOver ? 'the sale is over' : null);
    const terminate = async (name: ProcessName): Promise<void> => {
      const process = stack.process(name);
      process.kill('SIGTERM');
      const { code, signal } = await process.exited;
      // It would be another code if a step of its shutdown had come to its deadline.
      expect({ name, code, signal }).toEqual({ name, code: 0, signal: null });
      await process.restart();
    };
    await until('the first orders', () => sale.accepted > 4, { hopeless });
    await terminate('booking-api');
    await until('fights', () => sale.taken >= LOSERS / 4, { hopeless });
    await terminate('reservation-worker');
    await until('cancellations', () => sale.cancelling > 0, { hopeless });
    await Promise.all([terminate('outbox-relay'), terminate('refund-notifier'), terminate('broker-1')]);
    await sale.over;
    await isSound(sale);
    expect(sale.complaints).toEqual([]);
  });
});

describe('negative controls', () => {
  const found = async (shop: Shop) => {
    const { violations } = await stack.auditAtRest(shop.journal);
    return [...new Set(violations.map(({ rule }) => rule))].toSorted();
  };

  it(
    'without acknowledgements, orders that were accepted are lost with the broker, and the audit sees it',
    STORY,
    async () => {
      const careless = await stack.startAnother('booking-api', 'booking-api-careless', {
        PRODUCER_ACKS: '0',
        TOKEN_SECRET: 'another secret of 32 characters or more',
      });
      const shop = await Shop.open(stack, careless.url);
      expect(await shop.outcome(await shop.buy('ann', [1]))).toBe('CONFIRMED');
      hold('broker-1');
      await shop.buy('bob', [2, 3]);
      await crash('broker');
      expect(await found(shop)).toEqual(['accepted-lost', 'accepted-not-in-log']);
      await careless.stop();
    },
  );

  it('a row that is gone, and a seat that is sold twice, are seen', STORY, async () => {
    const shop = await Shop.open(stack);
    for (const order of [await shop.buy('ann', [1]), await shop.buy('bob', [2])]) {
      expect(await shop.outcome(order)).toBe('CONFIRMED');
    }
    await isSound(shop);
    await stack.rows('DROP INDEX reservations_one_live_per_seat');
    await stack.rows('UPDATE reservations SET seat_id = $1 WHERE seat_id = $2', [shop.seat(2), shop.seat(1)]);
    expect(await found(shop)).toContain('double-sold');
    await stack.rows('DELETE FROM reservations WHERE seat_id = $1', [shop.seat(2)]);
    expect(await found(shop)).toEqual(expect.arrayContaining(['accepted-lost', 'event-without-row']));
  });
});
