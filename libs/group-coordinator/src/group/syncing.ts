/** SyncGroup and Heartbeat: a member asks for its assignment, and says that it is there. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { copyOf } from '../byte-copy.ts';
import type { HeartbeatEvent, SyncEvent } from '../events.ts';
import { groupMetadataRecord } from '../records/group-metadata-record.ts';
import type { Step } from '../step.ts';
import { parkSync, syncRefusal, syncSuccess } from './answers.ts';
import type { ClassicGroup } from './classic-group.ts';
import type { GroupMember } from './group-member.ts';
import { noteSync } from './rebalance.ts';
import { extendSession } from './sessions.ts';

const nothing = new Uint8Array(0);

/** The member that the request speaks for, or why it may not. */
function speaker(
  group: ClassicGroup | undefined,
  request: Pick<SyncEvent, 'memberId' | 'generationId' | 'groupInstanceId'>,
): { readonly group: ClassicGroup; readonly member: GroupMember } | number {
  if (group === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
  if (group.state === 'Dead') return ErrorCode.COORDINATOR_NOT_AVAILABLE;
  const member = group.memberOrError(request.memberId, request.groupInstanceId);
  if (typeof member === 'number') return member;
  if (request.generationId !== group.generationId) return ErrorCode.ILLEGAL_GENERATION;
  return { group, member };
}

export function sync(step: Step, known: ClassicGroup | undefined, event: SyncEvent): void {
  const spoken = speaker(known, event);
  if (typeof spoken === 'number') {
    step.respond(event.token, syncRefusal(spoken));
    return;
  }
  const { group, member } = spoken;
  if (
    (event.protocolType !== null && event.protocolType !== group.protocolType) ||
    (event.protocolName !== null && event.protocolName !== group.protocolName)
  ) {
    step.respond(event.token, syncRefusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL));
    return;
  }
  switch (group.state) {
    case 'PreparingRebalance':
      step.respond(event.token, syncRefusal(ErrorCode.REBALANCE_IN_PROGRESS));
      return;
    case 'CompletingRebalance':
      parkSync(step, member, event.token);
      noteSync(step, group, member);
      // A leader that asks again, because its first request was lost to it, does not assign again.
      if (group.leaderId === member.memberId && !group.isStoringAssignment) {
        storeAssignment(step, group, event);
      }
      return;
    case 'Stable':
      noteSync(step, group, member);
      step.respond(event.token, syncSuccess(group, member));
      return;
    case 'Empty':
    case 'Dead':
      step.respond(event.token, syncRefusal(ErrorCode.UNKNOWN_MEMBER_ID));
  }
}

/** Members that the leader left out get nothing; members that it made up are not taken in. */
function storeAssignment(step: Step, group: ClassicGroup, event: SyncEvent): void {
  group.isStoringAssignment = true;
  const assignments = new Map<string, Uint8Array>();
  for (const { memberId, assignment } of event.assignments) {
    if (group.members.has(memberId)) assignments.set(memberId, copyOf(assignment));
  }
  const record = groupMetadataRecord(
    group.groupId,
    group.snapshot(({ memberId }) => assignments.get(memberId) ?? nothing),
  );
  step.append([record], {
    kind: 'assignment',
    groupId: group.groupId,
    generationId: group.generationId,
    assignments,
  });
}

export function heartbeat(step: Step, known: ClassicGroup | undefined, event: HeartbeatEvent): void {
  const spoken = speaker(known, event);
  if (typeof spoken === 'number') {
    step.respond(event.token, { type: 'heartbeat', errorCode: spoken });
    return;
  }
  const { group, member } = spoken;
  extendSession(step, group, member);
  step.respond(event.token, {
    type: 'heartbeat',
    errorCode: group.state === 'PreparingRebalance' ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE,
  });
}
