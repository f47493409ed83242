/**
 * The reservation worker, group `db-writer`: events to rows, then offsets. Its start order is also, backwards, its stop
 * order: readiness, consumer, upkeep, producer, Redis, PostgreSQL, HTTP.
 */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { openDatabase } from '@seatlog/booking-database';
import { createClient } from '@seatlog/kafka-client';
import { GroupWorker } from '@seatlog/kafka-nest';
import {
  addOperationsRoutes,
  FrameworkLogger,
  runProcess,
  type ProcessContext,
} from '@seatlog/observability';
import { SeatLock } from '@seatlog/seat-lock';
import { sql } from 'kysely';
import { configurationSchema, type Configuration } from './configuration.ts';
import { ReservationWorkerModule, type ReservationTopic } from './reservation-worker.module.ts';
import { Upkeep } from './upkeep.ts';
import { WorkerMetrics } from './worker-metrics.ts';

const SERVICE = 'reservation-worker';
const CONSUMER_STOP_MS = 4000;

await runProcess({ service: SERVICE, schema: configurationSchema, start });

async function start(context: ProcessContext<Configuration>): Promise<void> {
  const { configuration, logger, metrics, health, shutdown } = context;
  const database = openDatabase({
    url: configuration.DATABASE_URL,
    applicationName: SERVICE,
    onIdleError: (error) => logger.warn({ error }, 'an idle connection to the database broke'),
  });
  const seatLock = await SeatLock.connect({
    url: configuration.REDIS_URL,
    clientName: SERVICE,
    lockTtlMs: configuration.SEAT_LOCK_TTL_MS,
    onConnectionError: (error) => logger.warn({ error }, 'connection to Redis broke'),
  });
  const client = createClient({ brokers: configuration.BROKERS, clientId: SERVICE });
  const meters = new WorkerMetrics(metrics);
  const resources = {
    configuration,
    logger,
    database,
    seatLock,
    client,
    producer: client.producer(),
    meters,
  };
  const app = await NestFactory.create<NestFastifyApplication>(
    ReservationWorkerModule.with(resources),
    new FastifyAdapter(),
    { logger: new FrameworkLogger(logger) },
  );
  const consumer = app.get<GroupWorker<ReservationTopic>>(GroupWorker);
  const upkeep = app.get(Upkeep);
  meters.watchLag(metrics, () => consumer.lag());
  health.register('database', async () => void (await sql`SELECT 1`.execute(database)));
  health.register('redis', () => seatLock.ping());
  health.register('consumer', () => consumer.check());
  addOperationsRoutes(app.getHttpAdapter().getInstance(), { health, metrics });

  shutdown
    .step('readiness off', 100, () => health.startDraining())
    .step('consumer', CONSUMER_STOP_MS + 1000, () => consumer.stop(CONSUMER_STOP_MS))
    .step('upkeep', 1000, () => upkeep.stop())
    .step('broker connections', 1500, () => client.close({ timeoutMs: 1000 }))
    .step('Redis', 500, () => seatLock.close())
    .step('database', 1000, () => database.destroy())
    .step('HTTP', 500, () => app.close());

  await app.listen(configuration.HTTP_PORT, configuration.HTTP_HOST);
  consumer.start();
  upkeep.start();
}
