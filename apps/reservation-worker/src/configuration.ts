/** The worker's environment. Every field that is refused is refused by its name. */
import { partitionKeyKinds } from '@seatlog/booking';
import { groupFields, milliseconds, redisFields, serviceFields } from '@seatlog/observability';
import { z } from 'zod';

export const configurationSchema = z.object({
  ...serviceFields(3001),
  ...redisFields,
  ...groupFields('db-writer'),
  /** Events in one transaction, at most. */
  BATCH_MAX_RECORDS: z.coerce.number().int().min(1).max(1000).default(500),
  /** As the booking API has it: the worker renews no lock, but speaks to the same seat lock. */
  SEAT_LOCK_TTL_MS: milliseconds(120_000),
  /** An order whose missing seats have not come by then is given up and refunded. */
  ORDER_COMPLETION_TIMEOUT_MS: milliseconds(120_000),
  PARTITION_KEY: z.enum(partitionKeyKinds).default('seat'),
});

export type Configuration = z.infer<typeof configurationSchema>;
