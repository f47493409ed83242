import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';
import { ManualTurns } from './manual-turns.ts';
import { SeededRandom } from './seeded-random.ts';

describe('time by hand', () => {
  it('runs what falls due in its order, each at its own moment', () => {
    const clock = new ManualClock(1000);
    const ran: [string, number][] = [];
    clock.schedule(20, () => ran.push(['late', clock.now()]));
    clock.schedule(10, () => {
      ran.push(['early', clock.now()]);
      clock.schedule(5, () => ran.push(['nested', clock.now()]));
    });
    const cancel = clock.schedule(12, () => ran.push(['cancelled', clock.now()]));
    cancel();
    expect(clock.untilNext).toBe(10);
    clock.advance(30);
    expect(ran).toEqual([
      ['early', 1010],
      ['nested', 1015],
      ['late', 1020],
    ]);
    expect(clock.now()).toBe(1030);
    expect([clock.pending, clock.untilNext]).toEqual([0, null]);
  });

  it('F14: keeps monotonic time when the wall clock jumps', () => {
    const clock = new ManualClock(1000);
    let ran = false;
    clock.schedule(100, () => {
      ran = true;
    });
    clock.jump(3_600_000);
    expect([clock.now(), clock.monotonic(), ran]).toEqual([3_601_000, 0, false]);
    clock.advance(100);
    expect(ran).toBe(true);
  });
});

describe('turns by hand', () => {
  it('keeps what a deferred action defers for the turn after', () => {
    const turns = new ManualTurns();
    const ran: string[] = [];
    turns.defer(() => {
      ran.push('first');
      turns.defer(() => ran.push('second'));
    });
    turns.end();
    expect(ran).toEqual(['first']);
    turns.endAll();
    expect(ran).toEqual(['first', 'second']);
  });
});

describe('chance by seed', () => {
  it('gives the same draws for the same seed, and others for another', () => {
    const draw = (seed: number): number[] => {
      const random = new SeededRandom(seed);
      return Array.from({ length: 5 }, () => random.uint32());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });
});
