import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { LeaderBench } from '../testing/leader-bench.ts';
import { MemoryLog } from '../testing/memory-log.ts';

const follower = { replicaId: 2, brokerEpoch: 12 };

describe('R5: a read goes', () => {
  it.each([
    ['to the log end for a follower', follower, 'log-end'],
    ['to the high watermark for a consumer', {}, 'high-watermark'],
    [
      'to the last stable offset for a consumer of committed records',
      { isReadCommitted: true },
      'last-stable',
    ],
  ])('%s', (_rule, look, bound) => {
    expect(new LeaderBench().check(look)).toEqual({ kind: 'read', bound });
  });
});

describe('R23: before it reads, a leader', () => {
  const bench = new LeaderBench({
    log: MemoryLog.of('0@0,1@5,3@8', 10),
    metadata: { leaderEpoch: 4 },
  });

  it.each([
    ['has read what continues its own history', { lastFetchedEpoch: 1, fetchOffset: 8 }, 'read'],
    ['has read what is within an epoch that they share', { lastFetchedEpoch: 0, fetchOffset: 3 }, 'read'],
    ['has read without a last epoch', { fetchOffset: 10 }, 'read'],
  ])('%s', (_what, look, kind) => {
    expect(bench.check({ ...follower, ...look }).kind).toBe(kind);
  });

  it.each([
    ['an epoch that goes on where it ended here', { lastFetchedEpoch: 1, fetchOffset: 9 }, [1, 8]],
    ['an epoch that it never had', { lastFetchedEpoch: 2, fetchOffset: 9 }, [1, 8]],
    ['an epoch older than all of its own', { lastFetchedEpoch: 0, fetchOffset: 7 }, [0, 5]],
  ])('tells where its history parts from %s', (_what, look, [epoch, endOffset]) => {
    expect(bench.check({ ...follower, ...look })).toEqual({ kind: 'diverging', epoch, endOffset });
  });

  it.each([
    ['an epoch later than any it knows', { lastFetchedEpoch: 5, fetchOffset: 9 }],
    ['an offset beyond its end', { fetchOffset: 11 }],
  ])('refuses %s', (_what, look) => {
    const refusal = { kind: 'refused', errorCode: ErrorCode.OFFSET_OUT_OF_RANGE, currentLeader: null };
    expect(bench.check({ ...follower, ...look })).toEqual(refusal);
  });

  it('refuses an offset below its log start, even one of another history', () => {
    const log = MemoryLog.of('0@0,1@5', 10, 8);
    log.raiseLogStart(6);
    const behind = new LeaderBench({ log, metadata: { leaderEpoch: 2 } });
    expect(behind.check({ ...follower, fetchOffset: 5, lastFetchedEpoch: 0 })).toMatchObject({
      errorCode: ErrorCode.OFFSET_OUT_OF_RANGE,
    });
  });

  it('tells a follower that ends where its log begins, in an epoch that is left nowhere, that it diverges', () => {
    const log = MemoryLog.of('0@0,1@5', 10, 8);
    log.raiseLogStart(6);
    const bench = new LeaderBench({ log, metadata: { leaderEpoch: 2 } });
    const look = { ...follower, fetchOffset: 6, lastFetchedEpoch: 0, logStartOffset: 0 };
    expect(bench.check(look)).toEqual({ kind: 'diverging', epoch: 0, endOffset: 6 });
    expect(bench.check({ ...look, lastFetchedEpoch: 1 }).kind).toBe('read');
    expect(bench.check({ ...look, logStartOffset: 6 }).kind).toBe('read');
    expect(bench.check({ ...look, replicaId: -1, brokerEpoch: -1 }).kind).toBe('read');
  });

  it('has one read that ends there and was in line before', () => {
    const log = MemoryLog.of('0@0,1@6', 6, 6);
    const bench = new LeaderBench({ log, metadata: { leaderEpoch: 1 } });
    const look = { ...follower, fetchOffset: 6, lastFetchedEpoch: 0, logStartOffset: 0 };
    bench.fetch(2, 6);
    log.raiseLogStart(6);
    expect(bench.check(look).kind).toBe('read');
    expect(bench.check({ ...look, replicaId: 3, brokerEpoch: 13 }).kind).toBe('diverging');
  });
});

describe('R25: a leader', () => {
  const bench = new LeaderBench({ metadata: { leaderEpoch: 4 } });
  const leader = { leaderId: 1, leaderEpoch: 4 };

  it.each([
    ['fences an older epoch', 3, ErrorCode.FENCED_LEADER_EPOCH],
    ['does not know a newer one', 5, ErrorCode.UNKNOWN_LEADER_EPOCH],
  ])('%s, and says who leads', (_what, currentLeaderEpoch, errorCode) => {
    const refusal = { kind: 'refused', errorCode, currentLeader: leader };
    expect(bench.check({ ...follower, currentLeaderEpoch })).toEqual(refusal);
    expect(bench.check({ currentLeaderEpoch })).toEqual(refusal);
  });

  it('takes its own epoch, and a consumer that does not say', () => {
    expect(bench.check({ ...follower, currentLeaderEpoch: 4 }).kind).toBe('read');
    expect(bench.check({}).kind).toBe('read');
  });

  it('knows no follower but those of the assignment, which may be ahead of what it has heard', () => {
    const stranger = { replicaId: 9, brokerEpoch: 1 };
    expect(bench.check({ ...stranger, currentLeaderEpoch: 4 })).toMatchObject({
      errorCode: ErrorCode.UNKNOWN_LEADER_EPOCH,
    });
    expect(bench.check(stranger)).toMatchObject({ errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER });
  });

  it('F24: refuses the fetch of a process that has a successor', () => {
    expect(bench.check({ replicaId: 2, brokerEpoch: 11 })).toMatchObject({
      errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER,
    });
  });
});
