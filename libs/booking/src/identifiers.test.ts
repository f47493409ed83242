import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { orderIdOf, refundIdOf, requestFingerprint, reservationIdOf } from './identifiers.ts';

const request = { userId: 'ann', eventId: 'gala', idempotencyKey: 'k1' };

describe('ids', () => {
  it('are the same for the same request, and UUIDs', () => {
    const orderId = orderIdOf(request);
    expect(orderIdOf({ ...request })).toBe(orderId);
    // Pinned: a change would make every retry that spans a deployment a second order.
    expect(orderId).toBe('dae9bb9e-9d68-8b6b-843e-4ce88117d020');
    for (const id of [orderId, reservationIdOf(orderId, 'gala:A-1-1'), refundIdOf(orderId)]) {
      expect(z.uuid().safeParse(id).success).toBe(true);
    }
  });

  it('differ with each of their parts', () => {
    const ids = [
      orderIdOf(request),
      orderIdOf({ ...request, userId: 'bob' }),
      orderIdOf({ ...request, eventId: 'matinee' }),
      orderIdOf({ ...request, idempotencyKey: 'k2' }),
      // The parts are kept apart: moving a letter from one to the next is another request.
      orderIdOf({ ...request, userId: 'anng', eventId: 'ala' }),
      reservationIdOf('a', 'b'),
      reservationIdOf('b', 'a'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('fingerprints tell requests apart', () => {
    expect(requestFingerprint(['POST', '/a'])).toBe(requestFingerprint(['POST', '/a']));
    expect(requestFingerprint(['POST', '/a'])).not.toBe(requestFingerprint(['POST/a']));
  });
});
