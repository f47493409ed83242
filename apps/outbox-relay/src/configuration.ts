/** The relay's environment. Every field that is refused is refused by its name. */
import { logLevels } from '@seatlog/observability';
import { z } from 'zod';

export const configurationSchema = z.object({
  BROKERS: z.string().regex(/^[^\s,:]+:\d+(,[^\s,:]+:\d+)*$/, 'host:port, more than one separated by commas'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// URL' }),
  HTTP_HOST: z.string().default('127.0.0.1'),
  HTTP_PORT: z.coerce.number().int().min(0).max(65_535).default(3002),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  SEATLOG_PARENT_PID: z.coerce.number().int().positive().optional(),
  /** How often the outbox is looked at when no hint comes. */
  POLL_INTERVAL_MS: z.coerce.number().int().min(10).default(250),
  /** Messages claimed at once. */
  BATCH_MAX_MESSAGES: z.coerce.number().int().min(1).max(1000).default(100),
  /** A claim runs out after this; longer than publishing may take. */
  LEASE_MS: z.coerce.number().int().min(1000).default(30_000),
});

export type Configuration = z.infer<typeof configurationSchema>;
