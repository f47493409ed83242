import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { TOPIC_ID } from '../testing/simulated-settings.ts';
import { InSyncReplicas } from './in-sync-replicas.ts';

const unknownEpoch = (): number => -1;
const isrOf = (isr: readonly number[], leaderRecoveryState = 0): InSyncReplicas =>
  new InSyncReplicas(TOPIC_ID, 0, { isr, partitionEpoch: 4, leaderRecoveryState });

describe('R7, R13: the in-sync replicas of a leader', () => {
  it('count the one that is to join at once, and those that are to leave until they have left', () => {
    const isr = isrOf([1, 2]);
    const joining = isr.expand(3, 0, unknownEpoch);
    expect([isr.committed, isr.maximal]).toEqual([
      [1, 2],
      [1, 2, 3],
    ]);
    if (joining === null) throw new Error('nothing was proposed');
    isr.settle(joining, { kind: 'accepted', leaderEpoch: 0, partitionEpoch: 5, isr: [1, 2, 3] });
    isr.shrink([2, 3], 0, unknownEpoch);
    expect([isr.committed, isr.maximal, isr.partitionEpoch]).toEqual([[1, 2, 3], [1, 2, 3], 5]);
  });

  it('change once at a time', () => {
    const isr = isrOf([1, 2]);
    expect(isr.shrink([2], 0, unknownEpoch)).not.toBeNull();
    expect(isr.expand(3, 0, unknownEpoch)).toBeNull();
    expect(isr.shrink([2], 0, unknownEpoch)).toBeNull();
    expect(isr.pendingProposal?.isr.map((member) => member.brokerId)).toEqual([1]);
  });

  it('are what the controller accepts, which may be less than was proposed', () => {
    const isr = isrOf([1, 2]);
    const proposal = isr.expand(3, 0, unknownEpoch);
    if (proposal === null) throw new Error('nothing was proposed');
    const accepted = { kind: 'accepted', leaderEpoch: 0, partitionEpoch: 6, isr: [1, 3] } as const;
    expect(isr.settle(proposal, accepted)).toEqual({ kind: 'committed', was: 'pending-expand' });
    expect([isr.committed, isr.partitionEpoch]).toEqual([[1, 3], 6]);
  });
});

describe('R13, R20: a recovering leader', () => {
  it('proposes that it is recovered, alone in its ISR, and nothing else till that is confirmed', () => {
    const isr = isrOf([1], 1);
    expect(isr.expand(2, 3, unknownEpoch)).toBeNull();
    const proposal = isr.confirmRecovery(3, () => 11);
    expect(proposal).toMatchObject({
      isr: [{ brokerId: 1, brokerEpoch: 11 }],
      leaderRecoveryState: 0,
      partitionEpoch: 4,
    });
    if (proposal === null) throw new Error('nothing was proposed');
    expect(isr.confirmRecovery(3, unknownEpoch)).toBeNull();
    const accepted = { kind: 'accepted', leaderEpoch: 3, partitionEpoch: 5, isr: [1] } as const;
    expect(isr.settle(proposal, accepted)).toEqual({ kind: 'committed', was: 'pending-recovery' });
    expect(isr.isRecovering).toBe(false);
    expect(isr.confirmRecovery(3, unknownEpoch)).toBeNull();
    expect(isr.expand(2, 3, unknownEpoch)).not.toBeNull();
  });

  it('is one by the metadata, and one no more by newer metadata', () => {
    const isr = isrOf([1]);
    expect(isr.confirmRecovery(0, unknownEpoch)).toBeNull();
    isr.replace({ isr: [1], partitionEpoch: 5, leaderRecoveryState: 1 });
    expect(isr.confirmRecovery(1, unknownEpoch)).not.toBeNull();
    isr.replace({ isr: [1], partitionEpoch: 6, leaderRecoveryState: 0 });
    expect([isr.isRecovering, isr.pendingProposal]).toEqual([false, null]);
  });

  it.each([
    ['INELIGIBLE_REPLICA', 'taken-back'],
    ['INVALID_UPDATE_VERSION', 'left-pending'],
    ['NOT_CONTROLLER', 'proposed-again'],
  ] as const)('R15: told %s: %s', (name, kind) => {
    const isr = isrOf([1], 1);
    const proposal = isr.confirmRecovery(3, unknownEpoch);
    if (proposal === null) throw new Error('nothing was proposed');
    expect(isr.settle(proposal, { kind: 'refused', errorCode: ErrorCode[name] })).toMatchObject({ kind });
    expect(isr.isRecovering).toBe(true);
    expect(isr.pendingProposal === null).toBe(kind === 'taken-back');
  });
});

describe('F23: an answer', () => {
  it('is ignored when it is of another leader epoch, or older than what is known', () => {
    const isr = isrOf([1, 2]);
    const proposal = isr.expand(3, 7, unknownEpoch);
    if (proposal === null) throw new Error('nothing was proposed');
    const answer = { kind: 'accepted', leaderEpoch: 7, partitionEpoch: 5, isr: [1, 2, 3] } as const;
    expect(isr.settle(proposal, { ...answer, leaderEpoch: 8 })).toEqual({ kind: 'ignored' });
    expect(isr.settle(proposal, { ...answer, partitionEpoch: 3 })).toEqual({ kind: 'ignored' });
    expect(isr.settle({ ...proposal, leaderEpoch: 6 }, answer)).toEqual({ kind: 'ignored' });
    expect(isr.settle({ ...proposal, proposalId: 99 }, answer)).toEqual({ kind: 'ignored' });
    expect(isr.settle(proposal, answer).kind).toBe('committed');
    expect(isr.settle(proposal, answer)).toEqual({ kind: 'ignored' });
  });

  it('to a repeated proposal is an answer to that proposal', () => {
    const isr = isrOf([1, 2]);
    const first = isr.shrink([2], 0, unknownEpoch);
    if (first === null) throw new Error('nothing was proposed');
    const again = isr.settle(first, { kind: 'refused', errorCode: ErrorCode.REQUEST_TIMED_OUT });
    expect(again).toMatchObject({ kind: 'proposed-again', proposal: { attempt: 2, proposalId: 1 } });
    const accepted = { kind: 'accepted', leaderEpoch: 0, partitionEpoch: 5, isr: [1] } as const;
    expect(isr.settle(first, accepted).kind).toBe('committed');
  });
});
