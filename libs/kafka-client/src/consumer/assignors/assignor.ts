/** Deals the partitions of a group out to its members. Pure: run by the group's leader alone. */
import type { AssignorName } from '../types.ts';

export interface AssignorMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly topics: readonly string[];
  /** What the member says it holds, and the generation in which it got it (-1: it does not tell). */
  readonly owned: readonly { readonly topic: string; readonly partition: number }[];
  readonly generation: number;
}

/** By member id. */
export type Assignment = Map<string, { readonly topic: string; readonly partition: number }[]>;

export interface Assignor {
  /** The name on the wire: all members of a group must share one. */
  readonly name: AssignorName;
  /** Cooperative: members keep what they hold while the group rebalances, and give up only what moves. */
  readonly cooperative: boolean;
  /** `partitionCounts` lacks topics that do not exist. */
  assign(members: readonly AssignorMember[], partitionCounts: ReadonlyMap<string, number>): Assignment;
}

/** Static members first, by instance id, then the others by member id: the same order in every generation. */
export function inStableOrder(members: readonly AssignorMember[]): AssignorMember[] {
  return members.toSorted((a, b) => {
    if (a.groupInstanceId !== null && b.groupInstanceId !== null) {
      return compare(a.groupInstanceId, b.groupInstanceId);
    }
    if (a.groupInstanceId !== null) return -1;
    if (b.groupInstanceId !== null) return 1;
    return compare(a.memberId, b.memberId);
  });
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function emptyAssignment(members: readonly AssignorMember[]): Assignment {
  return new Map(members.map(({ memberId }) => [memberId, []]));
}

/** All topics that some member wants, in order. */
export function wantedTopics(members: readonly AssignorMember[]): string[] {
  return [...new Set(members.flatMap(({ topics }) => topics))].sort();
}
