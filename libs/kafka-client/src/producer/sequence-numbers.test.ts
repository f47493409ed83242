import { describe, expect, it } from 'vitest';
import { advanceSequence } from './sequence-numbers.ts';

describe('sequence numbers', () => {
  it.each([
    [0, 3, 3],
    [0x7fffffff, 1, 0],
    [0x7ffffffe, 5, 3],
  ])('K15: %i and %i more is %i', (sequence, count, next) => {
    expect(advanceSequence(sequence, count)).toBe(next);
  });
});
