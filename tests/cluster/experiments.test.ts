/** The four replication experiments on real processes. Times are shorter than the article's; order, offsets and epochs are not. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Experiment,
  type Finding,
  lostAcks1,
  minIsr,
  replay,
  type Replay,
  stoppedFollower,
  textNarrator,
  tooSlow,
} from '@seatlog/lab';

const PACE = 0.4;
const EXPERIMENT_DEADLINE_MS = 300_000;

/** Plays the experiment once; each finding is a test by its rule, and what the experiment is about is asserted by hand. */
function experiment<Observed>(
  played: Experiment<Observed>,
  rules: readonly string[],
  about: (observed: () => Observed) => void,
): void {
  describe(`experiment ${played.name}`, () => {
    let result: Replay<Observed>;
    let tale = '';
    beforeAll(async () => {
      const began = performance.now();
      const tell = (text: string): void => void (tale += text);
      const narrator = textNarrator(tell, () => performance.now() - began);
      result = await replay(played, { narrator, pace: PACE }).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${tale}`, { cause: error });
      });
    }, EXPERIMENT_DEADLINE_MS);

    it.each(rules)('%s holds', (rule) => {
      const own = result.findings.filter((finding) => finding.rule === rule);
      expect(own.length).toBeGreaterThan(0);
      expect(
        own.filter(({ held }) => !held),
        tale,
      ).toEqual([]);
    });

    it('has no other rule', () => {
      const others = result.findings.filter(({ rule }: Finding) => !rules.includes(rule));
      expect(others).toEqual([]);
    });

    about(() => result.observed);
  });
}

experiment(
  stoppedFollower,
  ['R1', 'R7', 'R8', 'R9', 'R11', 'R12', 'R13', 'R15', 'R16', 'R18', 'R20', 'R30'],
  (observed) => {
    it('R11, R18: acks=all waits until the stopped follower has left, and for nothing else', () => {
      const { afterIdleTime, highWatermarkMeanwhile, acksAll, highWatermarkAfter, afterShrink } = observed();
      expect(afterIdleTime.isr).toEqual([1, 2, 3]);
      expect(highWatermarkMeanwhile).toBe(12);
      expect(acksAll).toMatchObject({ offset: 17 });
      expect(highWatermarkAfter).toBe(18);
      expect(afterShrink).toMatchObject({ isr: [1, 2], partitionEpoch: 1, leaderEpoch: 0 });
    });
  },
);

experiment(minIsr, ['R14', 'R16', 'R17', 'R20'], (observed) => {
  it('R17: what is refused for lack of replicas is not written', () => {
    const { below, log } = observed();
    expect(below).toMatchObject({ acksAll: { refused: 'NOT_ENOUGH_REPLICAS' }, acks1: { offset: 2 } });
    expect(log).toEqual(['acks-all', 'acks-1', 'acks-1', 'acks-all', 'acks-1']);
  });
});

experiment(lostAcks1, ['R3', 'R5', 'R12', 'R14', 'R16', 'R20', 'R21', 'R24'], (observed) => {
  it('R24: the old leader is cut back to where the new epoch began', () => {
    const { epochsAtTheEnd, consumed, oldLeaderSaid } = observed();
    expect(epochsAtTheEnd[1]).toBe('0 2 0 0 1 10');
    expect(oldLeaderSaid.join('\n')).toContain('Truncating partition div-0 to offset 10');
    expect(consumed).not.toContain('lost-1');
  });
});

experiment(tooSlow, ['R5', 'R12', 'R16', 'R20'], (observed) => {
  it('R20: nobody leads until the only one that was in sync is back', () => {
    const { leaderless, back, consumed } = observed();
    expect(leaderless).toMatchObject({ leader: null, isr: [], elr: [1] });
    expect(back.leader).toBe(1);
    expect(consumed).toContain('lost-5');
  });
});
