/** Money in minor units (cents), never a fraction. */
import { z } from 'zod';

const LARGEST_AMOUNT = 100_000_000;

export const amountSchema = z.int().min(0).max(LARGEST_AMOUNT);
export const currencySchema = z.string().regex(/^[A-Z]{3}$/, 'an ISO 4217 code');

export const moneySchema = z.object({ amount: amountSchema, currency: currencySchema });

export type Money = z.infer<typeof moneySchema>;
