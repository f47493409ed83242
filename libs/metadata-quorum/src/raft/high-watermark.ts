/** What a node knows to be committed, through all its roles. It never falls. */
import type { QuorumContext } from './quorum-context.ts';
import type { LogBatch } from './quorum-log.ts';

export class HighWatermark<Batch extends LogBatch> {
  readonly #context: QuorumContext<Batch>;
  #offset: number;

  /** At the start: what the snapshot holds, or stood for, was committed. */
  constructor(context: QuorumContext<Batch>) {
    this.#context = context;
    const { latestSnapshot, logStartOffset } = context.log;
    this.#offset = Math.max(latestSnapshot?.id.endOffset ?? 0, logStartOffset);
  }

  get offset(): number {
    return this.#offset;
  }

  /** Gives whether it rose. */
  raise(offset: number): boolean {
    if (offset <= this.#offset) return false;
    this.#offset = offset;
    this.#context.emit({ type: 'high-watermark', offset });
    return true;
  }
}
