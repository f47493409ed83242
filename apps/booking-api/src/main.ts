/**
 * The booking API. It stops in the order in which its parts need each other: readiness, HTTP and what is under way, the
 * background work, broker, Redis, PostgreSQL.
 */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { reservationEvents } from '@seatlog/booking';
import { openDatabase, readOrder } from '@seatlog/booking-database';
import { createClient } from '@seatlog/kafka-client';
import { FrameworkLogger, runProcess, type ProcessContext } from '@seatlog/observability';
import { SeatLock } from '@seatlog/seat-lock';
import { AdmissionGate } from './admission/admission-gate.ts';
import { BacklogWatch } from './admission/backlog-watch.ts';
import { ApiMetrics } from './api-metrics.ts';
import { BookingApiModule } from './booking-api.module.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import { CatalogueKeeper } from './catalogue/catalogue-keeper.ts';
import { DatabaseCatalogueSource } from './catalogue/catalogue-source.ts';
import { configurationSchema, type Configuration } from './configuration.ts';
import { httpAdapter, setUpHttp } from './http/http-server.ts';
import { WideListener } from './http/wide-listener.ts';
import { SimulatedPaymentGateway } from './payments/simulated-payment-gateway.ts';
import { KafkaReservationPublisher } from './reservations/reservation-publisher.ts';

const SERVICE = 'booking-api';
const HEALTH_DEADLINE_MS = 900;

await runProcess({ service: SERVICE, schema: configurationSchema, start });

async function start(context: ProcessContext<Configuration>): Promise<void> {
  const { configuration, logger, metrics: registry, health, shutdown } = context;
  const database = openDatabase({
    url: configuration.DATABASE_URL,
    applicationName: SERVICE,
    poolSize: configuration.DATABASE_POOL_SIZE,
    onIdleError: (error) => logger.warn({ error }, 'an idle connection to the database broke'),
  });
  const seatLock = await SeatLock.connect({
    url: configuration.REDIS_URL,
    clientName: SERVICE,
    lockTtlMs: configuration.SEAT_LOCK_TTL_MS,
    leaseMs: configuration.REQUEST_LEASE_MS,
    onConnectionError: (error) => logger.warn({ error }, 'the connection to Redis broke'),
  });
  const client = createClient({ brokers: configuration.BROKERS, clientId: SERVICE });
  const producer = client.producer(producerOptions(configuration));
  const admin = client.admin();
  const backlog = new BacklogWatch({ admin, group: configuration.CONSUMER_GROUP, logger });
  const gates = {
    reservations: new AdmissionGate({
      limit: configuration.MAX_CONCURRENT_RESERVATIONS,
      estimatedDrainMs: () => backlog.estimatedDrainMs(),
      // What is let in has to reach the database before its lock runs out.
      longestDrainMs: configuration.SEAT_LOCK_TTL_MS / 2,
    }),
    reads: new AdmissionGate({ limit: configuration.MAX_CONCURRENT_READS }),
  };
  const metrics = new ApiMetrics(registry);
  metrics.watch({
    reservationsInside: () => gates.reservations.inside,
    readsInside: () => gates.reads.inside,
    backlog: () => backlog.lag,
    estimatedDrainMs: () => backlog.estimatedDrainMs(),
  });
  const module = BookingApiModule.with({
    configuration,
    logger,
    metrics,
    seatLock,
    source: new DatabaseCatalogueSource(database),
    payments: new SimulatedPaymentGateway(),
    publisher: new KafkaReservationPublisher({ producer, keyKind: configuration.PARTITION_KEY, logger }),
    readOrder: (orderId) => readOrder(database, orderId),
    now: () => Date.now(),
    monotonic: () => performance.now(),
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, httpAdapter(), {
    logger: new FrameworkLogger(logger),
  });
  const keeper = app.get(CatalogueKeeper);
  const catalogue = app.get(Catalogue);
  health.register('redis', () => seatLock.ping());
  health.register('broker', async () => {
    const signal = AbortSignal.timeout(HEALTH_DEADLINE_MS);
    await admin.describeTopics([reservationEvents.name], { signal });
  });
  health.register('catalogue', () => {
    if (!catalogue.isLoaded) throw new Error('the events have not been read yet');
  });
  setUpHttp(app, { logger, health, registry, metrics, gates });

  let http: WideListener | null = null;
  shutdown
    .step('readiness off', 100, () => health.startDraining())
    .step('HTTP', 6000, () => http?.close() ?? app.close())
    .step('background work', 500, async () => void (await Promise.all([keeper.stop(), backlog.stop()])))
    .step('broker connections', 2000, () => client.close({ timeoutMs: 1500 }))
    .step('Redis', 400, () => seatLock.close())
    .step('database', 900, () => database.destroy());

  keeper.start();
  backlog.start();
  http = await WideListener.listen(app, { port: configuration.HTTP_PORT, host: configuration.HTTP_HOST });
}

function producerOptions(configuration: Configuration) {
  const { PRODUCER_ACKS: acks, PUBLISH_TIMEOUT_MS: deliveryTimeoutMs } = configuration;
  return {
    acks: acks === 'all' ? acks : acks === '1' ? (1 as const) : (0 as const),
    enableIdempotence: acks === 'all',
    deliveryTimeoutMs,
    maxBlockMs: deliveryTimeoutMs,
    requestTimeoutMs: Math.ceil(deliveryTimeoutMs / 2),
  };
}
