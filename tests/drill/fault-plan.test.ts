import { describe, expect, it } from 'vitest';
import { DrillUsageError, readDrillOptions } from './drill-settings.ts';
import { FailoverWatch, spreadOf } from './failover-watch.ts';
import { families, FaultPlan, faultFamilies, kindsOf } from './fault-plan.ts';

const all = families.flatMap((family) => kindsOf(family, families));

describe('a plan of faults', () => {
  const first = (seed: number, count: number) => {
    const plan = new FaultPlan(seed, all);
    return Array.from({ length: count }, () => plan.next());
  };

  it('is the same for the same seed, and another for another', () => {
    expect(first(7, 40)).toEqual(first(7, 40));
    expect(first(7, 40)).not.toEqual(first(8, 40));
  });

  it('gives each kind its turn', () => {
    const round = first(3, all.length).map(({ kind }) => kind);
    expect(round.toSorted()).toEqual([...all].toSorted());
  });

  it('is of families, or of single kinds', () => {
    expect(kindsOf('kill', families)).toEqual(faultFamilies.kill);
    expect(kindsOf('pause-leader', families)).toEqual(['pause-leader']);
    expect(kindsOf('pause-leader', ['kill'])).toEqual([]);
  });
});

describe('the options of a drill', () => {
  const read = (line: string) => readDrillOptions(line.split(' '), () => 42);

  it('have defaults', () => {
    const options = readDrillOptions([], () => 42);
    expect(options).toMatchObject({ end: { seconds: 60 }, brokers: 3, seed: 42, faults: all });
  });

  it('are read', () => {
    expect(
      read('--rounds 5 --faults kill-leader,restart --seed 7 --session-timeout 9000 --fsync'),
    ).toMatchObject({
      end: { rounds: 5 },
      faults: ['kill-leader', 'rolling-restart'],
      seed: 7,
      sessionTimeoutMs: 9000,
      fsync: true,
    });
    expect(read('--brokers 1')?.faults).not.toContain('cut-off');
    expect(read('--help')).toBeNull();
  });

  it.each([
    '--minutes 0',
    '--brokers 2',
    '--faults fire',
    '--brokers 1 --faults partition',
    '--minutes 1 --rounds 1',
  ])('are refused: %s', (line) => {
    expect(() => read(line)).toThrow(DrillUsageError);
  });
});

describe('the watch on failovers', () => {
  it('runs from a death to the next record that was sent after it', () => {
    const watch = new FailoverWatch();
    watch.leaderDied([0, 1], 'leader', 1000);
    watch.acked(0, 900, 1500);
    expect(watch.latenciesMs('leader')).toEqual([]);
    watch.acked(0, 1100, 2500);
    watch.acked(0, 1200, 2600);
    expect(watch.latenciesMs('leader')).toEqual([1500]);
    expect(watch.waiting).toEqual([1]);
  });

  it('keeps deaths apart that come close to each other', () => {
    const watch = new FailoverWatch();
    watch.leaderDied([0], 'leader', 1000);
    watch.leaderDied([0], 'leader', 2000);
    watch.acked(0, 2100, 4000);
    expect(watch.latenciesMs('leader')).toEqual([]);
    expect(watch.latenciesMs('others')).toEqual([3000]);
  });

  it('tells how latencies spread', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ count: 3, p50: 2, p99: 3, max: 3 });
    expect(spreadOf([])).toEqual({ count: 0, p50: 0, p99: 0, max: 0 });
  });
});
