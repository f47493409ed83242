import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

const limits = { initialMs: 100, maxMs: 1000 };

describe('backoff', () => {
  it('doubles up to the limit', () => {
    expect([1, 2, 3, 4, 5, 60].map((failures) => backoffMs(limits, failures, 0.5))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
  });

  it('is spread by a fifth and never leaves that band', () => {
    expect(backoffMs(limits, 1, 0)).toBe(80);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (n, f) => {
          const wait = backoffMs(limits, n, f);
          expect(wait).toBeGreaterThanOrEqual(80);
          expect(wait).toBeLessThanOrEqual(1200);
        },
      ),
    );
  });
});
