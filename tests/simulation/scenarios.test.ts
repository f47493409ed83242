import * as simulation from '@seatlog/simulation';
import { describe, expect, it } from 'vitest';
import { scenarios } from './scenarios/scenarios.ts';

describe('a simulated cluster to which something happens', () => {
  it.each(Object.values(scenarios))('$title', ({ tell }) => {
    expect(() => tell(simulation)).not.toThrow();
  });
});
