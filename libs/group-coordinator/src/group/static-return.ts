/**
 * A static member that comes back without its id, after a restart: it takes the place of its former self under
 * another id, and whoever still speaks under the former one is fenced. A stable group goes on without a rebalance as
 * long as its protocol stays what it is; the assignment is then the one that the member had.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { JoinEvent } from '../events.ts';
import type { PendingWrite } from '../pending-appends.ts';
import { groupMetadataRecord } from '../records/group-metadata-record.ts';
import type { Step } from '../step.ts';
import { answerParkedJoin, dismiss, joinRefusal, joinSuccess, parkJoin } from './answers.ts';
import type { ClassicGroup } from './classic-group.ts';
import { type GroupMember, memberTerms } from './group-member.ts';
import { rebalance } from './rebalance.ts';
import { endSession, extendSession } from './sessions.ts';

type StaticRename = Extract<PendingWrite, { kind: 'static-rename' }>;

export function returnStaticMember(
  step: Step,
  group: ClassicGroup,
  former: GroupMember,
  memberId: string,
  event: JoinEvent,
): void {
  const formerLeaderId = group.leaderId ?? '';
  step.info('static member returns', {
    groupId: group.groupId,
    instanceId: event.groupInstanceId ?? '',
    memberId,
    formerMemberId: former.memberId,
  });
  dismiss(step, former, ErrorCode.FENCED_INSTANCE_ID);
  endSession(step, group, former.memberId);
  const member = group.renameStaticMember(former, memberId);
  member.terms = memberTerms(event);
  extendSession(step, group, member);
  parkJoin(step, member, event.token);

  if (group.state === 'Stable' && group.selectProtocol() === group.protocolName) {
    step.append(
      [
        groupMetadataRecord(
          group.groupId,
          group.snapshot((each) => each.assignment),
        ),
      ],
      {
        kind: 'static-rename',
        groupId: group.groupId,
        memberId,
        formerMemberId: former.memberId,
        generationId: group.generationId,
        formerLeaderId,
        supportsSkippingAssignment: event.supportsSkippingAssignment,
      },
    );
    return;
  }
  rebalance(step, group, `static member ${memberId} takes the place of ${former.memberId}`);
}

/** The place is taken for good: tell the member its generation. */
export function completeStaticReturn(step: Step, group: ClassicGroup, write: StaticRename): void {
  const member = waitingMember(group, write);
  if (member === undefined) return;
  const isLeader = group.leaderId === member.memberId;
  const answer = joinSuccess(group, member);
  answerParkedJoin(
    step,
    member,
    // A leader must not assign again, since nobody would ask for it: told so if it understands, else by naming its
    // former id as the leader.
    write.supportsSkippingAssignment
      ? { ...answer, skipAssignment: isLeader }
      : { ...answer, leader: write.formerLeaderId, members: [] },
  );
  extendSession(step, group, member);
}

/** The place could not be written down: the member is not known under its later id after all. */
export function revertStaticReturn(
  step: Step,
  group: ClassicGroup,
  write: StaticRename,
  errorCode: number,
): void {
  const member = waitingMember(group, write);
  if (member === undefined) return;
  answerParkedJoin(step, member, joinRefusal(errorCode, ''));
  endSession(step, group, member.memberId);
  extendSession(step, group, group.renameStaticMember(member, write.formerMemberId));
}

/** The member, if the group is still in the generation it came back to. Else its join waits for the next one. */
function waitingMember(group: ClassicGroup, write: StaticRename): GroupMember | undefined {
  if (group.state !== 'Stable' || group.generationId !== write.generationId) return undefined;
  const member = group.members.get(write.memberId);
  return member?.parkedJoin === null ? undefined : member;
}
