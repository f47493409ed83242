/**
 * Who gets a vote, and who a pre-vote (KIP-996). A vote binds the voter for its epoch; a pre-vote only says that it
 * would be given, and is refused where a leader is alive, so that a node that was cut off disturbs nobody.
 */
import type { QuorumRole } from './quorum-description.ts';

export interface VoterStanding {
  readonly role: QuorumRole;
  /** Whom it voted for in this epoch; -1: nobody. */
  readonly votedId: number;
  /** Whether a leader of this epoch is known to it, or was. */
  readonly knowsLeader: boolean;
  /** A follower: whether its leader has answered it. */
  readonly hearsLeader: boolean;
}

export interface VoteQuestion {
  readonly candidateId: number;
  readonly preVote: boolean;
  /** Whether the candidate's log holds all that could be committed in this voter's. */
  readonly isUpToDate: boolean;
}

/** The question is of the epoch that the voter is in. */
export function grantsVote(standing: VoterStanding, question: VoteQuestion): boolean {
  return question.preVote ? grantsPreVote(standing, question) : grantsBindingVote(standing, question);
}

function grantsPreVote({ role, hearsLeader }: VoterStanding, { isUpToDate }: VoteQuestion): boolean {
  if (role === 'leader' || (role === 'follower' && hearsLeader)) return false;
  return isUpToDate;
}

function grantsBindingVote(standing: VoterStanding, { candidateId, isUpToDate }: VoteQuestion): boolean {
  const { role, votedId, knowsLeader } = standing;
  if (role !== 'unattached' && role !== 'prospective') return false;
  if (votedId !== -1) return votedId === candidateId;
  return !knowsLeader && isUpToDate;
}
