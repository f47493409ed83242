/**
 * The members and the generation of one group: the data, and the questions that are asked of it. It decides nothing
 * and answers nobody; `joining.ts`, `syncing.ts`, `leaving.ts` and `rebalance.ts` do.
 *
 * Invariants: `leaderId` names a member whenever there are members; `staticMembers` names exactly the members that
 * have an instance id; an id is never both pending and a member's.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { GroupProtocol } from '../events.ts';
import type { GroupSnapshot } from '../loading/group-snapshot.ts';
import { type GroupMember, memberOfSnapshot, metadataFor, renamedMember } from './group-member.ts';
import { type GroupState, mayMove } from './group-state.ts';
import { isKnownToAll, mostWantedProtocol } from './protocol-vote.ts';

/** The time to join: a first generation waits for company, later ones for those who were there before. */
export type JoinPhase =
  | { readonly kind: 'initial'; deadline: number; extensionMs: number; remainingMs: number; joined: boolean }
  | { readonly kind: 'rejoin'; deadline: number };

export class ClassicGroup {
  readonly groupId: string;
  readonly members = new Map<string, GroupMember>();
  /** Ids that were handed out and not joined with yet, and when they end. */
  readonly pendingMembers = new Map<string, number>();
  /** Members that have the generation and did not ask for their assignment yet. */
  readonly pendingSync = new Set<string>();
  generationId = 0;
  protocolType: string | null = null;
  protocolName: string | null = null;
  leaderId: string | null = null;
  joinPhase: JoinPhase | null = null;
  syncDeadline = 0;
  /** The leader has brought the assignment of this generation, and it is being written. */
  isStoringAssignment = false;
  readonly #staticMembers = new Map<string, string>();
  #state: GroupState = 'Empty';
  #stateSince: number | null;

  constructor(groupId: string, stateSince: number | null) {
    this.groupId = groupId;
    this.#stateSince = stateSince;
  }

  static fromSnapshot(groupId: string, snapshot: GroupSnapshot): ClassicGroup {
    const group = new ClassicGroup(groupId, snapshot.stateTimestamp);
    group.generationId = snapshot.generationId;
    group.protocolType = snapshot.protocolType;
    group.protocolName = snapshot.protocolName;
    for (const member of snapshot.members) {
      group.addMember(memberOfSnapshot(member, snapshot.protocolName ?? ''));
    }
    if (snapshot.leaderId !== null && group.members.has(snapshot.leaderId))
      group.leaderId = snapshot.leaderId;
    if (group.members.size > 0) group.#state = 'Stable';
    return group;
  }

  get state(): GroupState {
    return this.#state;
  }

  /** When the group came into its state; null if its record did not tell. */
  get stateSince(): number | null {
    return this.#stateSince;
  }

  /** For `rebalance.ts` and `removal.ts` alone. */
  enter(state: GroupState, now: number): void {
    if (!mayMove(this.#state, state)) {
      throw new Error(`group ${this.groupId} cannot go from ${this.#state} to ${state}`);
    }
    this.#state = state;
    this.#stateSince = now;
  }

  addMember(member: GroupMember): void {
    this.pendingMembers.delete(member.memberId);
    this.members.set(member.memberId, member);
    if (member.groupInstanceId !== null) this.#staticMembers.set(member.groupInstanceId, member.memberId);
    this.leaderId ??= member.memberId;
  }

  deleteMember(memberId: string): void {
    const member = this.members.get(memberId);
    if (member === undefined) return;
    this.members.delete(memberId);
    this.pendingSync.delete(memberId);
    const instanceId = member.groupInstanceId;
    if (instanceId !== null && this.#staticMembers.get(instanceId) === memberId) {
      this.#staticMembers.delete(instanceId);
    }
    if (this.leaderId === memberId) this.leaderId = this.members.keys().next().value ?? null;
  }

  /** Gives a static member another id; it keeps its place, its assignment and its leadership. */
  renameStaticMember(member: GroupMember, memberId: string): GroupMember {
    const wasLeader = this.leaderId === member.memberId;
    const wasPendingSync = this.pendingSync.has(member.memberId);
    const renamed = renamedMember(member, memberId);
    this.deleteMember(member.memberId);
    this.addMember(renamed);
    if (wasLeader) this.leaderId = memberId;
    if (wasPendingSync) this.pendingSync.add(memberId);
    return renamed;
  }

  staticMemberId(groupInstanceId: string): string | undefined {
    return this.#staticMembers.get(groupInstanceId);
  }

  /** The member of that id, or why the request may not speak for it. */
  memberOrError(memberId: string, groupInstanceId: string | null): GroupMember | number {
    if (groupInstanceId !== null) {
      const known = this.#staticMembers.get(groupInstanceId);
      if (known === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
      if (known !== memberId) return ErrorCode.FENCED_INSTANCE_ID;
    }
    return this.members.get(memberId) ?? ErrorCode.UNKNOWN_MEMBER_ID;
  }

  get parkedJoins(): number {
    let count = 0;
    for (const member of this.members.values()) if (member.parkedJoin !== null) count += 1;
    return count;
  }

  get hasAllMembersJoined(): boolean {
    return this.pendingMembers.size === 0 && this.parkedJoins === this.members.size;
  }

  /** The longest that a member asked the others to wait for it. */
  get rebalanceTimeoutMs(): number {
    let longest = 0;
    for (const { terms } of this.members.values()) longest = Math.max(longest, terms.rebalanceTimeoutMs);
    return longest;
  }

  /** A group without members takes any protocol; else the type must match and one protocol be known to all. */
  supports(protocolType: string, protocols: readonly GroupProtocol[]): boolean {
    if (this.members.size === 0) return protocolType !== '' && protocols.length > 0;
    if (protocolType !== this.protocolType) return false;
    return protocols.some(({ name }) => isKnownToAll(this.members.values(), name));
  }

  selectProtocol(): string | null {
    return mostWantedProtocol(this.members.values());
  }

  /** Keeps the leader if it has joined, else takes the first that has. False: no member has joined. */
  electJoinedLeader(): boolean {
    const leader = this.leaderId === null ? undefined : this.members.get(this.leaderId);
    if (leader !== undefined && leader.parkedJoin !== null) return true;
    for (const member of this.members.values()) {
      if (member.parkedJoin === null) continue;
      this.leaderId = member.memberId;
      return true;
    }
    return false;
  }

  /** The group as its record tells it, with the assignments given. */
  snapshot(assignmentOf: (member: GroupMember) => Uint8Array): GroupSnapshot {
    return {
      protocolType: this.protocolType,
      generationId: this.generationId,
      protocolName: this.protocolName,
      leaderId: this.leaderId,
      stateTimestamp: this.#stateSince,
      members: [...this.members.values()].map((member) => ({
        memberId: member.memberId,
        groupInstanceId: member.groupInstanceId,
        clientId: member.clientId,
        clientHost: member.clientHost,
        rebalanceTimeoutMs: member.terms.rebalanceTimeoutMs,
        sessionTimeoutMs: member.terms.sessionTimeoutMs,
        subscription: metadataFor(member, this.protocolName),
        assignment: assignmentOf(member),
      })),
    };
  }
}
