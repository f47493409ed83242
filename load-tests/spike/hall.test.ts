import { describe, expect, it } from 'vitest';
import { hallOf } from './hall.ts';

describe('a hall', () => {
  it.each([1, 49, 50, 5_000, 5_001, 20_000, 20_037])('of %d seats has as many, each once', (seats) => {
    const { seatIds, openingSeatId, event } = hallOf('gala', seats);
    expect(seatIds).toHaveLength(seats);
    expect(new Set([openingSeatId, ...seatIds]).size).toBe(seats + 1);
    const seeded = event.sections.reduce((sum, { rows, seatsPerRow }) => sum + rows * seatsPerRow, 0);
    expect(seeded).toBe(seats + 1);
  });

  it('names its seats as the database does', () => {
    const { openingSeatId, seatIds } = hallOf('gala', 5_001);
    expect([openingSeatId, seatIds[0], seatIds[51], seatIds.at(-1)]).toEqual([
      'gala:S1-1-1',
      'gala:S2-1-1',
      'gala:S2-2-2',
      'gala:S3-1-1',
    ]);
  });
});
