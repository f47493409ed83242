/**
 * Work that may take long, in slices: between two of them its caller may let others have their turn. What is yielded is a
 * file to be synced before the work goes on, or null.
 */
import type { Clock, FileHandle, Turns } from '@seatlog/runtime';
import { failureOf } from './log-failure.ts';

export type SlicedWork<Result> = Generator<FileHandle | null, Result, void>;

/** All slices in one go. */
export function atOnce<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    step.value?.syncNow();
  }
}

/** For so long slices follow one another before others have their turn. */
const TURN_MS = 10;
/** And so many at most, should the clock not tell. */
const SLICES_OF_A_TURN = 64;

export interface TurnsOfWork {
  readonly turns: Turns;
  readonly clock: Clock;
  /** Nothing more is done once this holds. */
  isOver(): boolean;
}

/** The slices in many turns of the process; files are synced meanwhile. `done` is called when all is done, if ever. */
export function inTurns(work: SlicedWork<void>, by: TurnsOfWork, done: () => void): void {
  const goOn = (failure: Error | null): void => {
    const until = by.clock.monotonic() + TURN_MS;
    let step = failure === null ? work.next() : work.throw(failure);
    for (let slices = 1; step.done !== true && step.value === null; slices += 1) {
      if (slices >= SLICES_OF_A_TURN || by.clock.monotonic() >= until) return later(null);
      step = work.next();
    }
    if (step.done === true) return done();
    const unsynced = failureOf(() => step.value?.sync(later));
    if (unsynced !== null) later(unsynced);
    return undefined;
  };
  const later = (failure: Error | null): void =>
    by.turns.defer(() => {
      if (!by.isOver()) goOn(failure);
    });
  later(null);
}
