import { describe, expect, it } from 'vitest';
import { LeaderBench } from '../testing/leader-bench.ts';
import { MemoryLog } from '../testing/memory-log.ts';

const proposed = (bench: LeaderBench): readonly number[][] =>
  bench.proposals.map((proposal) => proposal.isr.map((member) => member.brokerId));
const caughtUpAt = (bench: LeaderBench, id: number): number | undefined =>
  [...bench.leader.followers].find((follower) => follower.brokerId === id)?.lastCaughtUpTimeMs;

describe('R6: what a follower fetches from is its report', () => {
  it('of what it holds', () => {
    const bench = new LeaderBench();
    bench.append(8);
    bench.fetch(2, 5, { logStartOffset: 3 });
    const [follower] = [...bench.leader.followers];
    expect(follower).toMatchObject({ brokerId: 2, logEndOffset: 5, logStartOffset: 3, brokerEpoch: 12 });
  });

  it('once: a fetch that was parked reports nothing when it is looked at again', () => {
    const bench = new LeaderBench();
    bench.fetch(2, 0);
    const first = caughtUpAt(bench, 2);
    bench.advance(500);
    bench.append(2);
    bench.fetch(2, 0, { look: 'again' });
    expect(caughtUpAt(bench, 2)).toBe(first);
    const [follower] = [...bench.leader.followers];
    expect(follower?.lastFetchLeaderEndOffset).toBe(0);
  });

  it('and nothing from one that is not assigned', () => {
    const bench = new LeaderBench({ metadata: { replicas: [1, 2], isr: [1, 2] } });
    bench.append(1);
    bench.fetch(3, 1);
    expect(bench.leader.highWatermark).toBe(0);
    expect([...bench.leader.followers].map((follower) => follower.brokerId)).toEqual([2]);
  });

  it('an append wakes followers, a rise of the high watermark wakes consumers only', () => {
    const bench = new LeaderBench();
    const woken = (
      effects: readonly { readonly type: string; readonly whose?: string }[],
    ): (string | undefined)[] =>
      effects.filter((effect) => effect.type === 'wake-fetches').map((effect) => effect.whose);
    expect(woken(bench.append(3))).toEqual(['log-end']);
    expect(woken(bench.fetch(2, 3))).toEqual([]);
    expect(woken(bench.fetch(3, 3))).toEqual(['high-watermark']);
  });
});

describe('R10: a follower was last caught up', () => {
  it('now, if it fetches from the leader’s end', () => {
    const bench = new LeaderBench();
    bench.append(3);
    bench.advance(70);
    bench.fetch(2, 3);
    expect(caughtUpAt(bench, 2)).toBe(bench.moment.monotonic);
  });

  it('at its previous fetch, if it has reached what was the end then', () => {
    const bench = new LeaderBench();
    bench.append(3);
    bench.advance(70);
    bench.fetch(2, 0);
    const previous = bench.moment.monotonic;
    bench.advance(70);
    bench.append(3);
    bench.fetch(2, 3);
    expect(caughtUpAt(bench, 2)).toBe(previous);
  });

  it('as before, if it has reached neither', () => {
    const bench = new LeaderBench();
    const elected = bench.moment.monotonic;
    bench.append(3);
    bench.advance(70);
    bench.fetch(2, 0);
    bench.advance(70);
    bench.append(3);
    bench.fetch(2, 2);
    expect(caughtUpAt(bench, 2)).toBe(elected);
  });
});

describe('R11: a follower is dropped', () => {
  it('when it lacks records for longer than the lag, however few', () => {
    const bench = new LeaderBench();
    bench.append(1);
    bench.fetch(2, 1);
    bench.advance(30_000);
    bench.step({ type: 'lag-check' });
    expect(proposed(bench)).toEqual([]);
    bench.advance(1);
    bench.step({ type: 'lag-check' });
    expect(proposed(bench)).toEqual([[1, 2]]);
  });

  it('not while it lacks nothing, however long it is silent', () => {
    const bench = new LeaderBench();
    bench.append(10);
    bench.fetchAll(10);
    bench.advance(3_600_000);
    bench.step({ type: 'lag-check' });
    expect(proposed(bench)).toEqual([]);
  });

  it('not for how many records it lacks', () => {
    const bench = new LeaderBench();
    bench.fetchAll(0);
    bench.append(5000);
    bench.advance(29_999);
    bench.step({ type: 'lag-check' });
    expect(proposed(bench)).toEqual([]);
  });

  it('not by the wall clock: an hour that an operator adds counts for nothing (F14)', () => {
    const bench = new LeaderBench();
    bench.append(1);
    const { monotonic, now } = bench.moment;
    const effects = bench.leader.step({ type: 'lag-check' }, { monotonic, now: now + 3_600_000 });
    expect(effects).toEqual([]);
  });

  it('also when it never fetched from this leader', () => {
    const bench = new LeaderBench();
    bench.advance(30_001);
    bench.step({ type: 'lag-check' });
    expect(proposed(bench)).toEqual([[1]]);
  });
});

describe('R12: a follower joins', () => {
  it('when it has reached the high watermark and the start of the leader’s epoch', () => {
    const bench = new LeaderBench({
      log: MemoryLog.of('0@0', 10, 4),
      metadata: { leaderEpoch: 1, isr: [1, 2] },
    });
    bench.fetch(3, 3);
    bench.fetch(3, 9);
    // Between the high watermark and the start of the epoch there may be records that were acknowledged.
    expect(proposed(bench)).toEqual([]);
    bench.fetch(3, 10);
    expect(proposed(bench)).toEqual([[1, 2, 3]]);
  });

  it('not below the high watermark', () => {
    const bench = new LeaderBench({ metadata: { isr: [1, 2] } });
    bench.append(6);
    bench.fetch(2, 6);
    expect(bench.leader.highWatermark).toBe(6);
    bench.fetch(3, 5);
    expect(proposed(bench)).toEqual([]);
  });

  it.each([
    ['fenced', { fenced: true }],
    ['about to stop', { inControlledShutdown: true }],
    ['another process than the one that fetched', { epoch: 99 }],
  ])('not while it is %s', (_why, change) => {
    const bench = new LeaderBench({ metadata: { isr: [1, 2] } });
    bench.setBroker(3, change);
    bench.fetch(3, 0, { brokerEpoch: 13 });
    expect(proposed(bench)).toEqual([]);
  });

  it('not while it does not say which process it is', () => {
    const bench = new LeaderBench({ metadata: { isr: [1, 2] } });
    bench.fetch(3, 0, { brokerEpoch: -1 });
    expect(proposed(bench)).toEqual([]);
  });

  it('only by a fetch: knowing where it was before the epoch rose is not enough', () => {
    const bench = new LeaderBench({ metadata: { isr: [1, 2] } });
    bench.fetch(3, 0);
    bench.learn({ leaderEpoch: 1, isr: [1, 2] });
    expect(proposed(bench)).toEqual([[1, 2, 3]]);
    expect(bench.leader.maximalIsr).toEqual([1, 2]);
    bench.fetch(3, 0);
    expect(proposed(bench)).toHaveLength(2);
  });

  it('with the epoch of the process whose fetches the leader saw, of each member', () => {
    const bench = new LeaderBench({ metadata: { isr: [1, 2] } });
    bench.fetch(3, 0);
    expect(bench.proposals.at(-1)?.isr).toEqual([
      { brokerId: 1, brokerEpoch: 11 },
      { brokerId: 2, brokerEpoch: -1 },
      { brokerId: 3, brokerEpoch: 13 },
    ]);
  });
});
