/** What a replica of the metadata log is at the moment, with what belongs to that role alone. */
import type { Election } from './election.ts';
import type { Following } from './following.ts';
import type { LeaderSearch } from './leader-search.ts';
import type { Leadership } from './leadership.ts';
import type { LogBatch } from './quorum-log.ts';
import type { RequestRound } from './request-round.ts';

export type RoleState<Batch extends LogBatch> =
  | Unattached<Batch>
  /** `leaderId`: the leader of this epoch that it does not hear from; -1 if none is known. */
  | { readonly role: 'prospective'; readonly leaderId: number; readonly election: Election<Batch> }
  | { readonly role: 'candidate'; readonly election: Election<Batch> }
  | { readonly role: 'leader'; readonly leadership: Leadership<Batch> }
  | { readonly role: 'follower'; readonly following: Following<Batch> }
  | {
      readonly role: 'resigned';
      readonly electionDueAtMs: number;
      /** Tells the other voters. */
      readonly farewell: RequestRound<Batch>;
    };

export interface Unattached<Batch extends LogBatch> {
  readonly role: 'unattached';
  /** When a voter stands for election. */
  readonly electionDueAtMs: number;
  /** An observer's; null for a voter. */
  readonly search: LeaderSearch<Batch> | null;
}
