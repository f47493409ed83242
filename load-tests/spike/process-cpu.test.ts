import { describe, expect, it } from 'vitest';
import { parseStat } from './process-cpu.ts';

describe('the times of a process', () => {
  it('are read behind a name of any shape', () => {
    const stat = '7 (odd) name) S 3 7 7 0 -1 4194560 100 0 0 0 250 50 20 5 20 0 11 0 100 1 1';
    expect(parseStat(stat)).toEqual({ parent: 3, ticks: 325 });
  });
});
