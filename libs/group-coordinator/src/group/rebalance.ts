/**
 * The way of a group from one generation to the next: all moves between states of living groups (`group-state.ts`
 * draws them) are made here.
 *
 * A rebalance has two halves. In PreparingRebalance members join and wait; when all that were there have come, or
 * the time is over, the generation grows by one and all are answered. In CompletingRebalance members ask for what
 * they were assigned and wait; the leader brings the assignment, and once it is replicated the group is Stable.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { groupMetadataRecord } from '../records/group-metadata-record.ts';
import type { Step } from '../step.ts';
import {
  answerParkedJoin,
  answerParkedSync,
  dismiss,
  joinSuccess,
  syncRefusal,
  syncSuccess,
} from './answers.ts';
import type { ClassicGroup } from './classic-group.ts';
import type { GroupMember } from './group-member.ts';
import { endSession, extendSession } from './sessions.ts';

const nothing = new Uint8Array(0);

/** Something changed that asks for another generation: begin it, or see whether the one under way is complete. */
export function rebalance(step: Step, group: ClassicGroup, reason: string): void {
  if (group.state !== 'PreparingRebalance') begin(step, group, reason);
  completeIfAllJoined(step, group);
}

function begin(step: Step, group: ClassicGroup, reason: string): void {
  if (group.state === 'CompletingRebalance') {
    withdrawAssignments(step, group, ErrorCode.REBALANCE_IN_PROGRESS);
  }
  cancelSync(step, group);
  group.isStoringAssignment = false;
  const isInitial = group.state === 'Empty';
  group.enter('PreparingRebalance', step.now);
  if (isInitial) {
    const delayMs = step.config.initialRebalanceDelayMs;
    group.joinPhase = {
      kind: 'initial',
      deadline: step.monotonic + delayMs,
      extensionMs: delayMs,
      remainingMs: Math.max(group.rebalanceTimeoutMs - delayMs, 0),
      joined: false,
    };
    armRebalance(step, group, delayMs);
  } else {
    giveTimeToJoin(step, group);
  }
  step.info('preparing to rebalance group', {
    groupId: group.groupId,
    generation: group.generationId,
    members: group.members.size,
    reason,
  });
}

function giveTimeToJoin(step: Step, group: ClassicGroup): void {
  const timeoutMs = group.rebalanceTimeoutMs;
  group.joinPhase = { kind: 'rejoin', deadline: step.monotonic + timeoutMs };
  armRebalance(step, group, timeoutMs);
}

function armRebalance(step: Step, group: ClassicGroup, delayMs: number): void {
  step.arm({ kind: 'rebalance', groupId: group.groupId }, delayMs);
}

/** A first generation always takes its whole delay: who else will come cannot be known. */
export function completeIfAllJoined(step: Step, group: ClassicGroup): void {
  if (group.joinPhase?.kind === 'rejoin' && group.hasAllMembersJoined) completeJoins(step, group);
}

/** Another member has joined: a first generation will wait a little longer. */
export function noteCompany(group: ClassicGroup): void {
  if (group.joinPhase?.kind === 'initial') group.joinPhase.joined = true;
}

export function onRebalanceTimer(step: Step, group: ClassicGroup): void {
  const phase = group.joinPhase;
  if (group.state !== 'PreparingRebalance' || phase === null) return;
  if (step.monotonic < phase.deadline) {
    armRebalance(step, group, phase.deadline - step.monotonic);
    return;
  }
  if (phase.kind === 'initial' && phase.joined && phase.remainingMs > 0) {
    const extensionMs = Math.min(step.config.initialRebalanceDelayMs, phase.remainingMs);
    phase.remainingMs = Math.max(phase.remainingMs - phase.extensionMs, 0);
    phase.extensionMs = extensionMs;
    phase.deadline = step.monotonic + extensionMs;
    phase.joined = false;
    armRebalance(step, group, extensionMs);
    return;
  }
  completeJoins(step, group);
}

function completeJoins(step: Step, group: ClassicGroup): void {
  step.cancel({ kind: 'rebalance', groupId: group.groupId });
  for (const member of group.members.values()) {
    // A static member may be on its way back; its session decides.
    if (member.parkedJoin === null && member.groupInstanceId === null) removeMember(step, group, member);
  }
  if (group.members.size > 0 && !group.electJoinedLeader()) {
    step.warn('nobody rejoined; waiting for the sessions of static members to end', {
      groupId: group.groupId,
      members: group.members.size,
    });
    giveTimeToJoin(step, group);
    return;
  }
  group.joinPhase = null;
  group.generationId += 1;
  if (group.members.size === 0) becomeEmpty(step, group);
  else answerJoins(step, group);
}

function becomeEmpty(step: Step, group: ClassicGroup): void {
  group.protocolName = null;
  group.enter('Empty', step.now);
  step.info('group is empty', { groupId: group.groupId, generation: group.generationId });
  step.append(
    [
      groupMetadataRecord(
        group.groupId,
        group.snapshot(() => nothing),
      ),
    ],
    {
      kind: 'empty-generation',
      groupId: group.groupId,
    },
  );
}

function answerJoins(step: Step, group: ClassicGroup): void {
  group.protocolName = group.selectProtocol();
  group.enter('CompletingRebalance', step.now);
  step.info('stabilizing group', {
    groupId: group.groupId,
    generation: group.generationId,
    members: group.members.size,
    protocol: group.protocolName ?? '',
    leader: group.leaderId ?? '',
  });
  for (const member of group.members.values()) {
    answerParkedJoin(step, member, joinSuccess(group, member));
    member.isNew = false;
    group.pendingSync.add(member.memberId);
    extendSession(step, group, member);
  }
  const timeoutMs = group.rebalanceTimeoutMs;
  group.syncDeadline = step.monotonic + timeoutMs;
  step.arm({ kind: 'sync', groupId: group.groupId }, timeoutMs);
}

/** The member has asked for its assignment; once all have, nobody is waited for any more. */
export function noteSync(step: Step, group: ClassicGroup, member: GroupMember): void {
  if (group.pendingSync.delete(member.memberId) && group.pendingSync.size === 0) cancelSync(step, group);
}

function cancelSync(step: Step, group: ClassicGroup): void {
  group.pendingSync.clear();
  step.cancel({ kind: 'sync', groupId: group.groupId });
}

/** Who has the generation but never asked for its assignment is out, and the others share again. */
export function onSyncTimer(step: Step, group: ClassicGroup): void {
  if (group.state !== 'CompletingRebalance' && group.state !== 'Stable') return;
  if (group.pendingSync.size === 0) return;
  if (step.monotonic < group.syncDeadline) {
    step.arm({ kind: 'sync', groupId: group.groupId }, group.syncDeadline - step.monotonic);
    return;
  }
  const silent = [...group.pendingSync];
  for (const memberId of silent) {
    const member = group.members.get(memberId);
    if (member !== undefined) removeMember(step, group, member);
  }
  rebalance(step, group, `members did not ask for their assignment in time: ${silent.join(', ')}`);
}

/** The leader's assignment is replicated: hand it out. */
export function becomeStable(
  step: Step,
  group: ClassicGroup,
  assignments: ReadonlyMap<string, Uint8Array>,
): void {
  for (const member of group.members.values()) {
    member.assignment = assignments.get(member.memberId) ?? nothing;
    if (answerParkedSync(step, member, syncSuccess(group, member))) extendSession(step, group, member);
  }
  group.isStoringAssignment = false;
  group.enter('Stable', step.now);
}

/** The leader's assignment could not be stored: nobody gets it, all join again. */
export function abandonAssignment(step: Step, group: ClassicGroup, errorCode: number): void {
  withdrawAssignments(step, group, errorCode);
  rebalance(step, group, `the assignment could not be stored (error ${errorCode})`);
}

function withdrawAssignments(step: Step, group: ClassicGroup, errorCode: number): void {
  for (const member of group.members.values()) {
    member.assignment = nothing;
    if (answerParkedSync(step, member, syncRefusal(errorCode))) extendSession(step, group, member);
  }
}

/** Takes the member out, with whatever it waits for. What follows for the group is the caller's to say. */
export function removeMember(step: Step, group: ClassicGroup, member: GroupMember): void {
  dismiss(step, member, ErrorCode.UNKNOWN_MEMBER_ID);
  endSession(step, group, member.memberId);
  group.deleteMember(member.memberId);
}

export function removePendingMember(step: Step, group: ClassicGroup, memberId: string): void {
  endSession(step, group, memberId);
  group.pendingMembers.delete(memberId);
}

/** Someone has left or failed: those who remain share again. */
export function afterRemoval(step: Step, group: ClassicGroup, reason: string): void {
  switch (group.state) {
    case 'Stable':
    case 'CompletingRebalance':
      rebalance(step, group, reason);
      return;
    case 'PreparingRebalance':
      completeIfAllJoined(step, group);
      return;
    case 'Empty':
    case 'Dead':
      return;
  }
}
