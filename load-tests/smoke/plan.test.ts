import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planSmoke, smokeSize, type Task } from './plan.ts';

const free = Array.from(
  { length: 1000 },
  (_, index) => `gala:A-${1 + Math.floor(index / 20)}-${1 + (index % 20)}`,
);
const seatsOf = (task: Task): readonly string[] =>
  task.kind === 'repeat' ? [...task.seatIds, ...task.otherSeatIds] : task.seatIds;
/** Seats that end up sold if all goes as it should. */
const soldBy = (task: Task): number =>
  task.kind === 'cancel' && task.nextBuyer === null ? 0 : task.seatIds.length;

describe('the plan of the smoke sale', () => {
  it('gives each seat to one task, none of them too large, whatever the seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const tasks = planSmoke(free, smokeSize, seed).lanes.flat();
        const seats = tasks.flatMap(seatsOf);
        expect(new Set(seats).size).toBe(seats.length);
        expect(seats.length).toBe(smokeSize.seats);
        expect(tasks.every((task) => task.seatIds.length >= 1 && task.seatIds.length <= 6)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('sells at least 500 seats to at least 50 buyers at one time, with every kind of twist', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { lanes } = planSmoke(free, smokeSize, seed);
        const tasks = lanes.flat();
        expect(tasks.reduce((sum, task) => sum + soldBy(task), 0)).toBeGreaterThanOrEqual(500);
        expect(lanes.filter((lane) => lane.length > 0).length).toBeGreaterThanOrEqual(50);
        expect(new Set(tasks.map((task) => task.kind))).toEqual(
          new Set(['buy', 'fight', 'repeat', 'decline', 'cancel']),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('is the same for the same seed, and another for another', () => {
    expect(planSmoke(free, smokeSize, 7)).toEqual(planSmoke(free, smokeSize, 7));
    expect(planSmoke(free, smokeSize, 7)).not.toEqual(planSmoke(free, smokeSize, 8));
  });

  it('refuses an event that is too small', () => {
    expect(() => planSmoke(free.slice(0, 10), smokeSize, 1)).toThrow('needs 720 free seats, there are 10');
  });
});
