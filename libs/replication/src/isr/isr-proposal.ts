/** What a leader proposes to the controller, and what comes back (R13, R15). */
export interface IsrMember {
  readonly brokerId: number;
  /** The incarnation whose fetches the leader saw; -1 where it saw none. */
  readonly brokerEpoch: number;
}

export interface IsrProposal {
  readonly topicId: string;
  readonly partition: number;
  readonly leaderEpoch: number;
  /** Of the state that the proposal would change. */
  readonly partitionEpoch: number;
  /** Tells the proposals of one leader epoch apart: an answer counts for the proposal it was sent for. */
  readonly proposalId: number;
  readonly isr: readonly IsrMember[];
  readonly leaderRecoveryState: number;
  /** 1 for the first; more after an answer that leaves open whether it was applied. */
  readonly attempt: number;
}

export type IsrVerdict =
  | {
      readonly kind: 'accepted';
      readonly leaderEpoch: number;
      readonly partitionEpoch: number;
      readonly isr: readonly number[];
    }
  | { readonly kind: 'refused'; readonly errorCode: number };

export function isSameProposal(left: IsrProposal, right: IsrProposal): boolean {
  return left.leaderEpoch === right.leaderEpoch && left.proposalId === right.proposalId;
}
