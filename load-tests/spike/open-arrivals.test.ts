import { ManualClock } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { arrivalSchedule } from './arrival-schedule.ts';
import { OpenArrivals, PATIENCE_MS } from './open-arrivals.ts';

/** Arrivals whose ends the test decides. */
function scenario(options: { readonly rate: number; readonly seconds: number; readonly slots: number }) {
  const clock = new ManualClock();
  const started: { readonly index: number; readonly at: number }[] = [];
  const dropped: { readonly index: number; readonly at: number }[] = [];
  const lateness: number[] = [];
  const ends = new Map<number, () => void>();
  const arrivals = new OpenArrivals({
    clock,
    timers: clock,
    schedule: arrivalSchedule('constant', options.rate, options.seconds),
    slots: options.slots,
    start: ({ index }) => {
      started.push({ index, at: clock.monotonic() });
      return new Promise((resolve) => ends.set(index, resolve));
    },
    onDue: (_, late) => lateness.push(late),
    onDropped: ({ index }) => dropped.push({ index, at: clock.monotonic() }),
  });
  let hasEnded = false;
  const run = (): void => void arrivals.run().then(() => (hasEnded = true));
  const end = async (index: number): Promise<void> => {
    ends.get(index)?.();
    await settled();
  };
  return { clock, arrivals, started, dropped, lateness, run, end, hasEnded: () => hasEnded };
}

/** What follows from promises that are settled has happened by then; no time passes on the manual clock. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const indices = (list: readonly { readonly index: number }[]): readonly number[] =>
  list.map(({ index }) => index);

describe('open arrivals', () => {
  it('are started at their moments, though none of them ever ends', () => {
    const { clock, started, lateness, run } = scenario({ rate: 10, seconds: 1, slots: 100 });
    run();
    clock.advance(5000);
    expect(started).toEqual(Array.from({ length: 10 }, (_, index) => ({ index, at: index * 100 })));
    expect(lateness).toEqual(Array(10).fill(0));
  });

  it('wait for a slot in the order of their coming', async () => {
    const { clock, arrivals, started, run, end } = scenario({ rate: 10, seconds: 1, slots: 2 });
    run();
    clock.advance(500);
    expect(indices(started)).toEqual([0, 1]);
    expect(arrivals.waiting).toBe(4);
    await end(1);
    expect(started.at(-1)).toEqual({ index: 2, at: 500 });
    expect(arrivals.underWay).toBe(2);
  });

  it('are dropped a second after their moment, and not before', async () => {
    const { clock, started, dropped, run, end } = scenario({ rate: 1, seconds: 3, slots: 1 });
    run();
    clock.advance(2000);
    expect(dropped).toEqual([]);
    clock.advance(1);
    expect(dropped).toEqual([{ index: 1, at: 1000 + PATIENCE_MS + 1 }]);
    clock.advance(998);
    await end(0);
    expect(indices(started)).toEqual([0, 2]);
    expect(indices(dropped)).toEqual([1]);
  });

  it('show how late the generator noticed them, and drop what it slept through', () => {
    // Timers that come late, as on a machine that does something else for a while.
    const clock = new ManualClock();
    const wakes: (() => void)[] = [];
    const lateness: number[] = [];
    const started: number[] = [];
    const dropped: number[] = [];
    const arrivals = new OpenArrivals({
      clock,
      timers: { schedule: (_, action) => (wakes.push(action), () => undefined) },
      schedule: arrivalSchedule('constant', 2, 2),
      slots: 10,
      start: ({ index }) => {
        started.push(index);
        return new Promise(() => undefined);
      },
      onDue: (_, late) => lateness.push(late),
      onDropped: ({ index }) => dropped.push(index),
    });
    void arrivals.run();
    clock.advance(1700);
    wakes.at(-1)?.();
    expect(lateness).toEqual([0, 1200, 700, 200]);
    expect(dropped).toEqual([1]);
    expect(started).toEqual([0, 2, 3]);
  });

  it('are over when each has ended or was dropped', async () => {
    const { clock, run, end, hasEnded } = scenario({ rate: 2, seconds: 1, slots: 1 });
    run();
    clock.advance(2000);
    await settled();
    expect(hasEnded()).toBe(false);
    await end(0);
    expect(hasEnded()).toBe(true);
    expect(clock.pending).toBe(0);
  });
});
