import { describe, expect, it } from 'vitest';
import { HealthRegistry } from './health-registry.ts';

describe('health', () => {
  it('is ready when every check passes, and names those that do not', async () => {
    const health = new HealthRegistry();
    expect(await health.ready()).toEqual({ status: 'ok', checks: {} });
    let broker: Error | null = new Error('no broker answers');
    health.register('redis', () => {});
    health.register('broker', async () => {
      if (broker !== null) throw broker;
    });
    expect(await health.ready()).toEqual({
      status: 'unavailable',
      checks: { redis: { status: 'up' }, broker: { status: 'down', detail: 'no broker answers' } },
    });
    broker = null;
    expect((await health.ready()).status).toBe('ok');
  });

  it('does not wait for a check that hangs', async () => {
    const health = new HealthRegistry();
    health.register('slow', () => new Promise(() => {}), { deadlineMs: 5 });
    expect(await health.ready()).toMatchObject({
      status: 'unavailable',
      checks: { slow: { detail: 'no answer within 5 ms' } },
    });
  });

  it('lives whatever the checks say, and is not ready once it drains', async () => {
    const health = new HealthRegistry();
    health.register('database', () => {
      throw new Error('down');
    });
    expect(health.live().status).toBe('ok');
    health.startDraining();
    expect((await health.ready()).status).toBe('draining');
    expect(health.live().status).toBe('ok');
  });

  it('refuses two checks of one name', () => {
    const health = new HealthRegistry();
    health.register('redis', () => {});
    expect(() => health.register('redis', () => {})).toThrow('named redis');
  });
});
