/** Answers to members, and the requests of members that are parked until there is one. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { RequestToken } from '../events.ts';
import type { JoinResponse, SyncResponse } from '../responses.ts';
import type { Step } from '../step.ts';
import type { ClassicGroup } from './classic-group.ts';
import { type GroupMember, metadataFor } from './group-member.ts';

const nothing = new Uint8Array(0);
const NO_GENERATION = -1;

export function joinRefusal(errorCode: number, memberId: string): JoinResponse {
  return {
    type: 'join',
    errorCode,
    generationId: NO_GENERATION,
    protocolType: null,
    protocolName: null,
    leader: '',
    skipAssignment: false,
    memberId,
    members: [],
  };
}

/** The group's generation as one member is told it; only the leader is told who the others are. */
export function joinSuccess(group: ClassicGroup, member: GroupMember): JoinResponse {
  const isLeader = group.leaderId === member.memberId;
  return {
    type: 'join',
    errorCode: ErrorCode.NONE,
    generationId: group.generationId,
    protocolType: group.protocolType,
    protocolName: group.protocolName,
    leader: group.leaderId ?? '',
    skipAssignment: false,
    memberId: member.memberId,
    members: isLeader
      ? [...group.members.values()].map((each) => ({
          memberId: each.memberId,
          groupInstanceId: each.groupInstanceId,
          metadata: metadataFor(each, group.protocolName),
        }))
      : [],
  };
}

export function syncRefusal(errorCode: number): SyncResponse {
  return { type: 'sync', errorCode, protocolType: null, protocolName: null, assignment: nothing };
}

export function syncSuccess(group: ClassicGroup, member: GroupMember): SyncResponse {
  return {
    type: 'sync',
    errorCode: ErrorCode.NONE,
    protocolType: group.protocolType,
    protocolName: group.protocolName,
    assignment: member.assignment,
  };
}

/**
 * Parks a join until the time to join is over. A member has one join at a time: an earlier one, whose client must
 * have given it up, is told to join again.
 */
export function parkJoin(step: Step, member: GroupMember, token: RequestToken): void {
  answerParkedJoin(step, member, joinRefusal(ErrorCode.REBALANCE_IN_PROGRESS, member.memberId));
  member.parkedJoin = token;
}

/** Parks a sync until the leader's assignment is there; an earlier one is told to join again. */
export function parkSync(step: Step, member: GroupMember, token: RequestToken): void {
  answerParkedSync(step, member, syncRefusal(ErrorCode.REBALANCE_IN_PROGRESS));
  member.parkedSync = token;
}

export function answerParkedJoin(step: Step, member: GroupMember, response: JoinResponse): void {
  if (member.parkedJoin === null) return;
  step.respond(member.parkedJoin, response);
  member.parkedJoin = null;
}

/** True if there was one. */
export function answerParkedSync(step: Step, member: GroupMember, response: SyncResponse): boolean {
  if (member.parkedSync === null) return false;
  step.respond(member.parkedSync, response);
  member.parkedSync = null;
  return true;
}

/** Whatever the member waits for, it is told this. */
export function dismiss(step: Step, member: GroupMember, errorCode: number): void {
  answerParkedJoin(step, member, joinRefusal(errorCode, member.memberId));
  answerParkedSync(step, member, syncRefusal(errorCode));
}
