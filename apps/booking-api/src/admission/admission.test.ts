import { describe, expect, it } from 'vitest';
import { EVENT, get, reserve, seat, until, withApi } from '../testing/api-fixture.ts';
import { AdmissionGate } from './admission-gate.ts';
import { BacklogEstimator } from './backlog-estimator.ts';

describe('the gate', () => {
  it('lets in as many as its limit, and more once some have left', () => {
    const gate = new AdmissionGate({ limit: 2 });
    expect([gate.enter(), gate.enter(), gate.enter()?.code]).toEqual([null, null, 'OVERLOADED']);
    gate.leave();
    expect(gate.enter()).toBeNull();
    expect(gate.inside).toBe(2);
  });

  it('lets nobody in while the worker is too far behind, and says for how long', () => {
    let drainMs: number | null = null;
    const gate = new AdmissionGate({ limit: 9, estimatedDrainMs: () => drainMs, longestDrainMs: 10_000 });
    expect(gate.enter()).toBeNull();
    drainMs = 10_000;
    expect(gate.enter()).toBeNull();
    drainMs = 14_500;
    expect(gate.enter()).toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 5 });
    drainMs = 9_999_999;
    expect(gate.enter()?.retryAfterSeconds).toBe(30);
  });
});

describe('the estimate of the backlog', () => {
  it('is unknown without a sample, and nothing when nothing waits', () => {
    const estimator = new BacklogEstimator();
    expect(estimator.drainMs(0)).toBeNull();
    estimator.add({ at: 0, committed: 5, end: 5 });
    expect([estimator.lag, estimator.drainMs(1000)]).toEqual([0, 0]);
  });

  it('is what waits, divided by the speed', () => {
    const estimator = new BacklogEstimator();
    estimator.add({ at: 0, committed: 0, end: 10_000 });
    estimator.add({ at: 1000, committed: 2000, end: 10_000 });
    // 2 records a millisecond, 8000 to go.
    expect(estimator.drainMs(1000)).toBeCloseTo(4000);
  });

  it('grows while the worker stands still with work before it, and forgets that once it moves', () => {
    const estimator = new BacklogEstimator();
    estimator.add({ at: 0, committed: 0, end: 0 });
    estimator.add({ at: 1000, committed: 0, end: 100 });
    estimator.add({ at: 9000, committed: 0, end: 100 });
    expect(estimator.drainMs(60_000)).toBe(60_000);
    estimator.add({ at: 61_000, committed: 100, end: 100 });
    expect(estimator.drainMs(61_000)).toBe(0);
  });
});

describe('admission over HTTP', () => {
  it('F70: above the limit 503 at once, nothing locked; below it all goes on', async () => {
    await withApi({ maxReservations: 2 }, async (fixture) => {
      let proceed = () => {};
      fixture.publisher.hold = new Promise((resolve) => (proceed = resolve));
      const served = [1, 2].map((number) =>
        reserve(fixture.app, { seats: [seat(number)], key: `k${number}` }),
      );
      await until(() => fixture.publisher.calls === 2);
      const refused = await reserve(fixture.app, { seats: [seat(3)], key: 'k3' });
      expect(refused).toMatchObject({
        status: 503,
        body: { code: 'OVERLOADED' },
        headers: { 'retry-after': '1' },
      });
      expect((await fixture.seatLock.readSeats([seat(3)]))[0]?.state).toBe('FREE');
      // Those who look are not kept out by those who buy.
      expect((await get(fixture.app, `/events/${EVENT}/seats`)).status).toBe(200);
      proceed();
      expect((await Promise.all(served)).map((answer) => answer.status)).toEqual([202, 202]);
      await until(() => fixture.gates.reservations.inside === 0);
      expect((await reserve(fixture.app, { seats: [seat(3)], key: 'k3' })).status).toBe(202);
      const metrics = (await fixture.app.inject({ method: 'GET', url: '/metrics' })).body;
      expect(metrics).toContain('booking_reservation_requests_total{outcome="OVERLOADED"} 1');
      expect(metrics).toContain('booking_reservation_requests_total{outcome="accepted"} 3');
    });
  });

  it('F70: refuses while the worker is too far behind', async () => {
    await withApi({ estimatedDrainMs: () => 60_000 }, async (fixture) => {
      expect(await reserve(fixture.app)).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    });
  });

  it('F71: while draining it is not ready and sells nothing more, what is under way is finished', async () => {
    await withApi({}, async (fixture) => {
      let proceed = () => {};
      fixture.publisher.hold = new Promise((resolve) => (proceed = resolve));
      const underWay = reserve(fixture.app);
      await until(() => fixture.publisher.calls === 1);
      expect((await get(fixture.app, '/health/ready')).status).toBe(200);
      fixture.health.startDraining();
      expect(await get(fixture.app, '/health/ready')).toMatchObject({
        status: 503,
        body: { status: 'draining' },
      });
      expect((await get(fixture.app, '/health/live')).status).toBe(200);
      expect(await reserve(fixture.app, { key: 'k2' })).toMatchObject({
        status: 503,
        body: { code: 'SHUTTING_DOWN' },
        headers: { connection: 'close' },
      });
      proceed();
      expect(await underWay).toMatchObject({ status: 202, headers: { connection: 'close' } });
    });
  });
});
