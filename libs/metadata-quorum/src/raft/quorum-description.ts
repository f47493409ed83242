/** How the quorum stands, for `/state`, metrics, and DescribeQuorum. */
import type { LeaderAndEpoch } from './quorum-effects.ts';

/**
 * - `unattached`: no leader is known in this epoch.
 * - `prospective`: asks the voters whether they would elect it; no epoch is used for that.
 * - `candidate`: has voted for itself in an epoch of its own, and asks for votes.
 * - `resigned`: led in this epoch, and does not any more.
 */
export type QuorumRole = 'unattached' | 'prospective' | 'candidate' | 'leader' | 'follower' | 'resigned';

export interface QuorumDescription {
  readonly nodeId: number;
  readonly role: QuorumRole;
  readonly isVoter: boolean;
  readonly leader: LeaderAndEpoch;
  /** -1: it voted for nobody in this epoch. */
  readonly votedId: number;
  readonly highWatermark: number;
  readonly logEndOffset: number;
  /** Known to the leader alone; empty on others. */
  readonly voters: readonly QuorumMember[];
  readonly observers: readonly QuorumMember[];
}

export interface QuorumMember {
  readonly id: number;
  readonly directoryId: string;
  /** -1: it has not fetched in this epoch. */
  readonly logEndOffset: number;
  /** Milliseconds since 1970; -1: never. */
  readonly lastFetchTimestamp: number;
  readonly lastCaughtUpTimestamp: number;
}
