import { describe, expect, it } from 'vitest';
import { RelayLoop } from './relay-loop.ts';

/** Lets a test see each pause of the loop and end it. */
class Pauses {
  readonly lengths: number[] = [];
  #arrived: (() => void)[] = [];

  readonly pause = (ms: number, signal: AbortSignal): Promise<void> => {
    this.lengths.push(ms);
    for (const resolve of this.#arrived.splice(0)) resolve();
    return new Promise((_resolve, reject) => {
      if (signal.aborted) reject(new Error('aborted'));
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };

  async reached(count: number): Promise<void> {
    while (this.lengths.length < count) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }
}

function loopOf(counts: number[], pauses: Pauses) {
  const rounds: number[] = [];
  const loop = new RelayLoop({
    round: async () => {
      const count = counts.shift() ?? 0;
      rounds.push(count);
      return count;
    },
    roundSize: 10,
    pollIntervalMs: 250,
    onFault() {},
    pause: pauses.pause,
    chance: () => 1,
  });
  return { loop, rounds };
}

describe('the loop of the relay', () => {
  it('goes on at once while rounds are full, then waits', async () => {
    const pauses = new Pauses();
    const { loop, rounds } = loopOf([10, 10, 3], pauses);
    loop.start();
    await pauses.reached(1);
    await loop.stop();
    expect(rounds).toEqual([10, 10, 3]);
    expect(pauses.lengths).toEqual([250]);
  });

  it('T6: is woken by a hint', async () => {
    const pauses = new Pauses();
    const { loop, rounds } = loopOf([0, 1], pauses);
    loop.start();
    await pauses.reached(1);
    loop.hint();
    await pauses.reached(2);
    await loop.stop();
    expect(rounds).toEqual([0, 1]);
  });
});
