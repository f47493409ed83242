/**
 * Ids that follow from what they name: the same buyer, event and idempotency key give the same order however often the
 * request is sent, and an order and a seat give the same reservation. Whoever sees a record twice sees the same id twice.
 */
import { hash } from 'node:crypto';

/** The first digit of a UUID's fourth group: two bits are fixed, two are free. */
const VARIANTS = ['8', '9', 'a', 'b'] as const;

/** An idempotency key belongs to its user: two users may use the same one. */
export interface RequestIdentity {
  readonly userId: string;
  readonly eventId: string;
  readonly idempotencyKey: string;
}

export function orderIdOf(request: RequestIdentity): string {
  return derivedUuid(['order', request.userId, request.eventId, request.idempotencyKey]);
}

export function reservationIdOf(orderId: string, seatId: string): string {
  return derivedUuid(['reservation', orderId, seatId]);
}

export function refundIdOf(reservationId: string): string {
  return derivedUuid(['refund', reservationId]);
}

/** Tells a repeated request from another one under the same idempotency key. `parts` must be in a canonical form. */
export function requestFingerprint(parts: readonly string[]): string {
  return hash('sha256', joined(parts), 'base64url');
}

// No part holds a line feed (each is checked at the edge), so that joining them keeps them apart.
function joined(parts: readonly string[]): string {
  return parts.join('\n');
}

/** A UUID of version 8 (its bits are the application's own, RFC 9562), of the digest's first 16 bytes. */
function derivedUuid(parts: readonly string[]): string {
  // As text from the start: bytes in between would cost three times as much.
  const hex = hash('sha256', joined(parts), 'hex');
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3] ?? '';
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
