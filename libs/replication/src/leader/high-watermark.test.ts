import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { LeaderBench } from '../testing/leader-bench.ts';
import { MemoryLog } from '../testing/memory-log.ts';
import { leaderHighWatermark } from './high-watermark.ts';

describe('R7: the high watermark of a leader', () => {
  it('is the least log end of the ISR', () => {
    const bench = new LeaderBench();
    bench.append(10);
    bench.fetch(2, 10);
    expect(bench.leader.highWatermark).toBe(0);
    bench.fetch(3, 4);
    expect(bench.leader.highWatermark).toBe(4);
    bench.fetch(3, 10);
    expect(bench.leader.highWatermark).toBe(10);
    expect(bench.log.highWatermark).toBe(10);
  });

  it('follows the leader alone where it is its whole ISR and nobody is about to join', () => {
    const bench = new LeaderBench({ metadata: { isr: [1] } });
    bench.append(3);
    expect(bench.leader.highWatermark).toBe(3);
  });

  it('asks nobody once it has reached the log end', () => {
    const heldBackBy = (function* (): Generator<number> {
      yield expect.unreachable();
    })();
    const inputs = { highWatermark: 5, logEndOffset: 5, heldBackBy, isUnderMinIsr: false };
    expect(leaderHighWatermark(inputs)).toBe(5);
  });

  it('waits for the replica of a pending expansion', () => {
    const bench = new LeaderBench({ metadata: { isr: [1, 2] }, config: { replicaLagTimeMaxMs: 0 } });
    bench.append(2);
    bench.fetchAll(2);
    expect(bench.leader.maximalIsr).toEqual([1, 2, 3]);
    expect(bench.leader.isr).toEqual([1, 2]);
    bench.advance(10);
    bench.append(1);
    bench.fetch(2, 3);
    expect(bench.leader.highWatermark).toBe(2);
  });

  it('waits for the replicas of a pending shrink until it is confirmed', () => {
    const bench = new LeaderBench();
    bench.append(5);
    bench.fetch(2, 5);
    bench.advance(31_000);
    bench.fetch(2, 5);
    bench.step({ type: 'lag-check' });
    expect(bench.proposals.at(-1)?.isr.map((member) => member.brokerId)).toEqual([1, 2]);
    expect(bench.leader.maximalIsr).toEqual([1, 2, 3]);
    expect(bench.leader.highWatermark).toBe(0);
    bench.accept();
    expect(bench.leader.highWatermark).toBe(5);
  });

  it('waits for a replica that is caught up and may join, though it is not in the ISR yet', () => {
    const bench = new LeaderBench({ metadata: { isr: [1] } });
    bench.append(4);
    bench.fetch(2, 4);
    bench.refuse(ErrorCode.INELIGIBLE_REPLICA);
    expect(bench.leader.isr).toEqual([1]);
    bench.append(2);
    expect(bench.leader.highWatermark).toBe(4);
    bench.fetch(2, 6);
    expect(bench.leader.highWatermark).toBe(6);
  });

  it.each([
    ['is fenced', { fenced: true }],
    ['is about to stop', { inControlledShutdown: true }],
    ['has registered anew', { epoch: 99 }],
  ])('does not wait for one that %s', (_why, change) => {
    const bench = new LeaderBench({ metadata: { isr: [1] } });
    bench.append(4);
    bench.fetch(2, 4);
    bench.refuse(ErrorCode.INELIGIBLE_REPLICA);
    bench.append(2);
    bench.setBroker(2, change);
    expect(bench.leader.highWatermark).toBe(6);
  });

  it('does not wait for one that has fallen behind for longer than the lag', () => {
    const bench = new LeaderBench({ metadata: { isr: [1] } });
    bench.append(4);
    bench.fetch(2, 4);
    bench.refuse(ErrorCode.INELIGIBLE_REPLICA);
    bench.append(2);
    bench.advance(30_001);
    bench.step({ type: 'lag-check' });
    expect(bench.leader.highWatermark).toBe(6);
  });
});

describe('R8: the high watermark of a leader', () => {
  it('does not fall when a member comes back with less', () => {
    const bench = new LeaderBench();
    bench.append(5);
    bench.fetchAll(5);
    bench.fetch(3, 2);
    bench.append(1);
    expect(bench.leader.highWatermark).toBe(5);
  });

  it('does not rise while the ISR is below the minimum, so that acks=1 records stay unseen too', () => {
    const bench = new LeaderBench({ config: { minInsyncReplicas: 2 } });
    bench.append(1);
    bench.fetchAll(1);
    bench.setBroker(2, { fenced: true });
    bench.setBroker(3, { fenced: true });
    bench.learn({ isr: [1] });
    bench.append(3);
    expect(bench.leader.isUnderMinIsr).toBe(true);
    expect(bench.leader.highWatermark).toBe(1);
  });

  it('goes by the number of replicas where the minimum is larger', () => {
    const bench = new LeaderBench({
      metadata: { replicas: [1, 2], isr: [1, 2] },
      config: { minInsyncReplicas: 3 },
    });
    bench.append(2);
    bench.fetch(2, 2);
    expect(bench.leader.highWatermark).toBe(2);
  });

  it('goes by the committed ISR: an expansion that is pending does not make it large enough', () => {
    const bench = new LeaderBench({ metadata: { isr: [1] }, config: { minInsyncReplicas: 2 } });
    bench.append(2);
    bench.fetch(2, 2);
    expect(bench.leader.maximalIsr).toEqual([1, 2]);
    expect(bench.leader.highWatermark).toBe(0);
    bench.accept();
    expect(bench.leader.highWatermark).toBe(2);
  });

  it('jumps when the slowest member leaves, over all that was written meanwhile', () => {
    const bench = new LeaderBench({ config: { minInsyncReplicas: 2 } });
    bench.append(12);
    bench.fetchAll(12);
    bench.append(6);
    bench.fetch(2, 18);
    expect(bench.leader.highWatermark).toBe(12);
    bench.setBroker(3, { inControlledShutdown: true });
    bench.learn({ isr: [1, 2] });
    expect(bench.leader.highWatermark).toBe(18);
  });

  it('does not jump when that leaves the ISR below the minimum, until the minimum is lowered', () => {
    const bench = new LeaderBench({ config: { minInsyncReplicas: 3 } });
    bench.append(12);
    bench.fetchAll(12);
    bench.append(6);
    bench.fetch(2, 18);
    bench.setBroker(3, { inControlledShutdown: true });
    bench.learn({ isr: [1, 2] });
    expect(bench.leader.highWatermark).toBe(12);
    bench.configure({ minInsyncReplicas: 2 });
    expect(bench.leader.highWatermark).toBe(18);
  });
});

describe('R21: a new leader', () => {
  it('keeps the high watermark that it had as a follower until every ISR member has fetched', () => {
    const bench = new LeaderBench({ log: MemoryLog.of('0@0', 10, 7), metadata: { leaderEpoch: 1 } });
    bench.append(2);
    expect(bench.leader.highWatermark).toBe(7);
    bench.fetch(2, 12);
    expect(bench.leader.highWatermark).toBe(7);
    bench.fetch(3, 11);
    expect(bench.leader.highWatermark).toBe(11);
  });

  it('begins its epoch at its log end', () => {
    const bench = new LeaderBench({ log: MemoryLog.of('0@0', 10), metadata: { leaderEpoch: 3 } });
    expect(bench.log.epochCheckpoint).toBe('0 2 0 0 3 10');
    bench.learn({ leaderEpoch: 4, isr: [1, 2, 3] });
    expect(bench.log.epochCheckpoint).toBe('0 2 0 0 4 10');
    expect(bench.leader.leaderEpoch).toBe(4);
  });

  it('knows what its followers hold when only its epoch rises', () => {
    const bench = new LeaderBench();
    bench.append(5);
    bench.fetchAll(5);
    bench.append(2);
    bench.learn({ leaderEpoch: 1, replicas: [1, 2, 3], isr: [1, 2, 3] });
    expect([...bench.leader.followers].map((follower) => follower.logEndOffset)).toEqual([5, 5]);
    bench.fetchAll(7);
    expect(bench.leader.highWatermark).toBe(7);
  });
});
