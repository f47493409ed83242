import { ManualClock } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { type WaitEnd, WaitingAppends } from './waiting-appends.ts';

interface Story {
  readonly clock: ManualClock;
  readonly waiting: WaitingAppends;
  readonly ends: [number, WaitEnd][];
  add(requiredOffset: number, timeoutMs?: number): void;
}

function story(): Story {
  const clock = new ManualClock();
  const waiting = new WaitingAppends(clock);
  const ends: [number, WaitEnd][] = [];
  return {
    clock,
    waiting,
    ends,
    add: (requiredOffset, timeoutMs = 1000) =>
      waiting.add(requiredOffset, timeoutMs, (how) => ends.push([requiredOffset, how])),
  };
}

describe('WaitingAppends', () => {
  it('R16: ends those whose last offset the high watermark has passed, and no others', () => {
    const { waiting, ends, add } = story();
    add(5);
    add(10);
    waiting.highWatermarkRaised(4);
    expect(ends).toEqual([]);
    waiting.highWatermarkRaised(9);
    expect(ends).toEqual([[5, 'reached']]);
    waiting.highWatermarkRaised(10);
    expect(ends).toEqual([
      [5, 'reached'],
      [10, 'reached'],
    ]);
  });

  it('R19: only the time-out is a timer, and it goes with the wait', () => {
    const { clock, waiting, ends, add } = story();
    add(5, 1000);
    add(10, 300);
    expect(clock.pending).toBe(2);
    clock.advance(300);
    expect(ends).toEqual([[10, 'timed-out']]);
    waiting.highWatermarkRaised(20);
    expect(ends).toEqual([
      [10, 'timed-out'],
      [5, 'reached'],
    ]);
    expect(clock.pending).toBe(0);
    clock.advance(10_000);
    expect(ends.length).toBe(2);
  });

  it('R29: losing leadership ends all of them', () => {
    const { clock, waiting, ends, add } = story();
    add(5);
    add(6);
    waiting.leadershipLost();
    expect(ends).toEqual([
      [5, 'leadership-lost'],
      [6, 'leadership-lost'],
    ]);
    expect(waiting.count).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
