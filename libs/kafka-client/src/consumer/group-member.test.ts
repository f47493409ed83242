import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { KafkaClientError } from '../errors.ts';
import type { JoinAnswer, MemberEffect } from './group-events.ts';
import { GroupMember } from './group-member.ts';
import type { TopicPartition } from './types.ts';

const t = (...partitions: number[]): TopicPartition[] =>
  partitions.map((partition) => ({ topic: 't', partition }));
const joinAnswer = (more: Partial<JoinAnswer> = {}): JoinAnswer => ({
  errorCode: 0,
  generationId: 1,
  protocolName: 'range',
  leader: 'other',
  memberId: 'me',
  skipAssignment: false,
  members: [],
  ...more,
});
const lost = new KafkaClientError('CONNECTION_CLOSED', 'closed', { retriable: true, hint: '' });

/** Effects as a reader would tell them. */
function brief(effects: readonly MemberEffect[]): string[] {
  const list = (partitions: readonly TopicPartition[]): string =>
    partitions.map(({ partition }) => partition).join(',');
  return effects.map((effect) => {
    switch (effect.type) {
      case 'join':
        return `join as "${effect.memberId}" holding [${list(effect.owned)}]`;
      case 'revoke':
        return `${effect.lost ? 'lose' : 'revoke'} [${list(effect.partitions)}]`;
      case 'assign':
        return `assign [${list(effect.partitions)}]`;
      case 'fail':
        return `fail ${effect.error.code}`;
      case 'leave':
        return `leave as "${effect.memberId}"`;
      default:
        return effect.type;
    }
  });
}

/** A member that has gone as far as a stable assignment. */
function stable(
  partitions: TopicPartition[],
  options: { cooperative?: boolean; isStatic?: boolean } = {},
): GroupMember {
  const member = new GroupMember({ groupId: 'g', isStatic: false, cooperative: false, ...options });
  member.step({ type: 'start' });
  member.answered({ type: 'coordinator found' });
  member.answered({ type: 'joined', answer: joinAnswer() });
  member.answered({ type: 'synced', errorCode: 0, partitions });
  member.answered({ type: 'assigned' });
  expect(member.state).toBe('stable');
  return member;
}

/** The next round, from the answer to the join on. */
function nextRound(member: GroupMember, generationId: number, partitions: TopicPartition[]): string[] {
  member.answered({ type: 'joined', answer: joinAnswer({ generationId }) });
  return brief(member.answered({ type: 'synced', errorCode: 0, partitions }));
}

describe('a member of a group', () => {
  it('joins with the id that the coordinator gives it, deals out as leader, and settles', () => {
    const member = new GroupMember({ groupId: 'g', isStatic: false, cooperative: false });
    expect(brief(member.step({ type: 'start' }))).toEqual(['find coordinator']);
    expect(brief(member.answered({ type: 'coordinator found' }))).toEqual(['join as "" holding []']);
    const required = joinAnswer({ errorCode: ErrorCode.MEMBER_ID_REQUIRED, memberId: 'me' });
    expect(brief(member.answered({ type: 'joined', answer: required }))).toEqual(['join as "me" holding []']);
    expect(brief(member.answered({ type: 'joined', answer: joinAnswer({ leader: 'me' }) }))).toEqual([
      'deal',
    ]);
    expect(brief(member.answered({ type: 'dealt', assignments: [] }))).toEqual(['sync']);
    expect(brief(member.answered({ type: 'synced', errorCode: 0, partitions: t(0, 1) }))).toEqual([
      'assign [0,1]',
    ]);
    expect(brief(member.answered({ type: 'assigned' }))).toEqual([]);
    expect([member.state, member.generation, member.isLeader]).toEqual(['stable', 1, true]);
  });

  it('eager: gives up everything before it joins again', () => {
    const member = stable(t(0, 1, 2));
    const rebalance = { type: 'heartbeat answered', errorCode: ErrorCode.REBALANCE_IN_PROGRESS } as const;
    expect(brief(member.answered(rebalance))).toEqual(['revoke [0,1,2]']);
    expect(member.holds({ topic: 't', partition: 1 })).toBe(true);
    expect(brief(member.answered({ type: 'revoked' }))).toEqual(['join as "me" holding []']);
    expect(member.holds({ topic: 't', partition: 1 })).toBe(false);
    expect(nextRound(member, 2, t(1))).toEqual(['assign [1]']);
  });

  it('cooperative: keeps what it holds while it joins, gives up what moves, and joins once more', () => {
    const member = stable(t(0, 1, 2), { cooperative: true });
    expect(
      brief(member.answered({ type: 'heartbeat answered', errorCode: ErrorCode.REBALANCE_IN_PROGRESS })),
    ).toEqual(['join as "me" holding [0,1,2]']);
    expect(nextRound(member, 2, t(0, 1))).toEqual(['revoke [2]']);
    expect(brief(member.answered({ type: 'revoked' }))).toEqual(['assign []']);
    expect(brief(member.answered({ type: 'assigned' }))).toEqual(['join as "me" holding [0,1]']);
    expect(nextRound(member, 3, t(0, 1))).toEqual(['assign []']);
    expect(brief(member.answered({ type: 'assigned' }))).toEqual([]);
    expect(member.state).toBe('stable');
  });

  it.each([ErrorCode.ILLEGAL_GENERATION, ErrorCode.UNKNOWN_MEMBER_ID])(
    'F28: error %i says that the group went on without it: what it held is lost',
    (errorCode) => {
      const member = stable(t(0, 1));
      expect(brief(member.answered({ type: 'heartbeat answered', errorCode }))).toEqual(['lose [0,1]']);
      expect(member.generation).toBe(-1);
      const id = errorCode === ErrorCode.UNKNOWN_MEMBER_ID ? '' : 'me';
      expect(brief(member.answered({ type: 'revoked' }))).toEqual([`join as "${id}" holding []`]);
    },
  );

  it('F28: looks for a coordinator that is gone, and is stable again without a rebalance', () => {
    const member = stable(t(0));
    expect(
      brief(member.answered({ type: 'heartbeat answered', errorCode: ErrorCode.NOT_COORDINATOR })),
    ).toEqual(['find coordinator']);
    expect(brief(member.answered({ type: 'connection lost', error: lost }))).toEqual(['retry later']);
    expect(brief(member.step({ type: 'retry due' }))).toEqual(['find coordinator']);
    expect(brief(member.answered({ type: 'coordinator found' }))).toEqual(['heartbeat']);
    expect([member.state, member.owned]).toEqual(['stable', t(0)]);
  });

  it('joins again after the connection was lost in the middle of a join', () => {
    const member = new GroupMember({ groupId: 'g', isStatic: false, cooperative: false });
    member.step({ type: 'start' });
    member.answered({ type: 'coordinator found' });
    expect(brief(member.answered({ type: 'connection lost', error: lost }))).toEqual(['retry later']);
    member.step({ type: 'retry due' });
    expect(brief(member.answered({ type: 'coordinator found' }))).toEqual(['join as "" holding []']);
  });

  it.each([
    ErrorCode.FENCED_INSTANCE_ID,
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
    ErrorCode.INVALID_SESSION_TIMEOUT,
  ])('fails for good on error %i', (errorCode) => {
    const member = new GroupMember({ groupId: 'g', isStatic: false, cooperative: false });
    member.step({ type: 'start' });
    member.answered({ type: 'coordinator found' });
    const effects = member.answered({ type: 'joined', answer: joinAnswer({ errorCode }) });
    expect(effects.map(({ type }) => type)).toEqual(['fail']);
    expect(member.step({ type: 'close' })).toEqual([]);
  });

  it('leaves when the loop is overdue, and joins anew when it comes round', () => {
    const member = stable(t(0, 1));
    expect(brief(member.step({ type: 'poll overdue' }))).toEqual(['leave as "me"', 'lose [0,1]']);
    expect(brief(member.answered({ type: 'left' }))).toEqual([]);
    expect(brief(member.answered({ type: 'revoked' }))).toEqual([]);
    expect(member.state).toBe('expelled');
    expect(brief(member.step({ type: 'polled' }))).toEqual(['find coordinator']);
    expect(brief(member.answered({ type: 'coordinator found' }))).toEqual(['join as "" holding []']);
  });

  it('close revokes, leaves and is over; a static member keeps its place', () => {
    const member = stable(t(0));
    expect(brief(member.step({ type: 'close' }))).toEqual(['revoke [0]']);
    expect(brief(member.answered({ type: 'revoked' }))).toEqual(['leave as "me"']);
    expect(brief(member.answered({ type: 'left' }))).toEqual(['done']);
    const fixed = stable(t(0), { isStatic: true });
    expect(brief(fixed.step({ type: 'close' }))).toEqual(['revoke [0]']);
    expect(brief(fixed.answered({ type: 'revoked' }))).toEqual(['done']);
  });

  it.each(['finding', 'joining', 'syncing', 'revoking', 'assigning', 'expelled'])(
    'close in state %s ends',
    (state) => {
      const member = memberIn(state);
      const seen: string[] = [];
      let effects = brief(member.step({ type: 'close' }));
      for (let turns = 0; turns < 6; turns++) {
        seen.push(...effects);
        if (seen.includes('done')) break;
        const revoked = member.answered({ type: 'revoked' });
        const assigned = member.answered({ type: 'assigned' });
        effects = brief([
          ...revoked,
          ...assigned,
          ...(seen.some((one) => one.startsWith('leave')) ? member.answered({ type: 'left' }) : []),
        ]);
      }
      expect(seen.at(-1)).toBe('done');
      expect(member.state).toBe('left');
    },
  );

  it('a heartbeat that comes late does not disturb the round that is under way', () => {
    const member = stable(t(0), { cooperative: true });
    member.answered({ type: 'heartbeat answered', errorCode: ErrorCode.REBALANCE_IN_PROGRESS });
    expect(member.state).toBe('joining');
    expect(
      brief(member.answered({ type: 'heartbeat answered', errorCode: ErrorCode.UNKNOWN_MEMBER_ID })),
    ).toEqual([]);
    expect(brief(member.step({ type: 'heartbeat due' }))).toEqual([]);
    expect(nextRound(member, 2, t(0))).toEqual(['assign []']);
  });
});

function memberIn(state: string): GroupMember {
  const fresh = new GroupMember({ groupId: 'g', isStatic: false, cooperative: false });
  fresh.step({ type: 'start' });
  if (state === 'finding') return fresh;
  fresh.answered({ type: 'coordinator found' });
  if (state === 'joining') return fresh;
  fresh.answered({ type: 'joined', answer: joinAnswer() });
  if (state === 'syncing') return fresh;
  fresh.answered({ type: 'synced', errorCode: 0, partitions: t(0) });
  if (state === 'assigning') return fresh;
  fresh.answered({ type: 'assigned' });
  if (state === 'expelled') fresh.step({ type: 'poll overdue' });
  else fresh.answered({ type: 'heartbeat answered', errorCode: ErrorCode.REBALANCE_IN_PROGRESS });
  if (state === 'expelled') fresh.answered({ type: 'revoked' });
  expect(fresh.state).toBe(state);
  return fresh;
}
