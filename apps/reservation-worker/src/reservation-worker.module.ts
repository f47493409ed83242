/** Wires the worker: resources in, loop and upkeep out. The process's frame starts and stops them in order. */
import { type DynamicModule, Module } from '@nestjs/common';
import type { BookingDatabase } from '@seatlog/booking-database';
import { reservationEvents } from '@seatlog/booking';
import type { KafkaClient, Producer } from '@seatlog/kafka-client';
import { GroupWorker } from '@seatlog/kafka-nest';
import type { Logger } from '@seatlog/observability';
import { systemPause } from '@seatlog/runtime';
import type { SeatLock } from '@seatlog/seat-lock';
import { BatchHandler } from './batch-handler.ts';
import type { Configuration } from './configuration.ts';
import { DeadLetterTopic } from './dead-letter-topic.ts';
import { PostgresReservationStore } from './reservation-store.ts';
import { RedisSeatMarks } from './seat-marks.ts';
import { Upkeep } from './upkeep.ts';
import { WorkerMetrics } from './worker-metrics.ts';

export interface WorkerResources {
  readonly configuration: Readonly<Configuration>;
  readonly logger: Logger;
  readonly database: BookingDatabase;
  readonly seatLock: SeatLock;
  readonly client: KafkaClient;
  readonly producer: Producer;
  readonly meters: WorkerMetrics;
}

/** A passing fault may hold a batch up for long; handing the partition to another member would not end it sooner. */
const MAX_POLL_INTERVAL_MS = 60 * 60_000;

export type ReservationTopic = typeof reservationEvents;

@Module({})
export class ReservationWorkerModule {
  static with(resources: WorkerResources): DynamicModule {
    const { configuration, logger, database, seatLock, client, producer, meters } = resources;
    const keyKind = configuration.PARTITION_KEY;
    const instanceId = configuration.GROUP_INSTANCE_ID;
    return {
      module: ReservationWorkerModule,
      providers: [
        { provide: RedisSeatMarks, useFactory: () => new RedisSeatMarks(seatLock, database, logger) },
        {
          provide: BatchHandler,
          inject: [RedisSeatMarks],
          useFactory: (seats: RedisSeatMarks) =>
            new BatchHandler({
              store: new PostgresReservationStore(database, keyKind, () => Date.now()),
              deadLetters: new DeadLetterTopic(producer),
              seats,
              meters,
              logger,
              pause: systemPause,
              chance: () => Math.random(),
              monotonic: () => performance.now(),
            }),
        },
        {
          provide: GroupWorker,
          inject: [BatchHandler],
          useFactory: (handler: BatchHandler) =>
            new GroupWorker<ReservationTopic>({
              client,
              consumer: {
                groupId: configuration.CONSUMER_GROUP,
                ...(instanceId === undefined ? {} : { groupInstanceId: instanceId }),
                sessionTimeoutMs: configuration.SESSION_TIMEOUT_MS,
                topics: [reservationEvents],
                autoOffsetReset: 'earliest',
                maxPollRecords: configuration.BATCH_MAX_RECORDS,
                maxPollIntervalMs: MAX_POLL_INTERVAL_MS,
                onAssigned: () => handler.forgetParkedKeys(),
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
        {
          provide: Upkeep,
          inject: [RedisSeatMarks],
          useFactory: (seats: RedisSeatMarks) =>
            new Upkeep({
              database,
              seats,
              logger,
              olderThanMs: configuration.ORDER_COMPLETION_TIMEOUT_MS,
              keyKind,
              now: () => Date.now(),
              pause: systemPause,
            }),
        },
      ],
    };
  }
}
