/**
 * Appends that wait to be written. A retry of a batch that is among them is no more written than the batch itself: both
 * are told of the one outcome.
 */
import type { WriteDone } from './log-store.ts';

export class AppendsUnderWay {
  readonly #byLastOffset = new Map<number, WriteDone[]>();

  /** Gives what is to be told of the write. */
  begin(lastOffset: number, done: WriteDone): WriteDone {
    const waiting = [done];
    this.#byLastOffset.set(lastOffset, waiting);
    return (outcome) => {
      if (this.#byLastOffset.get(lastOffset) === waiting) this.#byLastOffset.delete(lastOffset);
      for (const told of waiting) told(outcome);
    };
  }

  /** Whether a batch that ends there is on its way; then `done` is told with it. */
  join(lastOffset: number, done: WriteDone): boolean {
    const waiting = this.#byLastOffset.get(lastOffset);
    waiting?.push(done);
    return waiting !== undefined;
  }

  /** Nobody can join them any more. */
  forget(): void {
    this.#byLastOffset.clear();
  }
}
