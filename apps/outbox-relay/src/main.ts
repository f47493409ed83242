/** The outbox relay: rows of the outbox to their topics. Any number of them may run at once. */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { listenForOutbox, openDatabase } from '@seatlog/booking-database';
import { createClient } from '@seatlog/kafka-client';
import {
  addOperationsRoutes,
  FrameworkLogger,
  runProcess,
  type ProcessContext,
} from '@seatlog/observability';
import { sql } from 'kysely';
import { configurationSchema, type Configuration } from './configuration.ts';
import { OutboxRelayModule } from './outbox-relay.module.ts';
import { RelayLoop } from './relay-loop.ts';
import { RelayMetrics } from './relay-metrics.ts';

const SERVICE = 'outbox-relay';

await runProcess({ service: SERVICE, schema: configurationSchema, start });

async function start(context: ProcessContext<Configuration>): Promise<void> {
  const { configuration, logger, metrics, health, shutdown } = context;
  const database = openDatabase({
    url: configuration.DATABASE_URL,
    applicationName: SERVICE,
    onIdleError: (error) => logger.warn({ error }, 'an idle connection to the database broke'),
  });
  const client = createClient({ brokers: configuration.BROKERS, clientId: SERVICE });
  // Less than the lease: a message that is still being sent when its claim runs out could be sent by two at once.
  const deliveryTimeoutMs = Math.floor(configuration.LEASE_MS * 0.8);
  const producer = client.producer({ deliveryTimeoutMs, requestTimeoutMs: Math.ceil(deliveryTimeoutMs / 2) });
  const meters = new RelayMetrics(metrics, database);
  const app = await NestFactory.create<NestFastifyApplication>(
    OutboxRelayModule.with({ configuration, logger, database, producer, meters }),
    new FastifyAdapter(),
    { logger: new FrameworkLogger(logger) },
  );
  const loop = app.get(RelayLoop);
  health.register('database', async () => void (await sql`SELECT 1`.execute(database)));
  addOperationsRoutes(app.getHttpAdapter().getInstance(), { health, metrics });
  await app.listen(configuration.HTTP_PORT, configuration.HTTP_HOST);
  loop.start();
  const listener = listenForOutbox({
    url: configuration.DATABASE_URL,
    onHint: () => loop.hint(),
    onError: (error) => logger.warn({ error }, 'no hints from the database for now'),
  });

  shutdown
    .step('readiness off', 100, () => health.startDraining())
    .step('hints', 500, () => listener.close())
    .step('relay', 5000, () => loop.stop())
    .step('broker connections', 1500, () => client.close({ timeoutMs: 1000 }))
    .step('database', 1000, () => database.destroy())
    .step('HTTP', 500, () => app.close());
}
