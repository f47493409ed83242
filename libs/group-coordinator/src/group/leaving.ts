/** LeaveGroup, and members whose session ends. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { LeaveEvent, LeavingMember } from '../events.ts';
import type { Step } from '../step.ts';
import type { ClassicGroup } from './classic-group.ts';
import { afterRemoval, completeIfAllJoined, removeMember, removePendingMember } from './rebalance.ts';
import { sessionIsOver } from './sessions.ts';

export function leave(step: Step, group: ClassicGroup | undefined, event: LeaveEvent): void {
  if (group?.state === 'Dead') {
    step.respond(event.token, {
      type: 'leave',
      errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE,
      members: [],
    });
    return;
  }
  const left: string[] = [];
  const members = event.members.map((leaving) => {
    const errorCode = group === undefined ? ErrorCode.UNKNOWN_MEMBER_ID : takeOut(step, group, leaving);
    if (errorCode === ErrorCode.NONE) left.push(nameOf(leaving));
    return { memberId: leaving.memberId, groupInstanceId: leaving.groupInstanceId, errorCode };
  });
  step.respond(event.token, { type: 'leave', errorCode: ErrorCode.NONE, members });
  if (group === undefined || left.length === 0) return;
  step.info('members leave group', { groupId: group.groupId, members: left.join(', ') });
  afterRemoval(step, group, `left: ${left.join(', ')}`);
}

function nameOf(leaving: LeavingMember): string {
  const who = leaving.memberId === '' ? `instance ${leaving.groupInstanceId ?? ''}` : leaving.memberId;
  return leaving.reason === null || leaving.reason === '' ? who : `${who} (${leaving.reason})`;
}

/** An operator removes a static member by its instance id alone; others leave by their member id. */
function takeOut(step: Step, group: ClassicGroup, leaving: LeavingMember): number {
  const { groupInstanceId } = leaving;
  if (leaving.memberId !== '' && group.pendingMembers.has(leaving.memberId)) {
    removePendingMember(step, group, leaving.memberId);
    return ErrorCode.NONE;
  }
  const memberId =
    leaving.memberId === '' && groupInstanceId !== null
      ? group.staticMemberId(groupInstanceId)
      : leaving.memberId;
  if (memberId === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
  const member = group.memberOrError(memberId, groupInstanceId);
  if (typeof member === 'number') return member;
  removeMember(step, group, member);
  return ErrorCode.NONE;
}

export function onSessionTimer(step: Step, group: ClassicGroup, memberId: string): void {
  const pendingUntil = group.pendingMembers.get(memberId);
  if (pendingUntil !== undefined) {
    onPendingMemberTimer(step, group, memberId, pendingUntil);
    return;
  }
  const member = group.members.get(memberId);
  if (member === undefined || !sessionIsOver(step, group, member)) return;
  step.info('member failed: its session is over', { groupId: group.groupId, memberId });
  removeMember(step, group, member);
  afterRemoval(step, group, `the session of ${memberId} is over`);
}

function onPendingMemberTimer(step: Step, group: ClassicGroup, memberId: string, until: number): void {
  if (step.monotonic < until) {
    step.arm({ kind: 'session', groupId: group.groupId, memberId }, until - step.monotonic);
    return;
  }
  step.info('nobody joined with a member id that was handed out', { groupId: group.groupId, memberId });
  removePendingMember(step, group, memberId);
  if (group.state === 'PreparingRebalance') completeIfAllJoined(step, group);
}
