import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderIdOf } from './identifiers.ts';
import { SEATS_PER_ORDER } from './limits.ts';
import type { PlacedOrder } from './order-request.ts';
import { signStatusToken, TOKEN_MAX_LENGTH, verifyStatusToken } from './status-token.ts';

const SECRET = 'a secret of thirty-two characters';

function orderOf(seatCount: number, length: number): PlacedOrder {
  const eventId = 'e'.repeat(length);
  const userId = 'u'.repeat(length);
  const seats = Array.from({ length: seatCount }, (_, index) => ({
    seatId: `${eventId}:SECTIONNAMES-ROWROW-${99_990 + index}`,
    epoch: 9_000_000_000_000_000 + index,
    amount: 100_000_000,
  }));
  const orderId = orderIdOf({ userId, eventId, idempotencyKey: 'k' });
  return { orderId, eventId, userId, currency: 'EUR', seats };
}

describe('status tokens', () => {
  it('give the order back, and the same order gives the same token', () => {
    const order = orderOf(2, 5);
    const token = signStatusToken(order, SECRET);
    expect(verifyStatusToken(token, SECRET)).toEqual(order);
    expect(signStatusToken(structuredClone(order), SECRET)).toBe(token);
    expect(token).toMatch(/^[A-Za-z0-9._-]+$/);
  });

  it('of the largest order fit the limit', () => {
    const token = signStatusToken(orderOf(SEATS_PER_ORDER, 48), SECRET);
    expect(token.length).toBeLessThanOrEqual(TOKEN_MAX_LENGTH);
  });

  it('are refused under another secret', () => {
    const token = signStatusToken(orderOf(1, 5), SECRET);
    expect(verifyStatusToken(token, SECRET.toUpperCase())).toBeNull();
  });

  it('are refused with any one character changed', () => {
    const token = signStatusToken(orderOf(1, 5), SECRET);
    // Not the last letter: some of its bits mean nothing in base64url.
    const positions = fc.integer({ min: 0, max: token.length - 2 });
    fc.assert(
      fc.property(positions, fc.constantFrom('A', 'a', '0', '-', '_', '.'), (position, letter) => {
        const changed = token.slice(0, position) + letter + token.slice(position + 1);
        fc.pre(changed !== token);
        expect(verifyStatusToken(changed, SECRET)).toBeNull();
      }),
    );
  });

  it('refuse whatever is no token', () => {
    fc.assert(fc.property(fc.string(), (text) => verifyStatusToken(text, SECRET) === null));
    expect(verifyStatusToken('1.'.padEnd(TOKEN_MAX_LENGTH + 1, 'A'), SECRET)).toBeNull();
  });
});
