import { expect, it } from 'vitest';
import { BackgroundWrites } from './background-writes.ts';

it('writes a few at a time, in the order in which they were asked for', () => {
  const writes = new BackgroundWrites(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  for (const number of [1, 2, 3, 4]) {
    writes.run((done) => {
      begun.push(number);
      ends.push(done);
    });
  }
  expect(begun).toEqual([1, 2]);
  ends[1]?.();
  expect(begun).toEqual([1, 2, 3]);
  ends[0]?.();
  ends[2]?.();
  expect(begun).toEqual([1, 2, 3, 4]);
});

it('goes through many that end at once', () => {
  const writes = new BackgroundWrites(1);
  let count = 0;
  let first = (): void => {};
  writes.run((done) => {
    first = done;
  });
  for (let number = 0; number < 1000; number++) {
    writes.run((done) => {
      count += 1;
      done();
    });
  }
  first();
  expect(count).toBe(1000);
});
