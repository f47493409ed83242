/** The worker's environment. Every field that is refused is refused by its name. */
import { partitionKeyKinds } from '@seatlog/booking';
import { logLevels } from '@seatlog/observability';
import { z } from 'zod';

const milliseconds = (fallback: number) => z.coerce.number().int().positive().default(fallback);

export const configurationSchema = z.object({
  BROKERS: z.string().regex(/^[^\s,:]+:\d+(,[^\s,:]+:\d+)*$/, 'host:port, more than one separated by commas'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// URL' }),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'a redis:// URL' }),
  HTTP_HOST: z.string().default('127.0.0.1'),
  HTTP_PORT: z.coerce.number().int().min(0).max(65_535).default(3001),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  SEATLOG_PARENT_PID: z.coerce.number().int().positive().optional(),
  CONSUMER_GROUP: z.string().min(1).max(249).default('db-writer'),
  /** Static membership: a restart within the session time-out keeps the partitions. One name for each process. */
  GROUP_INSTANCE_ID: z.string().min(1).max(249).optional(),
  /** After this long without a heartbeat the member's partitions go to the others. */
  SESSION_TIMEOUT_MS: z.coerce.number().int().min(6000).max(1_800_000).default(10_000),
  /** Events in one transaction, at most. */
  BATCH_MAX_RECORDS: z.coerce.number().int().min(1).max(1000).default(500),
  /** As the booking API has it: the worker renews no lock, but speaks to the same seat lock. */
  SEAT_LOCK_TTL_MS: milliseconds(120_000),
  /** An order whose missing seats have not come by then is given up and refunded. */
  ORDER_COMPLETION_TIMEOUT_MS: milliseconds(120_000),
  PARTITION_KEY: z.enum(partitionKeyKinds).default('seat'),
});

export type Configuration = z.infer<typeof configurationSchema>;
