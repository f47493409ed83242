import { describe, expect, it } from 'vitest';
import { MemoryQuorumLog } from './testing/memory-quorum-log.ts';
import { type BenchOptions, ReplicaBench } from './testing/replica-bench.ts';

const storedState = { leaderId: 2, leaderEpoch: 3, votedId: -1 };
const end = { epoch: 2, offset: 3 };

/** Voter 1 follows 2 in epoch 3, and has heard of it 100 ms ago. */
function follower(options: BenchOptions = {}): ReplicaBench {
  const bench = new ReplicaBench({ storedState, log: MemoryQuorumLog.of([1, 1, 2]), ...options });
  bench.answerFetch(bench.sent('fetch')[0]?.requestId ?? -1, { epoch: 3, leaderId: 2 });
  bench.now += 100;
  return bench;
}

/** The fetch under way fails, and so do the next ones. */
function failFetches(bench: ReplicaBench, times: number, closed: boolean): void {
  for (let failures = 0; failures < times; failures += 1) {
    if (bench.sent('fetch').length === 0) bench.passUntil('send', 100);
    bench.give({ type: 'request-failed', requestId: bench.sent('fetch')[0]?.requestId ?? -1, closed });
  }
}

describe('F20: a leader whose side closes every connection', () => {
  it('is given up at the third in a row by the first of those who are left', () => {
    const bench = follower();
    failFetches(bench, 2, true);
    expect(bench.role).toBe('follower');
    failFetches(bench, 1, true);
    expect(bench.role).toBe('prospective');
    expect(bench.now).toBeLessThan(1000 + 300);
    expect(bench.sent('vote').map(({ to }) => to)).toEqual([2, 3]);
  });

  it('is given up later by the others, who stand should that one not be elected', () => {
    const bench = follower({ storedState: { ...storedState, leaderId: 2 }, voters: [0, 1, 2] });
    failFetches(bench, 3, true);
    expect(bench.role).toBe('follower');
    expect(bench.replica.nextDueAtMs).toBeLessThanOrEqual(bench.now + 20);
    bench.pass(374);
    expect(bench.role).toBe('follower');
    bench.pass(1);
    expect(bench.role).toBe('prospective');
  });

  it('is no reason to refuse another voter its pre-vote', () => {
    const bench = follower({ voters: [0, 1, 2] });
    const [fetch] = bench.sent('fetch');
    expect(bench.vote(0, 3, end, true).granted).toBe(false);
    bench.give({ type: 'request-failed', requestId: fetch?.requestId ?? -1, closed: true });
    failFetches(bench, 2, true);
    expect(bench.vote(0, 3, end, true).granted).toBe(true);
    expect(bench.role).toBe('follower');
  });

  it('counts only where nothing was heard in between, and only connections that were closed', () => {
    const bench = follower();
    failFetches(bench, 2, true);
    failFetches(bench, 5, false);
    failFetches(bench, 2, true);
    expect(bench.role).toBe('follower');
    bench.passUntil('send', 100);
    bench.answerFetch(bench.sent('fetch')[0]?.requestId ?? -1, { epoch: 3, leaderId: 2 });
    failFetches(bench, 2, true);
    expect(bench.role).toBe('follower');
  });

  it('is followed on when it answers before the turn to stand has come', () => {
    const bench = follower({ voters: [0, 1, 2] });
    failFetches(bench, 3, true);
    bench.passUntil('send', 100);
    bench.answerFetch(bench.sent('fetch')[0]?.requestId ?? -1, { epoch: 3, leaderId: 2 });
    bench.pass(1000);
    expect(bench.role).toBe('follower');
    expect(bench.vote(0, 3, end, true).granted).toBe(false);
  });

  it('KIP-996: whose others hear it is followed again, and not stood against sooner than after a pause', () => {
    const bench = follower();
    failFetches(bench, 3, true);
    const [toSecond, toThird] = bench.sent('vote');
    bench.give({ type: 'request-failed', requestId: toSecond?.requestId ?? -1, closed: true });
    bench.answerVote(toThird?.requestId ?? -1, 3, false, 2);
    expect([bench.role, bench.replica.leaderAndEpoch]).toEqual(['follower', { leaderId: 2, epoch: 3 }]);
    const pausedUntil = bench.now + 100;
    failFetches(bench, 3, true);
    expect([bench.role, bench.now < pausedUntil]).toEqual(['follower', true]);
    bench.pass(pausedUntil - bench.now);
    expect(bench.role).toBe('prospective');
  });

  it('is looked for elsewhere by an observer, also where it was the only voter', () => {
    for (const voters of [[2], [2, 3]]) {
      const observer = follower({ nodeId: 11, voters });
      failFetches(observer, 3, true);
      expect(Number.isFinite(observer.replica.nextDueAtMs)).toBe(true);
      if (observer.role === 'follower') observer.passUntil('leader-changed', 1000);
      expect([observer.role, observer.replica.leaderAndEpoch]).toEqual([
        'unattached',
        { leaderId: -1, epoch: 3 },
      ]);
      expect(observer.now).toBeLessThan(1000 + 1000);
    }
  });

  it('is remembered with the moment at which it was heard last, until this node has led', () => {
    const bench = follower();
    const lastHeardMs = bench.now - 100;
    failFetches(bench, 3, true);
    const [toSecond, toThird] = bench.sent('vote');
    bench.give({ type: 'request-failed', requestId: toSecond?.requestId ?? -1, closed: true });
    bench.answerVote(toThird?.requestId ?? -1, 3, false, 2);
    failFetches(bench, 3, true);
    bench.pass(100);
    expect(bench.role).toBe('prospective');
    bench.answerVote(bench.sent('vote')[1]?.requestId ?? -1, 3, true);
    bench.answerVote(bench.sent('vote')[1]?.requestId ?? -1, 4, true);
    expect(bench.role).toBe('leader');
    expect(bench.replica.leaderBefore).toEqual({ leaderId: 2, epoch: 3, lastHeardMs });
    bench.give({ type: 'resign' });
    expect(bench.replica.leaderBefore).toBe(null);
  });
});
