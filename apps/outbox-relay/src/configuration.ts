/** The relay's environment. Every field that is refused is refused by its name. */
import { serviceFields } from '@seatlog/observability';
import { z } from 'zod';

export const configurationSchema = z.object({
  ...serviceFields(3002),
  /** How often the outbox is looked at when no hint comes. */
  POLL_INTERVAL_MS: z.coerce.number().int().min(10).default(250),
  /** Messages claimed at once. */
  BATCH_MAX_MESSAGES: z.coerce.number().int().min(1).max(1000).default(100),
  /** A claim runs out after this; longer than publishing may take. */
  LEASE_MS: z.coerce.number().int().min(1000).default(30_000),
});

export type Configuration = z.infer<typeof configurationSchema>;
