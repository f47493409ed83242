/**
 * The token of a 202: what an order is, signed. It is all the API needs to read the status before any row is there, and to
 * cancel without asking the database. Whoever holds it may read and cancel the order; the same order gives the same token.
 *
 * `<version>.<base64url of a JSON array>.<HMAC-SHA256, base64url>`
 */
import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { SEATS_PER_ORDER } from './limits.ts';
import { amountSchema, currencySchema } from './money.ts';
import type { PlacedOrder } from './order-request.ts';
import { userIdSchema } from './reservation-events.ts';
import { eventIdSchema, seatIdSchema, seatLabelOf } from './seat-id.ts';

export const TOKEN_SECRET_MIN_LENGTH = 32;

/** The longest token that is looked at: six seats with the longest ids come to about 800 characters. */
export const TOKEN_MAX_LENGTH = 1024;

const VERSION = '1';

const payloadSchema = z.tuple([
  z.uuid(),
  eventIdSchema,
  userIdSchema,
  currencySchema,
  z
    .array(z.tuple([z.string(), z.int().positive(), amountSchema]))
    .min(1)
    .max(SEATS_PER_ORDER),
]);

export function signStatusToken(order: PlacedOrder, secret: string): string {
  const seats = order.seats.map((seat) => [seatLabelOf(seat.seatId), seat.epoch, seat.amount]);
  const payload = JSON.stringify([order.orderId, order.eventId, order.userId, order.currency, seats]);
  const body = `${VERSION}.${Buffer.from(payload, 'utf8').toString('base64url')}`;
  return `${body}.${keyed(body, secret).digest('base64url')}`;
}

/** The order of a token that was signed with this secret; null for anything else. */
export function verifyStatusToken(token: string, secret: string): PlacedOrder | null {
  if (token.length > TOKEN_MAX_LENGTH) return null;
  const [version, payload, mac, ...rest] = token.split('.');
  if (version !== VERSION || payload === undefined || mac === undefined || rest.length > 0) return null;
  const expected = keyed(`${version}.${payload}`, secret).digest();
  const given = Buffer.from(mac, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return decodePayload(payload);
}

function decodePayload(payload: string): PlacedOrder | null {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  const parsed = payloadSchema.safeParse(json);
  if (!parsed.success) return null;
  const [orderId, eventId, userId, currency, rows] = parsed.data;
  const seats = rows.map(([label, epoch, amount]) => ({ seatId: `${eventId}:${label}`, epoch, amount }));
  if (!seats.every((seat) => seatIdSchema.safeParse(seat.seatId).success)) return null;
  return { orderId, eventId, userId, currency, seats };
}

function keyed(body: string, secret: string): Hmac {
  return createHmac('sha256', secret).update(body);
}
