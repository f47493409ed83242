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
});

export type Configuration = z.infer<typeof configurationSchema>;
