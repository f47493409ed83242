import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';
import { systemRandom } from './random.ts';
import { systemTimers } from './timers.ts';
import { systemTurns } from './turns.ts';

describe('the ports on Node', () => {
  it('tells monotonic time that never falls', () => {
    const first = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
  });

  it('runs a scheduled action, and none that was taken back', async () => {
    let cancelled = true;
    const cancel = systemTimers.schedule(1, () => {
      cancelled = false;
    });
    cancel();
    cancel();
    await new Promise<void>((resolve) => systemTimers.schedule(5, resolve));
    expect(cancelled).toBe(true);
  });

  it('waits for delays beyond what one timer of Node keeps', async () => {
    let fired = false;
    const cancel = systemTimers.schedule(2 ** 31 + 1000, () => {
      fired = true;
    });
    await new Promise<void>((resolve) => systemTimers.schedule(20, resolve));
    cancel();
    expect(fired).toBe(false);
  });

  it('runs deferred actions in order, after the turn', async () => {
    const order: string[] = [];
    systemTurns.defer(() => order.push('first'));
    const second = new Promise<void>((resolve) => systemTurns.defer(resolve));
    order.push('turn');
    await second;
    expect(order).toEqual(['turn', 'first']);
  });

  it('draws numbers and bytes of the promised range', () => {
    const draws = Array.from({ length: 1000 }, () => systemRandom.uint32());
    expect(draws.every((draw) => Number.isInteger(draw) && draw >= 0 && draw < 2 ** 32)).toBe(true);
    expect(new Set(draws).size).toBeGreaterThan(990);
    expect(systemRandom.fraction()).toBeLessThan(1);
    expect(systemRandom.bytes(16)).toHaveLength(16);
  });
});
