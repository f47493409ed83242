import { describe, expect, it } from 'vitest';
import { FollowerBench } from '../testing/follower-bench.ts';
import { LeaderBench } from '../testing/leader-bench.ts';
import { MemoryLog } from '../testing/memory-log.ts';

interface Vector {
  readonly leader: readonly [string, number];
  readonly follower: readonly [string, number];
  /** The answers of the leader, `epoch, end offset`, and where the follower cuts at each. */
  readonly rounds: readonly (readonly [number, number, number])[];
}

const vectors: readonly Vector[] = [
  { leader: ['0@0,1@10', 13], follower: ['0@0', 15], rounds: [[0, 10, 10]] },
  { leader: ['0@0,1@10', 13], follower: ['0@0', 8], rounds: [] },
  { leader: ['0@0,2@10', 12], follower: ['0@0,1@10', 12], rounds: [[0, 10, 10]] },
  { leader: ['0@0,1@5,3@8', 10], follower: ['0@0,2@4', 9], rounds: [[1, 8, 4]] },
  {
    leader: ['0@0,2@10,5@14', 16],
    follower: ['0@0,1@6,3@9,4@12', 15],
    rounds: [
      [2, 14, 9],
      [0, 10, 6],
    ],
  },
  { leader: ['0@0', 10], follower: ['0@0', 12], rounds: [[0, 10, 10]] },
  { leader: ['0@0,2@10', 12], follower: ['0@0,1@10', 10], rounds: [[0, 10, 10]] },
];

const title = ({ leader, follower, rounds }: Vector): string =>
  `leader ${leader.join(' LEO ')}, follower ${follower.join(' LEO ')}: ${rounds.length} rounds`;

/** Plays fetches until the leader would read; gives each answer and the cut that followed it. */
function compared({ leader, follower }: Vector) {
  const leaderLog = MemoryLog.of(...leader);
  const leading = new LeaderBench({ log: leaderLog, metadata: { leaderEpoch: leaderLog.latestLeaderEpoch } });
  const following = new FollowerBench(MemoryLog.of(...follower), leaderLog.latestLeaderEpoch);
  const rounds: (readonly [number, number, number])[] = [];
  for (let round = 0; round < 10; round++) {
    const { fetchOffset, lastFetchedEpoch, currentLeaderEpoch } = following.fetch();
    const verdict = leading.check({
      replicaId: 2,
      brokerEpoch: 12,
      fetchOffset,
      lastFetchedEpoch,
      currentLeaderEpoch,
    });
    if (verdict.kind !== 'diverging') return { verdict, rounds, following, leading, fetchOffset };
    const { epoch, endOffset } = verdict;
    const effects = following.answer({ divergingEpoch: { epoch, endOffset } });
    const cut = effects.find((effect) => effect.type === 'truncate');
    rounds.push([epoch, endOffset, cut?.type === 'truncate' ? cut.offset : -1]);
    following.settle();
  }
  throw new Error('they never agree');
}

describe('R23, R24: logs that parted', () => {
  it.each(vectors.map((vector) => [title(vector), vector] as const))('%s', (_title, vector) => {
    const { verdict, rounds, following, leading, fetchOffset } = compared(vector);
    expect(rounds).toEqual(vector.rounds);
    expect(verdict).toEqual({ kind: 'read', bound: 'log-end' });
    expect(fetchOffset).toBe(vector.rounds.at(-1)?.[2] ?? vector.follower[1]);

    const records = leading.log.read(fetchOffset, leading.log.logEndOffset);
    following.answer({ records, highWatermark: leading.log.logEndOffset, logStartOffset: 0 });
    following.settle();
    expect(following.log.words()).toEqual(leading.log.words());
    expect(following.log.epochCheckpoint).toBe(leading.log.epochCheckpoint);
  });

  it('KAFKA-10706: an epoch without records leaves the cache though the log stays as it is', () => {
    const { following, rounds } = compared({
      leader: ['0@0,2@10', 12],
      follower: ['0@0,1@10', 10],
      rounds: [],
    });
    expect(rounds).toEqual([[0, 10, 10]]);
    expect(following.log.words()).toHaveLength(10);
    expect(following.log.epochCheckpoint).toBe('0 1 0 0');
  });
});
