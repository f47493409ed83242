/** A story of a cluster, told to the library or to a changed copy of it. It throws if something is not as it must be. */
import assert from 'node:assert/strict';
import type * as simulation from '@seatlog/simulation';

export type Library = typeof simulation;

export interface Scenario {
  /** What the test is called: the rules, and what must come about. */
  readonly title: string;
  readonly tell: (library: Library) => void;
}

export { assert };
