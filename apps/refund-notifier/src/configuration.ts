/** The notifier's environment. Every field that is refused is refused by its name. */
import { logLevels } from '@seatlog/observability';
import { z } from 'zod';

export const configurationSchema = z.object({
  BROKERS: z.string().regex(/^[^\s,:]+:\d+(,[^\s,:]+:\d+)*$/, 'host:port, more than one separated by commas'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// URL' }),
  HTTP_HOST: z.string().default('127.0.0.1'),
  HTTP_PORT: z.coerce.number().int().min(0).max(65_535).default(3003),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  SEATLOG_PARENT_PID: z.coerce.number().int().positive().optional(),
  CONSUMER_GROUP: z.string().min(1).max(249).default('refund-notifier'),
  /** Static membership: a restart within the session time-out keeps the partitions. One name for each process. */
  GROUP_INSTANCE_ID: z.string().min(1).max(249).optional(),
  /** After this long without a heartbeat the member's partitions go to the others. */
  SESSION_TIMEOUT_MS: z.coerce.number().int().min(6000).max(1_800_000).default(10_000),
});

export type Configuration = z.infer<typeof configurationSchema>;
