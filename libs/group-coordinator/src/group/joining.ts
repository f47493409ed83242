/**
 * JoinGroup. A member without an id is made one: a dynamic member of a client that can (version 4 and later) is sent
 * back to join again with it, so that clients that give up do not leave members behind; others are in at once.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { JoinEvent } from '../events.ts';
import type { Step } from '../step.ts';
import { joinRefusal, joinSuccess, parkJoin } from './answers.ts';
import type { ClassicGroup } from './classic-group.ts';
import { type GroupMember, hasProtocols, memberOfJoin, memberTerms } from './group-member.ts';
import { createMemberId } from './member-id.ts';
import {
  completeIfAllJoined,
  noteCompany,
  rebalance,
  removeMember,
  removePendingMember,
} from './rebalance.ts';
import { extendSession } from './sessions.ts';
import { returnStaticMember } from './static-return.ts';

export function join(step: Step, group: ClassicGroup, event: JoinEvent): void {
  const refuse = (errorCode: number, memberId = event.memberId): void =>
    step.respond(event.token, joinRefusal(errorCode, memberId));

  if (group.state === 'Dead') {
    refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    return;
  }
  if (!hasRoom(step, group, event)) {
    dropForWantOfRoom(step, group, event.memberId);
    refuse(ErrorCode.GROUP_MAX_SIZE_REACHED, '');
    return;
  }
  if (!group.supports(event.protocolType, event.protocols)) {
    refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    return;
  }
  if (event.memberId === '') joinWithoutId(step, group, event);
  else joinWithId(step, group, event);
}

/**
 * Whether the member may come in. While members join, those waiting are counted, not those known: so a group that is
 * over its limit sheds the members that come last.
 */
function hasRoom(step: Step, group: ClassicGroup, event: JoinEvent): boolean {
  const memberId = event.memberId === '' ? staticIdOf(group, event) : event.memberId;
  const member = memberId === undefined ? undefined : group.members.get(memberId);
  if (group.state === 'Empty') return true;
  if (group.state === 'PreparingRebalance') {
    return (member !== undefined && member.parkedJoin !== null) || group.parkedJoins < step.config.maxSize;
  }
  return member !== undefined || group.members.size < step.config.maxSize;
}

function staticIdOf(group: ClassicGroup, event: JoinEvent): string | undefined {
  return event.groupInstanceId === null ? undefined : group.staticMemberId(event.groupInstanceId);
}

function dropForWantOfRoom(step: Step, group: ClassicGroup, memberId: string): void {
  const member = group.members.get(memberId);
  if (member !== undefined) removeMember(step, group, member);
  else if (group.pendingMembers.has(memberId)) removePendingMember(step, group, memberId);
  if (group.state === 'PreparingRebalance') completeIfAllJoined(step, group);
}

function joinWithoutId(step: Step, group: ClassicGroup, event: JoinEvent): void {
  const memberId = createMemberId(event.clientId, event.groupInstanceId, event.uuid);
  if (event.groupInstanceId === null && event.requiresKnownMemberId) {
    handOutId(step, group, event, memberId);
    return;
  }
  const formerId = staticIdOf(group, event);
  const former = formerId === undefined ? undefined : group.members.get(formerId);
  if (former !== undefined) returnStaticMember(step, group, former, memberId, event);
  else admit(step, group, memberId, event);
}

function handOutId(step: Step, group: ClassicGroup, event: JoinEvent, memberId: string): void {
  if (group.pendingMembers.size >= step.config.maxPendingMembers) {
    step.respond(event.token, joinRefusal(ErrorCode.GROUP_MAX_SIZE_REACHED, ''));
    return;
  }
  group.pendingMembers.set(memberId, step.monotonic + event.sessionTimeoutMs);
  step.arm({ kind: 'session', groupId: group.groupId, memberId }, event.sessionTimeoutMs);
  step.debug('member id handed out', { groupId: group.groupId, memberId });
  step.respond(event.token, joinRefusal(ErrorCode.MEMBER_ID_REQUIRED, memberId));
}

function admit(step: Step, group: ClassicGroup, memberId: string, event: JoinEvent): void {
  const member = memberOfJoin(memberId, event);
  noteCompany(group);
  group.addMember(member);
  if (group.members.size === 1) group.protocolType = event.protocolType;
  parkJoin(step, member, event.token);
  extendSession(step, group, member, step.config.newMemberJoinTimeoutMs);
  rebalance(step, group, `member ${memberId} joins${clientReason(event)}`);
}

function joinWithId(step: Step, group: ClassicGroup, event: JoinEvent): void {
  if (group.pendingMembers.has(event.memberId)) {
    // Ids are handed out to dynamic members alone: a request that claims an instance id too is not the same client.
    if (event.groupInstanceId === null) admit(step, group, event.memberId, event);
    else step.respond(event.token, joinRefusal(ErrorCode.UNKNOWN_MEMBER_ID, event.memberId));
    return;
  }
  const member = group.memberOrError(event.memberId, event.groupInstanceId);
  if (typeof member === 'number') step.respond(event.token, joinRefusal(member, event.memberId));
  else rejoin(step, group, member, event);
}

function rejoin(step: Step, group: ClassicGroup, member: GroupMember, event: JoinEvent): void {
  switch (group.state) {
    case 'PreparingRebalance':
      updateAndRebalance(step, group, member, event, 'rejoins');
      return;
    case 'CompletingRebalance':
      // With the same metadata the answer to its join was probably lost: the generation is still what it joined.
      if (hasProtocols(member, event.protocols)) {
        answerAsBefore(step, group, member, event);
      } else {
        updateAndRebalance(step, group, member, event, 'changes its metadata');
      }
      return;
    case 'Stable':
      if (group.leaderId === member.memberId) {
        // What the assignment depends on may have changed where only the leader sees it, as in a topic's partitions.
        updateAndRebalance(step, group, member, event, 'leads and rejoins');
      } else if (!hasProtocols(member, event.protocols)) {
        updateAndRebalance(step, group, member, event, 'changes its metadata');
      } else {
        answerAsBefore(step, group, member, event);
      }
      return;
    case 'Empty':
    case 'Dead':
      step.respond(event.token, joinRefusal(ErrorCode.UNKNOWN_MEMBER_ID, event.memberId));
  }
}

/** Nothing has changed: the member is told the generation that it is in. */
function answerAsBefore(step: Step, group: ClassicGroup, member: GroupMember, event: JoinEvent): void {
  extendSession(step, group, member);
  step.respond(event.token, joinSuccess(group, member));
}

function updateAndRebalance(
  step: Step,
  group: ClassicGroup,
  member: GroupMember,
  event: JoinEvent,
  what: string,
): void {
  member.terms = memberTerms(event);
  parkJoin(step, member, event.token);
  rebalance(step, group, `member ${member.memberId} ${what}${clientReason(event)}`);
}

function clientReason(event: JoinEvent): string {
  return event.reason === null || event.reason === '' ? '' : `; the client says: ${event.reason}`;
}
