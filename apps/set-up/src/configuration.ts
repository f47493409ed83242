/** The set-up's environment. Every field that is refused is refused by its name. */
import { clientFields } from '@seatlog/observability';
import { z } from 'zod';

/** As Kafka has it. */
const MOST_REPLICAS = 32_767;

export const configurationSchema = z.object({
  ...clientFields,
  /** Of the topics. Without a default: how much may be lost is for whoever deploys to say. */
  REPLICATION_FACTOR: z.coerce.number().int().min(1).max(MOST_REPLICAS),
  /** Puts the demo's event on sale. */
  SEED_DEMO_EVENT: z.enum(['true', 'false']).default('false'),
  /** Where TOKEN_SECRET is made and kept if it is not given, as a file for `node --env-file`. */
  TOKEN_SECRET_FILE: z.string().min(1).optional(),
});

export type Configuration = z.infer<typeof configurationSchema>;
