/** The refund notifier: refund requests to notices, once each. */
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
import { sql } from 'kysely';
import { configurationSchema, type Configuration } from './configuration.ts';
import { RefundMetrics } from './refund-metrics.ts';
import { RefundNotifierModule, type RefundTopic } from './refund-notifier.module.ts';

const SERVICE = 'refund-notifier';
const CONSUMER_STOP_MS = 5000;

await runProcess({ service: SERVICE, schema: configurationSchema, start });

async function start(context: ProcessContext<Configuration>): Promise<void> {
  const { configuration, logger, metrics, health, shutdown } = context;
  const database = openDatabase({
    url: configuration.DATABASE_URL,
    applicationName: SERVICE,
    onIdleError: (error) => logger.warn({ error }, 'an idle connection to the database broke'),
  });
  const client = createClient({ brokers: configuration.BROKERS, clientId: SERVICE });
  const meters = new RefundMetrics(metrics);
  const app = await NestFactory.create<NestFastifyApplication>(
    RefundNotifierModule.with({ configuration, logger, database, client, meters }),
    new FastifyAdapter(),
    { logger: new FrameworkLogger(logger) },
  );
  const worker = app.get<GroupWorker<RefundTopic>>(GroupWorker);
  health.register('database', async () => void (await sql`SELECT 1`.execute(database)));
  health.register('consumer', () => worker.check());
  addOperationsRoutes(app.getHttpAdapter().getInstance(), { health, metrics });

  shutdown
    .step('readiness off', 100, () => health.startDraining())
    .step('consumer', CONSUMER_STOP_MS + 1000, () => worker.stop(CONSUMER_STOP_MS))
    .step('broker connections', 1500, () => client.close({ timeoutMs: 1000 }))
    .step('database', 1000, () => database.destroy())
    .step('HTTP', 500, () => app.close());

  await app.listen(configuration.HTTP_PORT, configuration.HTTP_HOST);
  worker.start();
}
