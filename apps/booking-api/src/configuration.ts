/** The environment of the booking API. Every field that is refused is refused by its name. */
import { partitionKeyKinds, TOKEN_SECRET_MIN_LENGTH } from '@seatlog/booking';
import { groupName, milliseconds, redisFields, serviceFields } from '@seatlog/observability';
import { z } from 'zod';

const count = (fallback: number) => z.coerce.number().int().positive().max(100_000).default(fallback);

/** What a run needs beside its waiting: Redis twice, and the event loop of a busy machine. */
const RUN_MARGIN_MS = 2000;

export const configurationSchema = z
  .object({
    ...serviceFields(3000),
    ...redisFields,
    /** Signs status tokens; the same for all instances, or they refuse each other's. */
    TOKEN_SECRET: z.string().min(TOKEN_SECRET_MIN_LENGTH),
    /** How long seats are kept for a buyer. Longer than the worst lag of the worker. */
    SEAT_LOCK_TTL_MS: milliseconds(120_000),
    /** How long a run is believed to be at work before the same request may take its attempt up. */
    REQUEST_LEASE_MS: milliseconds(15_000),
    PAYMENT_TIMEOUT_MS: milliseconds(3000),
    PUBLISH_TIMEOUT_MS: milliseconds(5000),
    PARTITION_KEY: z.enum(partitionKeyKinds).default('seat'),
    /** Anything but `all` may lose what a buyer was promised: for experiments. */
    PRODUCER_ACKS: z.enum(['all', '1', '0']).default('all'),
    MAX_CONCURRENT_RESERVATIONS: count(256),
    MAX_CONCURRENT_READS: count(256),
    DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(100).default(8),
    CATALOGUE_REFRESH_MS: milliseconds(1000),
    RECONCILE_INTERVAL_MS: milliseconds(30_000),
    SEAT_LIST_CACHE_MS: z.coerce.number().int().min(0).default(250),
    /** The group whose backlog holds admission back. */
    CONSUMER_GROUP: groupName('db-writer'),
  })
  .superRefine((value, context) => {
    const { PAYMENT_TIMEOUT_MS, PUBLISH_TIMEOUT_MS, REQUEST_LEASE_MS, SEAT_LOCK_TTL_MS } = value;
    const longestRun = PAYMENT_TIMEOUT_MS + PUBLISH_TIMEOUT_MS + RUN_MARGIN_MS;
    if (REQUEST_LEASE_MS < longestRun) {
      const message = `at least ${longestRun}: PAYMENT_TIMEOUT_MS + PUBLISH_TIMEOUT_MS + ${RUN_MARGIN_MS}`;
      context.addIssue({ code: 'custom', path: ['REQUEST_LEASE_MS'], message });
    }
    if (SEAT_LOCK_TTL_MS < REQUEST_LEASE_MS) {
      const message = 'at least REQUEST_LEASE_MS: a lock may not run out under a run at work';
      context.addIssue({ code: 'custom', path: ['SEAT_LOCK_TTL_MS'], message });
    }
  });

export type Configuration = z.infer<typeof configurationSchema>;
