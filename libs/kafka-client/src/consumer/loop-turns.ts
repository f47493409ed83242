/** A loop as an async iterator: each turn is made of what the loop hands out; leaving it in any way ends the loop. */
import type { BatchLoop, TakenBatch } from './batch-loop.ts';

export interface LoopSteps<Turn> {
  readonly taken: (batches: readonly TakenBatch[]) => Turn;
  /** The loop is over, and what it had in hand at the end does not count as done. */
  readonly ended: () => Promise<void>;
}

export function loopTurns<Turn>(
  loop: BatchLoop,
  signal: AbortSignal | undefined,
  steps: LoopSteps<Turn>,
): AsyncIterableIterator<Turn> {
  const onAbort = (): void => loop.end();
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const finish = async (): Promise<IteratorResult<Turn>> => {
    signal?.removeEventListener('abort', onAbort);
    loop.leave();
    await steps.ended();
    return { done: true, value: undefined };
  };
  const iterator: AsyncIterableIterator<Turn> = {
    next: async () => {
      const batches = await loop.next();
      return batches === null ? finish() : { done: false, value: steps.taken(batches) };
    },
    return: finish,
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
