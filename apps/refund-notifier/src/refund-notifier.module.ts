/** Wires the notifier: a handler of refund requests into a member of its group. */
import { type DynamicModule, Module } from '@nestjs/common';
import { refundEvents } from '@seatlog/booking';
import type { BookingDatabase } from '@seatlog/booking-database';
import type { KafkaClient } from '@seatlog/kafka-client';
import { GroupWorker } from '@seatlog/kafka-nest';
import type { Logger } from '@seatlog/observability';
import { systemPause } from '@seatlog/runtime';
import type { Configuration } from './configuration.ts';
import { RefundHandler, type RefundMeters } from './refund-handler.ts';
import { PostgresRefundStore } from './refund-store.ts';

export interface NotifierResources {
  readonly configuration: Readonly<Configuration>;
  readonly logger: Logger;
  readonly database: BookingDatabase;
  readonly client: KafkaClient;
  readonly meters: RefundMeters;
}

/** A database that is away may hold a batch up for long; another member would find it away as well. */
const MAX_POLL_INTERVAL_MS = 60 * 60_000;

export type RefundTopic = typeof refundEvents;

@Module({})
export class RefundNotifierModule {
  static with(resources: NotifierResources): DynamicModule {
    const { configuration, logger, database, client, meters } = resources;
    const store = new PostgresRefundStore(database);
    const instanceId = configuration.GROUP_INSTANCE_ID;
    return {
      module: RefundNotifierModule,
      providers: [
        {
          provide: RefundHandler,
          useFactory: () =>
            new RefundHandler({ store, meters, logger, pause: systemPause, chance: () => Math.random() }),
        },
        {
          provide: GroupWorker,
          inject: [RefundHandler],
          useFactory: (handler: RefundHandler) =>
            new GroupWorker<RefundTopic>({
              client,
              consumer: {
                groupId: configuration.CONSUMER_GROUP,
                ...(instanceId === undefined ? {} : { groupInstanceId: instanceId }),
                sessionTimeoutMs: configuration.SESSION_TIMEOUT_MS,
                topics: [refundEvents],
                autoOffsetReset: 'earliest',
                maxPollIntervalMs: MAX_POLL_INTERVAL_MS,
              },
              handle: (batches, signal) =>
                handler.handle(
                  batches.flatMap(({ records }) => records),
                  signal,
                ),
              logger,
              pause: systemPause,
            }),
        },
      ],
    };
  }
}
