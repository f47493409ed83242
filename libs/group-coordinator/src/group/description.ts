/** Groups as DescribeGroups and ListGroups show them. */
import type { ClassicGroup } from './classic-group.ts';
import { metadataFor } from './group-member.ts';
import type { GroupState } from './group-state.ts';

export interface DescribedMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  /** Empty unless the group is stable. */
  readonly memberMetadata: Uint8Array;
  /** What the member was last given, also while the group rebalances. */
  readonly memberAssignment: Uint8Array;
}

export interface DescribedGroup {
  readonly groupId: string;
  readonly groupState: GroupState;
  readonly protocolType: string;
  /** The protocol in force; empty unless the group is stable. */
  readonly protocolData: string;
  readonly members: readonly DescribedMember[];
}

export interface ListedGroup {
  readonly groupId: string;
  readonly protocolType: string;
  readonly groupState: GroupState;
  readonly groupType: 'classic';
}

const nothing = new Uint8Array(0);

export function describeGroup(group: ClassicGroup): DescribedGroup {
  const isStable = group.state === 'Stable';
  return {
    groupId: group.groupId,
    groupState: group.state,
    protocolType: group.protocolType ?? '',
    protocolData: isStable ? (group.protocolName ?? '') : '',
    members: [...group.members.values()].map((member) => ({
      memberId: member.memberId,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      memberMetadata: isStable ? metadataFor(member, group.protocolName) : nothing,
      memberAssignment: member.assignment,
    })),
  };
}

export function listGroup(group: ClassicGroup): ListedGroup {
  return {
    groupId: group.groupId,
    protocolType: group.protocolType ?? '',
    groupState: group.state,
    groupType: 'classic',
  };
}
