/**
 * Fields that the environments of several processes have, each declared once: what it may be, what it is when it is absent.
 * A process spreads those it has into its own schema.
 */
import { z } from 'zod';
import { logLevels } from './logger.ts';

/** Of every process that speaks to the brokers and the database. */
export const clientFields = {
  BROKERS: z.string().regex(/^[^\s,:]+:\d+(,[^\s,:]+:\d+)*$/, 'host:port, more than one separated by commas'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// URL' }),
  LOG_LEVEL: z.enum(logLevels).default('info'),
};

/** Of every service: the above, where it answers, and the process that it ends with. */
export function serviceFields(httpPort: number) {
  return {
    ...clientFields,
    HTTP_HOST: z.string().default('127.0.0.1'),
    HTTP_PORT: z.coerce.number().int().min(0).max(65_535).default(httpPort),
    SEATLOG_PARENT_PID: z.coerce.number().int().positive().optional(),
  };
}

export const redisFields = {
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'a redis:// URL' }),
};

/** Of every member of a consumer group. */
export function groupFields(consumerGroup: string) {
  return {
    CONSUMER_GROUP: groupName(consumerGroup),
    /** Static membership: a restart within the session time-out keeps the partitions. One name for each process. */
    GROUP_INSTANCE_ID: z.string().min(1).max(249).optional(),
    /** After this long without a heartbeat the member's partitions go to the others. */
    SESSION_TIMEOUT_MS: z.coerce.number().int().min(6000).max(1_800_000).default(10_000),
  };
}

export function groupName(fallback: string) {
  return z.string().min(1).max(249).default(fallback);
}

export function milliseconds(fallback: number) {
  return z.coerce.number().int().positive().default(fallback);
}
