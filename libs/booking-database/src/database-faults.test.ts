import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SilentRelay, startPostgres, wipeDataDirectory, type PostgresServer } from '@seatlog/local-stack';
import { sql, type RawBuilder } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isTransientDatabaseError } from './database-error.ts';
import { openDatabase, type BookingDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { applyReservationEvents } from './statements/apply-reservation-events.ts';
import { audit } from './statements/audit.ts';
import { seedEvent } from './statements/seed-event.ts';
import { created, EVENT, NOW, orderOf, PRICE, until } from './testing/database-fixture.ts';
import { inTransaction } from './transaction.ts';

const coded = (code: string, message: string) => Object.assign(new Error(message), { code });

describe('F67: PostgreSQL fails', () => {
  let folder: string;
  let server: PostgresServer;
  let database: BookingDatabase;
  let idleErrors = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'booking-database-'));
    server = await startPostgres({ dataDirectory: folder, durable: false });
    await migrate(server.url);
    database = openDatabase({
      url: server.url,
      applicationName: 'victim',
      onIdleError: () => (idleErrors += 1),
    });
    const sections = [{ name: 'A', rows: 10, seatsPerRow: 50, price: PRICE }];
    await seedEvent(database, {
      eventId: EVENT,
      name: 'Gala',
      startsAt: new Date(NOW),
      currency: 'EUR',
      sections,
    });
  });
  afterAll(async () => {
    await database.destroy();
    await server.stop();
    wipeDataDirectory(folder);
  });
  beforeEach(async () => {
    await sql`TRUNCATE orders, reservations, outbox`.execute(database);
  });

  const batchOf = (first: number) =>
    Array.from({ length: 20 }, (_, index) => orderOf(`u${first + index}`, 1, first + index))
      .flatMap(created)
      .map((event) => ({ event, source: null }));

  const applyUntilDone = (first: number): Promise<number> =>
    untilDone(() => applyReservationEvents(database, batchOf(first), { now: NOW }));

  /** What the worker does: the same again for as long as the fault passes by itself. */
  async function untilDone(work: () => Promise<unknown>): Promise<number> {
    const deadline = performance.now() + 60_000;
    for (let failures = 0; ; failures += 1) {
      try {
        await work();
        return failures;
      } catch (error) {
        if (!isTransientDatabaseError(error) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async function soldSeats(): Promise<number> {
    const { violations, totals } = await audit(database);
    expect(violations).toMatchObject({ doubledSeats: 0, pendingOrders: 0, brokenOrders: 0 });
    return totals.sold;
  }

  it('idle connections that are reset are replaced, and the process lives on', async () => {
    await applyUntilDone(1);
    const before = idleErrors;
    const killer = openDatabase({ url: server.url, applicationName: 'killer', poolSize: 1 });
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'`.execute(
      killer,
    );
    await killer.destroy();
    // Before the next batch takes a connection that is about to break: that would fail, and be no idle one.
    await expect.poll(() => idleErrors).toBeGreaterThan(before);
    await applyUntilDone(21);
    expect(await soldSeats()).toBe(40);
  });

  it('a server that stops at once in the middle of batches and comes back loses and doubles nothing', async () => {
    const holder = openDatabase({ url: server.url, applicationName: 'holder', poolSize: 1 });
    const work = await holder.connection().execute(async (connection) => {
      await sql`BEGIN`.execute(connection);
      // None of the batches is through before the server goes.
      await sql`LOCK TABLE orders`.execute(connection);
      const batches = Promise.all([1, 21, 41, 61, 81, 101, 121, 141].map(applyUntilDone));
      server.process.kill('SIGQUIT');
      await server.process.exited;
      return { batches };
    });
    await holder.destroy();
    await server.process.restart();
    const failures = (await work.batches).reduce((sum, each) => sum + each);
    expect(failures).toBeGreaterThan(0);
    expect(await soldSeats()).toBe(160);
  });

  it('a commit of unknown outcome may be repeated', async () => {
    await applyReservationEvents(database, batchOf(1), { now: NOW });
    expect(await applyUntilDone(1)).toBe(0);
    expect(await soldSeats()).toBe(20);
  });

  it('a deadlock is run again by itself', async () => {
    let holders = 0;
    const lock = async (first: number, second: number) => {
      let runs = 0;
      await inTransaction(database, async (transaction) => {
        runs += 1;
        await sql`SELECT pg_advisory_xact_lock(${first})`.execute(transaction);
        // Lets the other one take its first lock; on a rerun it has finished, or waits for us.
        holders += 1;
        await until(() => holders >= 2);
        await sql`SELECT pg_advisory_xact_lock(${second})`.execute(transaction);
      });
      return runs;
    };
    const runs = await Promise.all([lock(1, 2), lock(2, 1)]);
    expect(runs.reduce((sum, each) => sum + each)).toBeGreaterThan(2);
  });

  it('a server that vanished without a word is looked for anew', async () => {
    const url = new URL(server.url);
    await using relay = await SilentRelay.listen(Number(url.port));
    url.port = String(relay.port);
    const distant = openDatabase({
      url: url.href,
      applicationName: 'distant',
      poolSize: 2,
      statementTimeoutMs: 1000,
    });
    const question = sql`SELECT 1`;
    // Two connections, which are idle when the server goes.
    await Promise.all([question.execute(distant), question.execute(distant)]);
    relay.silence();
    const lost = await Promise.allSettled([
      question.execute(distant),
      inTransaction(distant, (transaction) => question.execute(transaction)),
    ]);
    for (const result of lost) {
      expect(result.status === 'rejected' && isTransientDatabaseError(result.reason)).toBe(true);
    }
    await untilDone(async () => {
      await question.execute(distant);
      await inTransaction(distant, (transaction) => question.execute(transaction));
    });
    await distant.destroy();
  });

  it('tells passing faults from lasting ones', async () => {
    const nowhere = openDatabase({ url: 'postgres://x@127.0.0.1:1/x', applicationName: 'lost' });
    const refused = await sql`SELECT 1`.execute(nowhere).catch((error: unknown) => error);
    await nowhere.destroy();
    expect(isTransientDatabaseError(refused)).toBe(true);
    const failureOf = (statement: RawBuilder<unknown>) =>
      statement.execute(database).catch((error: unknown) => error);
    const refusedForItsValues = [
      sql`SELECT ${'a\0b'}::text`,
      sql`SELECT 1 / 0`,
      sql`SELECT 99999999999::integer`,
      sql`INSERT INTO seats (id, event_id, section, row_name, number, price) VALUES ('x', ${EVENT}, 'A', '1', 1, -1)`,
    ];
    for (const statement of refusedForItsValues) {
      expect(isTransientDatabaseError(await failureOf(statement))).toBe(false);
    }
    expect(isTransientDatabaseError(new TypeError('a mistake of ours'))).toBe(false);
  });

  it('T7: what is wrong with the server and not with a record is waited out: no record is parked for it', async () => {
    const url = new URL(server.url);
    url.pathname = '/another';
    const lost = openDatabase({ url: url.href, applicationName: 'lost' });
    const faults = [
      await sql`SELECT 1`.execute(lost).catch((error: unknown) => error),
      // As while a migration is under way.
      await sql`SELECT FROM tables_to_come`.execute(database).catch((error: unknown) => error),
      coded('28P01', 'password authentication failed'),
      coded('42501', 'permission denied for table orders'),
      // A worker that stood still in the middle of its transaction.
      coded('25P03', 'terminating connection due to idle-in-transaction timeout'),
      coded('ENETUNREACH', 'connect ENETUNREACH'),
      new Error('Client was closed and is not queryable'),
    ];
    await lost.destroy();
    for (const fault of faults) expect([fault, isTransientDatabaseError(fault)]).toEqual([fault, true]);
  });
});
