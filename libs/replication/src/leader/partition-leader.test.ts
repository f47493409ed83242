import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { LeaderBench } from '../testing/leader-bench.ts';

const isrOf = (bench: LeaderBench): readonly (readonly number[])[] => [
  bench.leader.isr,
  bench.leader.maximalIsr,
];

/** Follower 3 lags, and its leaving is proposed. */
function lagging(): LeaderBench {
  const bench = new LeaderBench();
  bench.append(5);
  bench.fetch(2, 5);
  bench.advance(31_000);
  bench.fetch(2, 5);
  bench.step({ type: 'lag-check' });
  return bench;
}

describe('R13: a leader proposes', () => {
  it('one change at a time', () => {
    const bench = lagging();
    bench.fetch(3, 5);
    bench.step({ type: 'lag-check' });
    expect(bench.proposals).toHaveLength(1);
  });

  it('on the state that it knows', () => {
    const bench = lagging();
    expect(bench.proposals[0]).toMatchObject({ leaderEpoch: 0, partitionEpoch: 0, leaderRecoveryState: 0 });
    bench.accept();
    bench.fetch(3, 5);
    expect(bench.proposals[1]).toMatchObject({ leaderEpoch: 0, partitionEpoch: 1 });
  });
});

describe('R13, R20: a leader from outside of the ISR', () => {
  const recovering = (): LeaderBench => new LeaderBench({ metadata: { isr: [1], leaderRecoveryState: 1 } });

  it('tells that it is recovered, and lets nobody join before that is confirmed', () => {
    const bench = recovering();
    expect(bench.proposals).toMatchObject([
      { isr: [{ brokerId: 1 }], leaderRecoveryState: 0, proposalId: 1 },
    ]);
    bench.fetch(2, 0);
    expect(bench.proposals).toHaveLength(1);
    bench.accept();
    bench.fetch(2, 0);
    expect(bench.proposals[1]?.isr.map((member) => member.brokerId)).toEqual([1, 2]);
    expect(bench.effects.filter((effect) => effect.type === 'count')).toEqual([]);
  });

  it('tells it again when it is fenced no more', () => {
    const bench = recovering();
    bench.refuse(ErrorCode.INELIGIBLE_REPLICA);
    expect(bench.proposals).toHaveLength(1);
    bench.setBroker(1, { fenced: false });
    expect(bench.proposals).toHaveLength(2);
  });

  it('tells it again on newer metadata that does not know it', () => {
    const bench = recovering();
    bench.learn({ replicas: [1, 2, 3, 4] });
    expect(bench.proposals.map(({ partitionEpoch }) => partitionEpoch)).toEqual([0, 1]);
    expect(bench.effects.filter((effect) => effect.type === 'withdraw-isr')).toHaveLength(1);
    bench.learn({ leaderRecoveryState: 0 });
    expect(bench.proposals).toHaveLength(2);
    expect(bench.leader.isrState.kind).toBe('committed');
  });
});

describe('R14: newer metadata', () => {
  it('replaces what is pending, raises the high watermark and ends waits', () => {
    const bench = lagging();
    bench.step({ type: 'await-replication', token: 7, requiredOffset: 5 });
    bench.setBroker(3, { fenced: true });
    bench.learn({ isr: [1, 2] });
    expect(isrOf(bench)).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(bench.leader.highWatermark).toBe(5);
    expect(bench.ended).toEqual({ 7: ErrorCode.NONE });
    expect(bench.effects.filter((effect) => effect.type === 'withdraw-isr')).toHaveLength(1);
  });

  it('makes a late answer to what was pending count for nothing', () => {
    const bench = lagging();
    bench.learn({ isr: [1, 2, 3], replicas: [1, 2, 3, 4] });
    expect(bench.answer({ kind: 'accepted', leaderEpoch: 0, partitionEpoch: 1, isr: [1, 2] })).toEqual([]);
    expect(bench.leader.isr).toEqual([1, 2, 3]);
  });

  it('that is no newer than an answer leaves what was proposed since pending', () => {
    const bench = lagging();
    bench.accept();
    bench.fetch(3, 5);
    expect(bench.leader.maximalIsr).toEqual([1, 2, 3]);
    bench.step({ type: 'metadata', metadata: { ...bench.metadata, isr: [1, 2], partitionEpoch: 1 } });
    expect(isrOf(bench)).toEqual([
      [1, 2],
      [1, 2, 3],
    ]);
  });

  it('takes replicas in and out', () => {
    const bench = new LeaderBench();
    bench.learn({ replicas: [1, 2, 4], isr: [1, 2] });
    expect([...bench.leader.followers].map((follower) => follower.brokerId)).toEqual([2, 4]);
    expect(bench.leader.replicas).toEqual([1, 2, 4]);
  });

  it('that says what was proposed, sooner than the answer, counts as its confirmation', () => {
    const bench = lagging();
    bench.learn({ isr: [1, 2] });
    expect(bench.effects).toContainEqual({ type: 'count', metric: 'IsrShrinksPerSec' });
  });
});

describe('R15: an answer to a proposal', () => {
  it('that confirms it is applied, raises the high watermark and ends waits', () => {
    const bench = lagging();
    bench.step({ type: 'await-replication', token: 7, requiredOffset: 5 });
    expect(bench.ended).toEqual({});
    bench.accept();
    expect(bench.leader.isr).toEqual([1, 2]);
    expect(bench.leader.partitionEpoch).toBe(1);
    expect(bench.ended).toEqual({ 7: ErrorCode.NONE });
  });

  it.each(['INELIGIBLE_REPLICA', 'OPERATION_NOT_ATTEMPTED'] as const)('%s takes it back', (name) => {
    const bench = lagging();
    bench.refuse(ErrorCode[name]);
    expect(bench.leader.isrState.kind).toBe('committed');
    bench.step({ type: 'lag-check' });
    expect(bench.proposals).toHaveLength(2);
  });

  it.each([
    'FENCED_LEADER_EPOCH',
    'INVALID_UPDATE_VERSION',
    'INVALID_REQUEST',
    'UNKNOWN_TOPIC_OR_PARTITION',
    'UNKNOWN_TOPIC_ID',
    'NEW_LEADER_ELECTED',
  ] as const)('%s leaves it pending until newer metadata comes', (name) => {
    const bench = new LeaderBench({ metadata: { isr: [1, 2] } });
    bench.fetch(3, 0);
    bench.refuse(ErrorCode[name]);
    bench.fetch(3, 0);
    expect(bench.proposals).toHaveLength(1);
    expect(bench.leader.maximalIsr).toEqual([1, 2, 3]);
    bench.learn({ isr: [1, 2] });
    expect(bench.leader.maximalIsr).toEqual([1, 2]);
  });

  it.each(['REQUEST_TIMED_OUT', 'NOT_CONTROLLER', 'UNKNOWN_SERVER_ERROR'] as const)(
    '%s has it proposed again, for it may have been applied',
    (name) => {
      const bench = lagging();
      bench.refuse(ErrorCode[name]);
      expect(bench.leader.maximalIsr).toEqual([1, 2, 3]);
      expect(bench.proposals.map(({ attempt, proposalId }) => [attempt, proposalId])).toEqual([
        [1, 1],
        [2, 1],
      ]);
    },
  );

  it('F23: counts for the proposal it was sent for', () => {
    const bench = lagging();
    const [first] = bench.proposals;
    bench.refuse(ErrorCode.INELIGIBLE_REPLICA);
    bench.step({ type: 'lag-check' });
    bench.answer({ kind: 'accepted', leaderEpoch: 0, partitionEpoch: 1, isr: [1, 2] }, first);
    expect(bench.leader.isr).toEqual([1, 2, 3]);
    expect(bench.leader.isrState.kind).toBe('pending-shrink');
  });
});

describe('R16, R18, R19: a produce with acks=all', () => {
  it('ends when the high watermark has passed it', () => {
    const bench = new LeaderBench();
    bench.append(3);
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 3 });
    bench.fetch(2, 3);
    bench.fetch(3, 2);
    expect(bench.ended).toEqual({});
    bench.fetch(3, 3);
    expect(bench.ended).toEqual({ 1: ErrorCode.NONE });
  });

  it('ends at once if the high watermark is there already', () => {
    const bench = new LeaderBench({ metadata: { replicas: [1], isr: [1] } });
    bench.append(3);
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 3 });
    expect(bench.ended).toEqual({ 1: ErrorCode.NONE });
  });

  it('ends with REQUEST_TIMED_OUT when its time is over, once', () => {
    const bench = new LeaderBench();
    bench.append(3);
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 3 });
    bench.step({ type: 'wait-expired', token: 1 });
    expect(bench.ended).toEqual({ 1: ErrorCode.REQUEST_TIMED_OUT });
    bench.fetchAll(3);
    bench.step({ type: 'wait-expired', token: 1 });
    expect(bench.effects.filter((effect) => effect.type === 'end-wait')).toHaveLength(1);
    expect(bench.log.logEndOffset).toBe(3);
  });

  it('waits for the ISR of that moment: a follower that leaves releases it', () => {
    const bench = lagging();
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 5 });
    bench.accept();
    expect(bench.ended).toEqual({ 1: ErrorCode.NONE });
  });

  it('ends in the order of offsets, whatever the order in which the waits began', () => {
    const bench = new LeaderBench();
    bench.append(6);
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 6 });
    bench.step({ type: 'await-replication', token: 2, requiredOffset: 2 });
    bench.fetchAll(3);
    expect(bench.ended).toEqual({ 2: ErrorCode.NONE });
    expect(bench.leader.waitCount).toBe(1);
  });
});

describe('R17: the minimum ISR', () => {
  it('refuses acks=all before anything is written, and does not look at acks=1', () => {
    const bench = new LeaderBench({ metadata: { isr: [1, 2] }, config: { minInsyncReplicas: 3 } });
    expect(bench.leader.appendError(-1)).toBe(ErrorCode.NOT_ENOUGH_REPLICAS);
    expect(bench.leader.appendError(1)).toBe(ErrorCode.NONE);
    bench.configure({ minInsyncReplicas: 2 });
    expect(bench.leader.appendError(-1)).toBe(ErrorCode.NONE);
  });

  it('goes by the committed ISR', () => {
    const bench = new LeaderBench({ metadata: { isr: [1, 2] }, config: { minInsyncReplicas: 3 } });
    bench.fetch(3, 0);
    expect(bench.leader.maximalIsr).toHaveLength(3);
    expect(bench.leader.appendError(-1)).toBe(ErrorCode.NOT_ENOUGH_REPLICAS);
  });

  it('does not end a wait while it freezes the high watermark: that runs into its time-out', () => {
    const bench = new LeaderBench({ config: { minInsyncReplicas: 3 } });
    bench.append(2);
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 2 });
    bench.setBroker(3, { fenced: true });
    bench.learn({ isr: [1, 2] });
    bench.fetch(2, 2);
    expect(bench.ended).toEqual({});
    bench.step({ type: 'wait-expired', token: 1 });
    expect(bench.ended).toEqual({ 1: ErrorCode.REQUEST_TIMED_OUT });
  });

  it('gives NOT_ENOUGH_REPLICAS_AFTER_APPEND if the high watermark is there and the maximal ISR is too small', () => {
    const bench = new LeaderBench({ config: { minInsyncReplicas: 2 } });
    bench.append(2);
    bench.fetchAll(2);
    bench.setBroker(2, { fenced: true });
    bench.setBroker(3, { fenced: true });
    bench.learn({ isr: [1] });
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 2 });
    expect(bench.ended).toEqual({ 1: ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND });
  });

  it('counts a pending expansion at that look', () => {
    const bench = new LeaderBench({ config: { minInsyncReplicas: 2 } });
    bench.append(2);
    bench.fetchAll(2);
    bench.learn({ isr: [1] });
    bench.fetch(2, 2);
    expect(bench.leader.maximalIsr).toEqual([1, 2]);
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 2 });
    expect(bench.ended).toEqual({ 1: ErrorCode.NONE });
  });
});

describe('R27: the deletion of records', () => {
  it('ends when the log starts of all live replicas have passed', () => {
    const bench = new LeaderBench();
    bench.append(5);
    bench.fetchAll(5);
    bench.log.raiseLogStart(4);
    bench.step({ type: 'await-deletion', token: 1, requiredOffset: 4 });
    bench.fetch(2, 5, { logStartOffset: 4 });
    expect(bench.ended).toEqual({});
    bench.fetch(3, 5, { logStartOffset: 4 });
    expect(bench.effects).toContainEqual({ type: 'end-wait', token: 1, errorCode: 0, lowWatermark: 4 });
  });

  it('does not wait for one that is fenced', () => {
    const bench = new LeaderBench();
    bench.append(5);
    bench.fetchAll(5);
    bench.log.raiseLogStart(4);
    bench.step({ type: 'await-deletion', token: 1, requiredOffset: 4 });
    bench.fetch(2, 5, { logStartOffset: 4 });
    bench.setBroker(3, { fenced: true });
    expect(bench.ended).toEqual({ 1: ErrorCode.NONE });
  });
});

describe('R29: a leader that resigns', () => {
  it('ends every wait with NOT_LEADER_OR_FOLLOWER, and parked fetches', () => {
    const bench = new LeaderBench();
    bench.append(2);
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 2 });
    bench.step({ type: 'await-deletion', token: 2, requiredOffset: 1 });
    const effects = bench.step({ type: 'resigned' });
    expect(bench.ended).toEqual({ 1: ErrorCode.NOT_LEADER_OR_FOLLOWER, 2: ErrorCode.NOT_LEADER_OR_FOLLOWER });
    expect(effects).toContainEqual({ type: 'wake-fetches', whose: 'all' });
  });

  it('does nothing any more, and ends what comes too late', () => {
    const bench = new LeaderBench();
    bench.append(2);
    bench.step({ type: 'resigned' });
    expect(bench.fetch(2, 2)).toEqual([]);
    bench.step({ type: 'await-replication', token: 1, requiredOffset: 2 });
    expect(bench.ended).toEqual({ 1: ErrorCode.NOT_LEADER_OR_FOLLOWER });
    expect(bench.leader.appendError(1)).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
  });

  it('withdraws what it has proposed', () => {
    const bench = lagging();
    bench.step({ type: 'resigned' });
    expect(bench.effects).toContainEqual({ type: 'withdraw-isr', proposal: bench.proposals[0] });
  });
});

describe('R30: a leader tells', () => {
  it('why it shrinks the ISR', () => {
    const bench = lagging();
    expect(bench.lines).toEqual([
      'Shrinking ISR from 1,2,3 to 1,2. Leader: (highWatermark: 0, endOffset: 5). ' +
        'Out of sync replicas: (brokerId: 3, endOffset: unknown, lastCaughtUpTimeMs: 1700000100000).',
    ]);
  });

  it('what the ISR is then, and whether that is too small', () => {
    const bench = lagging();
    bench.accept();
    expect(bench.lines.at(-1)).toBe('ISR updated to 1,2 and version updated to 1');
    bench.configure({ minInsyncReplicas: 2 });
    bench.learn({ isr: [1] });
    expect(bench.lines.at(-1)).toBe('ISR updated to 1 (under-min-isr) and version updated to 2');
    expect(bench.leader.isUnderMinIsr).toBe(true);
    expect(bench.leader.isUnderReplicated).toBe(true);
  });

  it('how often it shrank, expanded, or was refused', () => {
    const bench = lagging();
    bench.accept();
    bench.fetch(3, 5);
    bench.refuse(ErrorCode.INELIGIBLE_REPLICA);
    bench.fetch(3, 5);
    bench.accept();
    const counted = bench.effects.flatMap((effect) => (effect.type === 'count' ? [effect.metric] : []));
    expect(counted).toEqual(['IsrShrinksPerSec', 'FailedIsrUpdatesPerSec', 'IsrExpandsPerSec']);
    expect(bench.leader.isUnderReplicated).toBe(false);
  });
});
