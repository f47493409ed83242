/** The notifier's environment. Every field that is refused is refused by its name. */
import { groupFields, serviceFields } from '@seatlog/observability';
import { z } from 'zod';

export const configurationSchema = z.object({
  ...serviceFields(3003),
  ...groupFields('refund-notifier'),
});

export type Configuration = z.infer<typeof configurationSchema>;
