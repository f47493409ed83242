import { ManualClock } from '@seatlog/runtime/testing';
import { expect, it } from 'vitest';
import { isProcessAlive, watchParent } from './parent-watch.ts';

it('tells once when the parent is gone', () => {
  const clock = new ManualClock();
  let isAlive = true;
  let told = 0;
  watchParent({
    parentId: 7,
    timers: clock,
    isAlive: () => isAlive,
    gone: () => {
      told += 1;
    },
  });
  clock.advance(10_000);
  expect(told).toBe(0);
  isAlive = false;
  clock.advance(10_000);
  expect(told).toBe(1);
  expect(clock.pending).toBe(0);
});

it('knows this process to be alive', () => {
  expect(isProcessAlive(process.pid)).toBe(true);
});
