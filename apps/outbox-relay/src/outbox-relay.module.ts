/** Wires the relay: outbox and topic into rounds, rounds into a loop. */
import { type DynamicModule, Module } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { BookingDatabase } from '@seatlog/booking-database';
import type { Producer } from '@seatlog/kafka-client';
import type { Logger } from '@seatlog/observability';
import { systemPause } from '@seatlog/runtime';
import type { Configuration } from './configuration.ts';
import { BrokerTopic, PostgresOutbox } from './outbox-adapters.ts';
import { RelayLoop } from './relay-loop.ts';
import type { RelayMetrics } from './relay-metrics.ts';
import { relayRound } from './relay-round.ts';

export interface RelayResources {
  readonly configuration: Readonly<Configuration>;
  readonly logger: Logger;
  readonly database: BookingDatabase;
  readonly producer: Producer;
  readonly meters: RelayMetrics;
}

@Module({})
export class OutboxRelayModule {
  static with(resources: RelayResources): DynamicModule {
    const { configuration, logger, database, producer, meters } = resources;
    const outbox = new PostgresOutbox(database, {
      claimant: `relay-${randomUUID()}`,
      limit: configuration.BATCH_MAX_MESSAGES,
      leaseMs: configuration.LEASE_MS,
    });
    const topic = new BrokerTopic(producer);
    const loop = () =>
      new RelayLoop({
        round: () => relayRound({ outbox, topic, meters, logger }),
        roundSize: configuration.BATCH_MAX_MESSAGES,
        pollIntervalMs: configuration.POLL_INTERVAL_MS,
        onFault: (error, pauseMs) => logger.warn({ error, pauseMs }, 'a round failed, trying again'),
        pause: systemPause,
        chance: () => Math.random(),
      });
    return { module: OutboxRelayModule, providers: [{ provide: RelayLoop, useFactory: loop }] };
  }
}
