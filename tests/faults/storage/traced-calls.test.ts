/** A broker whose syncs and renames kill it, fail, or take long. */
import { describe, expect, it } from 'vitest';
import { until } from '../until.ts';
import { AckedJournal, TRIED_TWICE } from './acked-journal.ts';
import { BrokerOnDisk } from './broker-on-disk.ts';
import { missing, tracing } from './fault-tools.ts';
import { attach, hasEnded, startTraced } from './tracer.ts';

const TOPIC = 'seats';
/** Each record is on the disk before it is acknowledged. */
const FLUSHED = { 'flush.messages': '1' } as const;
const RENAMES = '/^rename(at2?)?$';
const MOST_RECORDS = 3000;

async function flushing(partitions: number, properties: Readonly<Record<string, string>> = {}) {
  const broker = await BrokerOnDisk.start({ properties });
  await broker.createTopic(TOPIC, partitions, FLUSHED);
  const journals = Array.from({ length: partitions }, (_, at) => new AckedJournal(broker.client, TOPIC, at));
  const [first, second = first] = journals;
  if (first === undefined || second === undefined) throw new Error('a topic has a partition');
  await Promise.all(journals.map((journal) => journal.write(5)));
  return { broker, first, second };
}

describe.skipIf(missing(tracing, 'F5'))('F5: a crash', () => {
  it.each([
    ['a sync', 'fdatasync', [2, 9, 33]],
    ['a rename', RENAMES, [2, 7]],
  ] as const)(
    'in %s: it starts again, without gap or overlap, and nothing acked is gone',
    async (_, call, counts) => {
      // Checkpoints are written often: their renames are among those that kill.
      const often = {
        'replica.high.watermark.checkpoint.interval.ms': '40',
        'log.flush.offset.checkpoint.interval.ms': '70',
      };
      const { broker, first } = await flushing(1, often);
      for (const when of counts) {
        await broker.server.stop();
        const child = await startTraced(broker, { call, effect: `signal=SIGKILL:when=${when}` });
        const writing = first.write(MOST_RECORDS, { enough: () => hasEnded(child) });
        await until('the crash', () => hasEnded(child));
        expect(child.signalCode, `at the ${when}th`).toBe('SIGKILL');
        // What was under way is answered by the next one, or given up.
        await broker.startAgain();
        await writing;
        await first.write(3);
        expect(await first.complaints(), `killed at the ${when}th`).toEqual([]);
      }
      expect(first.acked.length).toBeGreaterThan(5 + 3 * counts.length);
    },
  );
});

describe.skipIf(missing(tracing, 'F8'))('F8: an I/O error on a sync', () => {
  it('fences the log: it is not synced again, acknowledges nothing more, and others work', async () => {
    const { broker, first, second } = await flushing(2);
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
    const { broker, first, second } = await flushing(2);
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
