import { describe, expect, it } from 'vitest';
import type { QuorumRole } from './quorum-description.ts';
import { grantsVote } from './vote-rules.ts';

const NOBODY = -1;

describe('a pre-vote (KIP-996)', () => {
  const roles: readonly (readonly [QuorumRole, boolean, boolean])[] = [
    ['unattached', false, true],
    ['prospective', false, true],
    ['candidate', false, true],
    ['resigned', false, true],
    ['follower', false, true],
    ['follower', true, false],
    ['leader', false, false],
  ];

  it.each(roles)('from a voter that is %s (hears its leader: %s): %s', (role, hearsLeader, granted) => {
    const standing = { role, votedId: 3, knowsLeader: true, hearsLeader };
    expect(grantsVote(standing, { candidateId: 2, preVote: true, isUpToDate: true })).toBe(granted);
    expect(grantsVote(standing, { candidateId: 2, preVote: true, isUpToDate: false })).toBe(false);
  });
});

describe('a vote', () => {
  const votes: readonly (readonly [QuorumRole, number, boolean, boolean])[] = [
    ['unattached', NOBODY, false, true],
    ['unattached', 2, false, true],
    ['unattached', 3, false, false],
    ['unattached', NOBODY, true, false],
    ['prospective', NOBODY, false, true],
    ['prospective', 2, false, true],
    ['prospective', 3, false, false],
    ['prospective', NOBODY, true, false],
    ['candidate', 1, false, false],
    ['follower', NOBODY, true, false],
    ['leader', 1, true, false],
    ['resigned', NOBODY, false, false],
  ];

  it.each(votes)(
    'from a voter that is %s, voted for %s, knows a leader: %s: %s',
    (role, votedId, knowsLeader, granted) => {
      const standing = { role, votedId, knowsLeader, hearsLeader: false };
      expect(grantsVote(standing, { candidateId: 2, preVote: false, isUpToDate: true })).toBe(granted);
    },
  );

  it('is not given to a log that is behind, unless it was given before', () => {
    const behind = { candidateId: 2, preVote: false, isUpToDate: false };
    const standing = { role: 'unattached', knowsLeader: false, hearsLeader: false } as const;
    expect(grantsVote({ ...standing, votedId: NOBODY }, behind)).toBe(false);
    expect(grantsVote({ ...standing, votedId: 2 }, behind)).toBe(true);
  });
});
