import { describe, expect, it } from 'vitest';
import { electOnlyVoter, parseQuorumState, quorumStateText } from './quorum-state.ts';

describe('quorum state', () => {
  it('is read back from its file', () => {
    const state = { leaderId: 1, leaderEpoch: 7, votedId: 1 };
    expect(parseQuorumState(quorumStateText(state, [1]))).toEqual(state);
  });

  it('says in Kafka’s words who voted', () => {
    expect(JSON.parse(quorumStateText({ leaderId: 1, leaderEpoch: 7, votedId: 1 }, [1]))).toMatchObject({
      leaderEpoch: 7,
      currentVoters: [{ voterId: 1 }],
      data_version: 0,
    });
  });

  it.each(['', '{', 'null', '[]', '{"leaderId":"1"}'])('F6: is none in %j', (text) => {
    expect(parseQuorumState(text)).toBeNull();
  });

  it('F26: gives each start an epoch that neither file nor log has seen', () => {
    expect(electOnlyVoter(1, null, -1)).toEqual({ leaderId: 1, leaderEpoch: 1, votedId: 1 });
    expect(electOnlyVoter(1, null, 4).leaderEpoch).toBe(5);
    expect(electOnlyVoter(1, { leaderId: 1, leaderEpoch: 9, votedId: 1 }, 4).leaderEpoch).toBe(10);
  });
});
