import { describe, expect, it } from 'vitest';
import { crashPoints } from './crash-points.ts';
import { replayOf, roundsFor, roundsOfCi } from './crash-rounds.ts';
import { victims } from './victims.ts';

const noSeed = (): never => {
  throw new Error('a seed was given');
};

describe('the choice of rounds', () => {
  it('kills every victim in CI, and comes to every point', () => {
    expect(roundsFor({}, noSeed)).toBe(roundsOfCi);
    expect(new Set(roundsOfCi.map(({ victim }) => victim))).toEqual(new Set(victims));
    expect(new Set(roundsOfCi.map(({ point }) => point))).toEqual(new Set(crashPoints));
  });

  it('plays a round again by what it printed', () => {
    const [round] = roundsFor({ CRASH_ROUNDS: '1' }, () => 42);
    if (round === undefined) throw new Error('no round');
    const printed = /^CRASH_SEED=(.+) CRASH_VICTIM=(.+) CRASH_POINT='(.+)'$/.exec(replayOf(round));
    const [, CRASH_SEED, CRASH_VICTIM, CRASH_POINT] = printed ?? [];
    expect(roundsFor({ CRASH_SEED, CRASH_VICTIM, CRASH_POINT }, noSeed)).toEqual([round]);
  });

  it('draws the same rounds from the same seed, and gives each victim its turn', () => {
    const draw = (CRASH_SEED: string) => roundsFor({ CRASH_ROUNDS: '40', CRASH_SEED }, noSeed);
    expect(draw('7')).toEqual(draw('7'));
    expect(draw('7')).not.toEqual(draw('8'));
    const turn = draw('7').slice(0, victims.length);
    expect(new Set(turn.map(({ victim }) => victim))).toEqual(new Set(victims));
  });

  it('refuses what it does not know, and says what there is', () => {
    expect(() => roundsFor({ CRASH_VICTIM: 'nobody' }, () => 1)).toThrow('one of: broker, ');
    expect(() => roundsFor({ CRASH_POINT: 'never' }, () => 1)).toThrow('after the first 202');
    expect(() => roundsFor({ CRASH_ROUNDS: '0' }, () => 1)).toThrow('CRASH_ROUNDS is "0"');
  });
});
