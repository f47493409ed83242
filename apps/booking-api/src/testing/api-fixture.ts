/**
 * The API over a real Redis, with the other ports played: a log that writes, refuses or leaves in doubt as told, a payment
 * provider that can be held up, a catalogue in memory.
 */
import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { ReservationEvent } from '@seatlog/booking';
import type { CatalogueEvent, CatalogueSeat, LiveReservation, OrderState } from '@seatlog/booking-database';
import { testServices } from '@seatlog/local-stack';
import { createLogger, HealthRegistry, Registry } from '@seatlog/observability';
import { SeatLock } from '@seatlog/seat-lock';
import { Redis } from 'ioredis';
import { AdmissionGate } from '../admission/admission-gate.ts';
import { ApiMetrics } from '../api-metrics.ts';
import { BookingApiModule } from '../booking-api.module.ts';
import { CatalogueKeeper } from '../catalogue/catalogue-keeper.ts';
import { CatalogueSource } from '../catalogue/catalogue-source.ts';
import { httpAdapter, setUpHttp } from '../http/http-server.ts';
import { PaymentGateway, type PaymentRequest, type PaymentResult } from '../payments/payment-gateway.ts';
import { SimulatedPaymentGateway } from '../payments/simulated-payment-gateway.ts';
import { ReservationPublisher, type PublishOutcome } from '../reservations/reservation-publisher.ts';

export const TOKEN_SECRET = 'a secret of thirty-two characters';
export const EVENT = 'gala';
export const PRICE = 4500;
export const seats: readonly CatalogueSeat[] = Array.from({ length: 10 }, (_, index) => ({
  seatId: `${EVENT}:A-1-${index + 1}`,
  section: 'A',
  row: '1',
  number: index + 1,
  price: PRICE,
}));
export const seat = (number: number): string => `${EVENT}:A-1-${number}`;

export class PlayedPublisher extends ReservationPublisher {
  readonly written: ReservationEvent[] = [];
  /** Used up one by one; then everything is written. */
  readonly outcomes: ('not-written' | 'unknown' | 'unknown-but-written')[] = [];
  calls = 0;
  /** Awaited before each answer. */
  hold: Promise<void> = Promise.resolve();

  reset(): void {
    this.written.length = 0;
    this.outcomes.length = 0;
    this.calls = 0;
    this.hold = Promise.resolve();
  }

  async publish(events: readonly ReservationEvent[]): Promise<PublishOutcome> {
    this.calls += 1;
    await this.hold;
    const outcome = this.outcomes.shift();
    if (outcome === 'not-written') return { kind: 'not-written', code: 'METADATA_TIMEOUT' };
    if (outcome === 'unknown') return { kind: 'unknown', code: 'REQUEST_TIMEOUT' };
    this.written.push(...events);
    if (outcome === 'unknown-but-written') return { kind: 'unknown', code: 'DELIVERY_TIMEOUT' };
    return { kind: 'written', records: events.map((_, offset) => ({ partition: 0, offset })) };
  }
}

export class PlayedPayments extends PaymentGateway {
  readonly #simulated = new SimulatedPaymentGateway();
  readonly authorized: PaymentRequest[] = [];
  readonly voided: string[] = [];

  reset(): void {
    this.authorized.length = 0;
    this.voided.length = 0;
  }

  async authorize(request: PaymentRequest, signal: AbortSignal): Promise<PaymentResult> {
    this.authorized.push(request);
    return this.#simulated.authorize(request, signal);
  }

  async void(attemptId: string): Promise<void> {
    this.voided.push(attemptId);
  }
}

export class PlayedSource extends CatalogueSource {
  events: CatalogueEvent[] = [
    { eventId: EVENT, name: 'Spring Gala', startsAt: new Date(0), currency: 'EUR', revision: 1 },
  ];
  sold: LiveReservation[] = [];
  failure: Error | null = null;
  seatReads = 0;
  soldReads = 0;

  reset(): void {
    this.sold = [];
    this.failure = null;
  }

  async readEvents(): Promise<readonly CatalogueEvent[]> {
    this.#fail();
    return this.events;
  }

  async readSeats(): Promise<readonly CatalogueSeat[]> {
    this.#fail();
    this.seatReads += 1;
    return seats;
  }

  async readSold(): Promise<readonly LiveReservation[]> {
    this.#fail();
    this.soldReads += 1;
    return this.sold;
  }

  #fail(): void {
    if (this.failure !== null) throw this.failure;
  }
}

export interface ApiFixture extends AsyncDisposable {
  readonly app: NestFastifyApplication;
  readonly seatLock: SeatLock;
  readonly redis: Redis;
  readonly publisher: PlayedPublisher;
  readonly payments: PlayedPayments;
  readonly source: PlayedSource;
  readonly keeper: CatalogueKeeper;
  readonly health: HealthRegistry;
  readonly registry: Registry;
  readonly gates: { readonly reservations: AdmissionGate; readonly reads: AdmissionGate };
  readonly orders: Map<string, OrderState | Error>;
  /** Lines of the log, parsed. */
  readonly log: Record<string, unknown>[];
  /** As at the beginning: nothing locked, nothing sold, nothing told. */
  reset(): Promise<void>;
}

export interface ApiFixtureOptions {
  readonly lockTtlMs?: number;
  readonly leaseMs?: number;
  readonly paymentTimeoutMs?: number;
  readonly seatListCacheMs?: number;
  readonly maxReservations?: number;
  readonly maxReads?: number;
  readonly estimatedDrainMs?: () => number | null;
}

export async function apiFixture(options: ApiFixtureOptions = {}): Promise<ApiFixture> {
  const services = await testServices();
  const seatLock = await SeatLock.connect({
    url: services.redisUrl,
    clientName: 'test',
    lockTtlMs: options.lockTtlMs ?? 60_000,
    leaseMs: options.leaseMs ?? 20_000,
    // The machine may be busy with other tests.
    commandTimeoutMs: 60_000,
  });
  const redis = new Redis(services.redisUrl);
  const [publisher, payments, source] = [new PlayedPublisher(), new PlayedPayments(), new PlayedSource()];
  const orders = new Map<string, OrderState | Error>();
  const log: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
  const logger = createLogger({ service: 'booking-api', level: 'debug', destination });
  const registry = new Registry();
  const metrics = new ApiMetrics(registry);
  const module = BookingApiModule.with({
    configuration: {
      TOKEN_SECRET,
      PAYMENT_TIMEOUT_MS: options.paymentTimeoutMs ?? 10_000,
      CATALOGUE_REFRESH_MS: 60_000,
      RECONCILE_INTERVAL_MS: 60_000,
      SEAT_LIST_CACHE_MS: options.seatListCacheMs ?? 0,
    },
    logger,
    metrics,
    seatLock,
    source,
    payments,
    publisher,
    readOrder: async (orderId) => {
      const order = orders.get(orderId) ?? null;
      if (order instanceof Error) throw order;
      return order;
    },
    now: () => Date.now(),
    monotonic: () => performance.now(),
  });
  const compiled = await Test.createTestingModule({ imports: [module] }).compile();
  const app = compiled.createNestApplication<NestFastifyApplication>(httpAdapter(), { logger: false });
  const health = new HealthRegistry();
  const gates = {
    reservations: new AdmissionGate({
      limit: options.maxReservations ?? 256,
      longestDrainMs: 30_000,
      ...(options.estimatedDrainMs === undefined ? {} : { estimatedDrainMs: options.estimatedDrainMs }),
    }),
    reads: new AdmissionGate({ limit: options.maxReads ?? 256 }),
  };
  setUpHttp(app, { logger, health, registry, metrics, gates });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  const keeper = app.get(CatalogueKeeper);
  const played = { publisher, payments, source };
  const reset = async () => {
    await redis.flushdb();
    for (const each of Object.values(played)) each.reset();
    log.length = 0;
    await keeper.refresh();
    const seatIds = seats.map((each) => each.seatId);
    await seatLock.reconcile(EVENT, seatIds, async () => []);
  };
  await reset();
  return {
    ...played,
    app,
    seatLock,
    redis,
    keeper,
    health,
    registry,
    gates,
    orders,
    log,
    reset,
    async [Symbol.asyncDispose]() {
      await keeper.stop();
      await app.close();
      await seatLock.close();
      redis.disconnect();
      await services.stop();
    },
  };
}

/** An API of its own for one story. */
export async function withApi(
  options: ApiFixtureOptions,
  story: (fixture: ApiFixture) => Promise<void>,
): Promise<void> {
  const fixture = await apiFixture(options);
  try {
    await story(fixture);
  } finally {
    await fixture[Symbol.asyncDispose]();
  }
}

export interface Reserve {
  readonly userId?: string;
  readonly seats?: readonly string[];
  readonly key?: string | null;
  readonly cardToken?: string;
  readonly body?: unknown;
  readonly eventId?: string;
}

export interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Readonly<Record<string, unknown>>;
}

export async function reserve(app: NestFastifyApplication, request: Reserve = {}): Promise<Answered> {
  const {
    userId = 'ann',
    seats: chosen = [seat(1)],
    key = 'key-1',
    cardToken = 'tok_ok',
    eventId = EVENT,
  } = request;
  const response = await app.inject({
    method: 'POST',
    url: `/events/${eventId}/reservations`,
    headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'idempotency-key': key }) },
    payload: JSON.stringify(
      request.body ?? { userId, seats: chosen, payment: { method: 'card', cardToken } },
    ),
  });
  return { status: response.statusCode, body: response.json(), headers: response.headers };
}

export async function get(
  app: NestFastifyApplication,
  url: string,
  method: 'GET' | 'DELETE' = 'GET',
): Promise<Answered> {
  const response = await app.inject({ method, url });
  return { status: response.statusCode, body: response.json(), headers: response.headers };
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the awaited condition did not come within 60 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
