// Rules of the controllers' quorum, each undone.
import type { Mutant } from './mutant.ts';

const VOTES = 'libs/metadata-quorum/src/raft/vote-rules.ts';
const LEADERSHIP = 'libs/metadata-quorum/src/raft/leadership.ts';
const MEMBERS = 'libs/metadata-quorum/src/raft/quorum-members.ts';
const POSITION = 'libs/metadata-quorum/src/raft/log-position.ts';

export const quorumMutants: readonly Mutant[] = [
  {
    id: 'votes-for-shorter-logs',
    rule: 'Raft: a vote goes only to a log that holds all that could be committed',
    file: POSITION,
    find: 'return other.epoch > own.epoch || (other.epoch === own.epoch && other.offset >= own.offset);',
    replace: 'return other.offset >= 0 || own.offset >= 0;',
    scenario: 'vote-for-a-shorter-log',
  },
  {
    id: 'two-votes-in-an-epoch',
    rule: 'Raft: one vote in an epoch',
    file: VOTES,
    find: 'if (votedId !== -1) return votedId === candidateId;\n  return !knowsLeader && isUpToDate;',
    replace: 'return isUpToDate;',
  },
  {
    id: 'commits-of-earlier-epochs',
    rule: 'Raft: only a record of its own epoch commits what is before it',
    file: LEADERSHIP,
    find: 'if (end <= this.#startOffset || !this.#highWatermark.raise(end)) return false;',
    replace: 'if (end < 0 || !this.#highWatermark.raise(end)) return false;',
  },
  {
    id: 'commits-before-the-sync',
    rule: 'F26: what is committed is synced',
    file: MEMBERS,
    find: 'const descending = [this.#context.log.logEndOffset, ...ends]',
    replace: 'const descending = [this.#context.log.nextAppendOffset, ...ends]',
  },
  {
    id: 'commits-of-a-minority',
    rule: 'Raft: a majority of voters holds what is committed',
    file: MEMBERS,
    find: 'return descending[this.#context.majority - 1] ?? -1;',
    replace: 'return descending[Math.max(0, this.#context.majority - 2)] ?? -1;',
  },
  {
    id: 'voters-do-not-diverge',
    rule: 'Raft: a follower’s log is held against its leader’s, epoch by epoch',
    file: POSITION,
    find: 'if (end.epoch === epoch && offset <= end.endOffset) return valid;',
    replace: 'if (end.epoch <= epoch) return valid;',
    scenario: 'deposed-controller',
  },
];
