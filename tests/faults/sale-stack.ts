/**
 * A whole ticketing system on this machine for tests that break it: servers and apps as processes of its own, durable as
 * in a demo (what is killed must find its data again), with shorter leases, so that what a dead process had claimed is
 * free again soon. It serves many sales, each of an event of its own.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservationEvents } from '@seatlog/booking';
import { createClient, type KafkaClient } from '@seatlog/kafka-client';
import {
  type AppServer,
  type ManagedProcess,
  type Stack,
  type StackEndpoints,
  startApp,
} from '@seatlog/local-stack';
import { putOnSale } from '@seatlog/ticketing-setup';
import pg from 'pg';
import { audit, type AuditReport } from '../../load-tests/audit/audit.ts';
import type { JournalEntry } from '../../load-tests/audit/journal.ts';
import { collectFacts } from '../../load-tests/collect/collect-facts.ts';
import { collectLags } from '../../load-tests/collect/lag-facts.ts';
import { untilAtRest } from '../../load-tests/collect/rest.ts';
import { startTicketing } from '../../load-tests/ticketing-stack.ts';
import { until } from './until.ts';

const apps = ['booking-api', 'reservation-worker', 'outbox-relay', 'refund-notifier'] as const;
export type AppName = (typeof apps)[number];
export type ProcessName = AppName | 'broker-1' | 'redis' | 'postgres';

/** Of a claim in the outbox. */
const RELAY_LEASE_MS = 5_000;
const environment = {
  LEASE_MS: String(RELAY_LEASE_MS),
  PAYMENT_TIMEOUT_MS: '2000',
  PUBLISH_TIMEOUT_MS: '3000',
  REQUEST_LEASE_MS: '7000',
  RECONCILE_INTERVAL_MS: '5000',
} as const;

/** How long Redis may differ from the database after a loss: two rounds of reconciling, on a busy machine. */
const REDIS_FOLLOWS_WITHIN_MS = 60_000;
const SECTIONS = [
  { name: 'A', rows: 10, seatsPerRow: 20, price: 9_500 },
  { name: 'B', rows: 10, seatsPerRow: 20, price: 4_500 },
];

export class SaleStack implements AsyncDisposable {
  readonly #folder: string;
  readonly #stack: Stack;
  readonly #pool: pg.Pool;
  readonly client: KafkaClient;
  readonly #more: AppServer[] = [];
  #events = 0;

  private constructor(folder: string, stack: Stack) {
    this.#folder = folder;
    this.#stack = stack;
    this.#pool = new pg.Pool({
      connectionString: stack.endpoints.databaseUrl,
      application_name: 'fault-test',
    });
    // The next statement says so.
    this.#pool.on('error', () => undefined);
    this.client = createClient({ brokers: stack.endpoints.brokers, clientId: 'fault-test' });
  }

  static async start(): Promise<SaleStack> {
    const folder = mkdtempSync(join(tmpdir(), 'seatlog-faults-'));
    // PostgreSQL does not run as root.
    chmodSync(folder, 0o755);
    const stack = await startTicketing({ dataDirectory: join(folder, 'data'), appEnvironment: environment });
    return new SaleStack(folder, stack);
  }

  get endpoints(): StackEndpoints {
    return this.#stack.endpoints;
  }

  get dataDirectory(): string {
    return this.#stack.dataDirectory;
  }

  get processes(): ReadonlyMap<string, ManagedProcess> {
    return this.#stack.processes;
  }

  process(name: ProcessName): ManagedProcess {
    const process = this.#stack.processes.get(name);
    if (process === undefined) throw new Error(`the stack has no ${name}`);
    return process;
  }

  /** Another process of an app. It ends with the stack at the latest. */
  async startAnother(
    app: AppName,
    name: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<AppServer> {
    const { databaseUrl, redisUrl, brokers } = this.endpoints;
    const services = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, BROKERS: brokers };
    const server = await startApp({
      app,
      name,
      dataDirectory: this.dataDirectory,
      environment: { ...services, ...environment, ...more },
    });
    this.#more.push(server);
    return server;
  }

  /** An event that nobody has bought of yet; resolves when the API sells it. */
  async putOnSale(): Promise<string> {
    this.#events += 1;
    const eventId = `gala-${this.#events}`;
    const startsAt = new Date('2031-04-05T19:30:00Z');
    const event = { eventId, name: `Gala ${this.#events}`, startsAt, currency: 'EUR', sections: SECTIONS };
    await putOnSale(this.endpoints.databaseUrl, event);
    await until(`${eventId} on sale`, () => this.sells(eventId));
    return eventId;
  }

  async sells(eventId: string, bookingApiUrl = this.endpoints.bookingApiUrl): Promise<boolean> {
    return (await fetch(`${bookingApiUrl}/events/${eventId}/seats`)).status === 200;
  }

  async rows(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    return (await this.#pool.query<Record<string, unknown>>(text, [...values])).rows;
  }

  /** The first column of the first row. */
  async number(text: string, values: readonly unknown[] = []): Promise<number> {
    const [row] = await this.rows(text, values);
    return Number(Object.values(row ?? {})[0]);
  }

  /** A connection of its own, for what has to be held open; the caller releases it. */
  connection(): Promise<pg.PoolClient> {
    return this.#pool.connect();
  }

  /** Records that a group has not worked off. */
  async lagOf(group: string): Promise<number> {
    const lags = await collectLags(this.client);
    return lags.filter((one) => one.group === group).reduce((sum, { lag }) => sum + lag, 0);
  }

  /** Reservations whose records the worker's group has not committed yet. */
  async rowsPastOffset(): Promise<number> {
    const rows = await this.rows(
      'SELECT source_partition AS partition, source_offset AS at FROM reservations',
    );
    const partitions = [...new Set(rows.map(({ partition }) => Number(partition)))];
    const committed = await this.client.admin().fetchOffsets('db-writer', {
      partitions: partitions.map((partition) => ({ topic: reservationEvents.name, partition })),
    });
    const nextOf = new Map(committed.map(({ partition, offset }) => [partition, offset ?? 0] as const));
    return rows.filter(({ partition, at }) => Number(at) >= (nextOf.get(Number(partition)) ?? 0)).length;
  }

  /** The sum of a metric over the series that bear these labels. */
  async metric(app: AppName, name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const text = await (await fetch(`${this.endpoints.apps[app]}/metrics`)).text();
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => wanted.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /**
   * Lets the system come to rest and looks at everything. Redis may follow later than that, when it has lost marks: it is
   * given the time of two rounds of reconciling.
   */
  async auditAtRest(journal: readonly JournalEntry[]): Promise<AuditReport> {
    await untilAtRest(this.endpoints);
    const end = performance.now() + REDIS_FOLLOWS_WITHIN_MS;
    for (;;) {
      const report = audit(await collectFacts(this.endpoints, journal));
      const others = report.violations.filter(({ rule }) => rule !== 'redis-differs');
      if (report.ok || others.length > 0 || performance.now() > end) return report;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.client.close(), this.#pool.end()]);
    await Promise.all(this.#more.map((server) => server.stop()));
    await this.#stack.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
