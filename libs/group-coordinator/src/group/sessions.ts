/**
 * Sessions of members. A heartbeat moves a deadline; the timer is armed again only when it fires before the deadline
 * or when the deadline comes nearer, so a heartbeat costs no timer.
 */
import type { Step } from '../step.ts';
import type { ClassicGroup } from './classic-group.ts';
import type { GroupMember } from './group-member.ts';

/** The member was heard of, or is given time: its session ends `timeoutMs` from now. */
export function extendSession(
  step: Step,
  group: ClassicGroup,
  member: GroupMember,
  timeoutMs: number = member.terms.sessionTimeoutMs,
): void {
  member.sessionDeadline = step.monotonic + timeoutMs;
  if (member.sessionTimerAt !== null && member.sessionTimerAt <= member.sessionDeadline) return;
  member.sessionTimerAt = member.sessionDeadline;
  step.arm({ kind: 'session', groupId: group.groupId, memberId: member.memberId }, timeoutMs);
}

export function endSession(step: Step, group: ClassicGroup, memberId: string): void {
  step.cancel({ kind: 'session', groupId: group.groupId, memberId });
}

/**
 * Whether the member's time is over when its timer fires. Who waits for an answer of ours is not late: it cannot send
 * heartbeats meanwhile, and gets a fresh session with the answer. Members that no generation has held yet are the
 * exception: their time bounds how long a client that went away keeps its place.
 */
export function sessionIsOver(step: Step, group: ClassicGroup, member: GroupMember): boolean {
  member.sessionTimerAt = null;
  if (step.monotonic < member.sessionDeadline) {
    member.sessionTimerAt = member.sessionDeadline;
    step.arm(
      { kind: 'session', groupId: group.groupId, memberId: member.memberId },
      member.sessionDeadline - step.monotonic,
    );
    return false;
  }
  return member.isNew || (member.parkedJoin === null && member.parkedSync === null);
}
