/**
 * A broker that is killed in its n-th sync, or its n-th rename, counted from its start (F5). A few n are tried each time;
 *
 *     KILL_POINTS=1-100 npx vitest run tests/faults/storage/kill-points.test.ts
 *
 * tries all of a range, which takes some four seconds for each and kind.
 */
import { describe, expect, it } from 'vitest';
import { until } from '../until.ts';
import { missing, tracing } from './fault-tools.ts';
import { flushingBroker } from './flushing-broker.ts';
import { hasEnded, startTraced } from './tracer.ts';

const RENAMES = '/^rename(at2?)?$';
const MOST_RECORDS = 3000;
/** So many kills one folder goes through. */
const POINTS_OF_A_TEST = 8;
/** Checkpoints are written often: their renames are among those that kill. */
const OFTEN = {
  'replica.high.watermark.checkpoint.interval.ms': '40',
  'log.flush.offset.checkpoint.interval.ms': '70',
};

/** Those that are asked for, in groups; else a sample. */
function killPoints(sample: readonly number[]): readonly (readonly number[])[] {
  const range = process.env['KILL_POINTS'];
  if (range === undefined) return [sample];
  const [from = Number.NaN, to = from] = range.split('-').map(Number);
  if (!(from >= 1 && to >= from)) throw new Error(`KILL_POINTS=${range}: a range like 1-100 is wanted`);
  const points = Array.from({ length: to - from + 1 }, (_, place) => from + place);
  const groups = Math.ceil(points.length / POINTS_OF_A_TEST);
  return Array.from({ length: groups }, (_, at) =>
    points.slice(at * POINTS_OF_A_TEST, (at + 1) * POINTS_OF_A_TEST),
  );
}

const cases = [
  ...killPoints([2, 9, 33]).map((points) => ['a sync', points, 'fdatasync'] as const),
  ...killPoints([2, 7]).map((points) => ['a rename', points, RENAMES] as const),
];

describe.skipIf(missing(tracing, 'F5'))('F5: a crash', () => {
  it.each(cases)(
    'in %s (%j): it starts again, without gap or overlap, and nothing acked is gone',
    async (_, points, call) => {
      const { broker, first } = await flushingBroker('seats', 1, OFTEN);
      for (const when of points) {
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
      expect(first.acked.length).toBeGreaterThan(5 + 3 * points.length);
    },
  );
});
