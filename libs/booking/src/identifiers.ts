/**
 * Ids that follow from what they name: the same buyer, event and idempotency key give the same order however often the
 * request is sent, and an order and a seat give the same reservation. Whoever sees a record twice sees the same id twice.
 */
import { createHash } from 'node:crypto';

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
  return digest(parts).toString('base64url');
}

// No part holds a line feed (each is checked at the edge), so that joining them keeps them apart.
function digest(parts: readonly string[]): Buffer {
  return createHash('sha256').update(parts.join('\n')).digest();
}

/** A UUID of version 8 (its bits are the application's own, RFC 9562). */
function derivedUuid(parts: readonly string[]): string {
  const bytes = digest(parts).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
