/**
 * What a voter must remember of elections: Kafka's `quorum-state` file.
 *
 * A voter writes the file, and syncs it, before it acts on what it says. An epoch is therefore never used twice, also
 * if the log lost the tail in which the epoch first stood (F26).
 */
export interface QuorumState {
  readonly leaderId: number;
  readonly leaderEpoch: number;
  /** Whom this voter gave its vote in that epoch; -1: none. */
  readonly votedId: number;
}

export const QUORUM_STATE_FILE = 'quorum-state';

/** The file's contents. */
export function quorumStateText(state: QuorumState, voters: readonly number[]): string {
  return JSON.stringify({
    clusterId: '',
    leaderId: state.leaderId,
    leaderEpoch: state.leaderEpoch,
    votedId: state.votedId,
    appliedOffset: 0,
    currentVoters: voters.map((voterId) => ({ voterId })),
    data_version: 0,
  });
}

/** Null if the text is no quorum state. */
export function parseQuorumState(text: string): QuorumState | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { leaderId, leaderEpoch, votedId } = parsed as Record<string, unknown>;
  if (typeof leaderId !== 'number' || typeof leaderEpoch !== 'number' || typeof votedId !== 'number')
    return null;
  return { leaderId, leaderEpoch, votedId };
}
