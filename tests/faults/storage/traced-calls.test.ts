/** A broker whose syncs fail, or take long. */
import { describe, expect, it } from 'vitest';
import { TRIED_TWICE } from './acked-journal.ts';
import { missing, tracing } from './fault-tools.ts';
import { flushingBroker } from './flushing-broker.ts';
import { attach } from './tracer.ts';

const TOPIC = 'seats';

describe.skipIf(missing(tracing, 'F8'))('F8: an I/O error on a sync', () => {
  it('fences the log: it is not synced again, acknowledges nothing more, and others work', async () => {
    const { broker, first, second } = await flushingBroker(TOPIC, 2);
    const [active = ''] = broker.files(TOPIC, 0, '.log').slice(-1);
    const acked = first.acked.length;
    const tracer = await attach(broker, active, { call: 'fdatasync', effect: 'error=EIO' });
    expect(await first.write(1, TRIED_TWICE)).toBe(false);
    expect(tracer.calls()).toEqual([expect.stringContaining('EIO')]);
    expect(await first.write(1, TRIED_TWICE)).toBe(false);
    expect(tracer.calls()).toHaveLength(1);
    await tracer.detach();

    // The disk is well again. What it lost is not known, so the log stays as it is.
    expect(await first.write(1, TRIED_TWICE)).toBe(false);
    expect(first.acked).toHaveLength(acked);
    expect(first.refusals).toEqual(Array(3).fill('KAFKA_STORAGE_ERROR'));
    expect(broker.said()).toContain('A log takes no more appends');
    expect(await second.write(20)).toBe(true);
    expect(await second.complaints()).toEqual([]);
    expect(await broker.isHealthy()).toBe(true);

    await broker.end('crash');
    await broker.startAgain();
    expect(await first.write(5)).toBe(true);
    for (const journal of [first, second]) expect(await journal.complaints()).toEqual([]);
  });
});

/** Longer than a busy machine takes for the writes that are made meanwhile. */
const DELAY_MS = 5000;

describe.skipIf(missing(tracing, 'F9'))('F9: a slow disk', () => {
  it('nothing is acknowledged before its sync came back, and others are served meanwhile', async () => {
    const { broker, first, second } = await flushingBroker(TOPIC, 2);
    const [active = ''] = broker.files(TOPIC, 0, '.log').slice(-1);
    const delay = { call: 'fdatasync', effect: `delay_enter=${DELAY_MS * 1000}` };
    const tracer = await attach(broker, active, delay);
    const began = performance.now();
    let took = 0;
    const slow = first.write(1).then((acked) => {
      took = performance.now() - began;
      return acked;
    });
    expect(await second.write(3)).toBe(true);
    const whileSlow = took;
    expect(await slow).toBe(true);
    expect(whileSlow).toBe(0);
    expect(took).toBeGreaterThanOrEqual(DELAY_MS);
    expect(tracer.calls()).toEqual([expect.stringContaining('DELAYED')]);
    await tracer.detach();
    for (const journal of [first, second]) expect(await journal.complaints()).toEqual([]);
  });
});
