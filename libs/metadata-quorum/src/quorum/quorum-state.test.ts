import { describe, expect, it } from 'vitest';
import { parseQuorumState, quorumStateText } from './quorum-state.ts';

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
});
