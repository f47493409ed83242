import { ManualTurns } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { LoadingTurns } from './loading-turns.ts';

describe('LoadingTurns', () => {
  it('F28: gives one action a turn, each partition in its turn', () => {
    const turns = new ManualTurns();
    const loading = new LoadingTurns(turns);
    const done: string[] = [];
    const read = (partition: string, slices: number): void => {
      done.push(partition);
      if (slices > 1) loading.defer(() => read(partition, slices - 1));
    };
    loading.defer(() => read('a', 3));
    loading.defer(() => read('b', 2));
    const seen: string[] = [];
    while (turns.pending > 0) {
      turns.end();
      seen.push(done.join(''));
    }
    expect(seen).toEqual(['a', 'ab', 'aba', 'abab', 'ababa']);
  });

  it('goes on after one that throws', () => {
    const turns = new ManualTurns();
    const loading = new LoadingTurns(turns);
    let isDone = false;
    loading.defer(() => {
      throw new Error('broken');
    });
    loading.defer(() => {
      isDone = true;
    });
    expect(() => turns.end()).toThrow('broken');
    turns.end();
    expect(isDone).toBe(true);
  });
});
