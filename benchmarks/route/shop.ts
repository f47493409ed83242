/** PostgreSQL, Redis, a broker and the booking API on free ports, with two halls on sale, and the raw server beside them. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { formatSeatId } from '@seatlog/booking';
import { migrate } from '@seatlog/booking-database';
import { repositoryRoot, startApp, startBroker, startPostgres, startRedis } from '@seatlog/local-stack';
import { createTicketingTopics, putOnSale } from '@seatlog/ticketing-setup';
import { type Child, startChild } from '../broker/child.ts';

export interface ServerUnderTest {
  readonly name: 'booking-api' | 'raw';
  readonly url: string;
  readonly processId: number;
  /** Every seat can be had once. */
  readonly eventId: string;
  readonly seatIds: readonly string[];
}

export interface Shop extends AsyncDisposable {
  readonly api: ServerUnderTest;
  readonly raw: ServerUnderTest;
}

const SEATS_PER_ROW = 50;
const PRICE = 4500;
const execute = promisify(execFile);

export async function openShop(dataDirectory: string, seatsPerHall: number): Promise<Shop> {
  await compileApi();
  await using parts = new AsyncDisposableStack();
  const postgres = parts.use(await startPostgres({ dataDirectory, durable: false }));
  const redis = parts.use(await startRedis({ dataDirectory }));
  const broker = parts.use(await startBroker({ dataDirectory }));
  await migrate(postgres.url);
  await createTicketingTopics(broker.address, 1);
  for (const eventId of ['api', 'raw']) await putOnSale(postgres.url, hall(eventId, seatsPerHall));
  const api = parts.use(
    await startApp({
      app: 'booking-api',
      dataDirectory,
      environment: {
        BROKERS: broker.address,
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        // No worker takes the orders off; the API must not hold back for it.
        SEAT_LOCK_TTL_MS: '3600000',
        TOKEN_SECRET: 'a secret for the benchmark, longer than 32',
      },
    }),
  );
  const raw: Child = await startChild(
    [new URL('./raw-server.ts', import.meta.url).pathname, redis.url, broker.address],
    ({ port }) => (typeof port === 'number' ? port : null),
  );
  parts.defer(() => raw.stop());
  const owned = parts.move();
  return {
    api: {
      name: 'booking-api',
      url: api.url,
      processId: api.process.pid ?? -1,
      eventId: 'api',
      seatIds: seatsOf('api', seatsPerHall),
    },
    raw: {
      name: 'raw',
      url: `http://127.0.0.1:${raw.port}`,
      processId: raw.processId,
      eventId: 'raw',
      seatIds: seatsOf('raw', seatsPerHall),
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Nx does nothing for an app whose sources have not changed. */
async function compileApi(): Promise<void> {
  const nx = join(repositoryRoot, 'node_modules/nx/dist/bin/nx.js');
  await execute(process.execPath, [nx, 'run', '@seatlog/booking-api:build'], { cwd: repositoryRoot });
}

function hall(eventId: string, seats: number) {
  const rows = Math.ceil(seats / SEATS_PER_ROW);
  return {
    eventId,
    name: 'Benchmark',
    startsAt: new Date('2030-05-18T19:30:00Z'),
    currency: 'EUR',
    sections: [{ name: 'A', rows, seatsPerRow: SEATS_PER_ROW, price: PRICE }],
  };
}

function seatsOf(eventId: string, seats: number): readonly string[] {
  return Array.from({ length: seats }, (_, index) =>
    formatSeatId({
      eventId,
      section: 'A',
      row: String(1 + Math.floor(index / SEATS_PER_ROW)),
      number: 1 + (index % SEATS_PER_ROW),
    }),
  );
}
