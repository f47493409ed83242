import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivalSchedule, profiles } from './arrival-schedule.ts';

const moments = (...of: Parameters<typeof arrivalSchedule>): readonly number[] => {
  const { count, at } = arrivalSchedule(...of);
  return Array.from({ length: count }, (_, index) => at(index));
};
const within = (times: readonly number[], from: number, to: number): number =>
  times.filter((time) => time >= from && time < to).length;

describe('arrivals', () => {
  it('of a constant rate are evenly spaced', () => {
    expect(moments('constant', 4, 2)).toEqual([0, 250, 500, 750, 1000, 1250, 1500, 1750]);
  });

  it('of a spike grow to the full rate within a second, and keep it', () => {
    const times = moments('spike', 1000, 3);
    expect(times).toHaveLength(2500);
    expect(within(times, 0, 100)).toBeCloseTo(5, -1);
    expect(within(times, 900, 1000)).toBeCloseTo(95, -1);
    expect(within(times, 1000, 2000)).toBe(1000);
    expect(within(times, 2000, 3000)).toBe(1000);
  });

  it('come in order, begin at once, and all fall into the time asked for', () => {
    const asked = fc.tuple(
      fc.constantFrom(...profiles),
      fc.integer({ min: 1, max: 3000 }),
      fc.integer({ min: 1, max: 5 }),
    );
    fc.assert(
      fc.property(asked, ([profile, rate, seconds]) => {
        const times = moments(profile, rate, seconds);
        expect(times[0]).toBe(0);
        expect(times.at(-1)).toBeLessThan(seconds * 1000);
        expect(times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))).toBe(true);
      }),
    );
  });
});
