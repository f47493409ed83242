import { Fifo } from './fifo.ts';
import type { LogError } from './log-error.ts';
import type { AppendCompletion } from './partition-log.ts';

interface WaitingAppend {
  readonly nextOffset: number;
  readonly done: AppendCompletion;
}

/**
 * Appends that wait to be as durable as the topic asks. An append passes when it is written and fewer messages than
 * `flushMessages` up to its end are unsynced: with 1 only once it is synced, with infinity as soon as it is written.
 * What has passed is the log, as others see it: the log end offset follows.
 */
export class CommitGate {
  #logEndOffset: number;
  readonly #waiting = new Fifo<WaitingAppend>();
  /** Retries of batches that are in the log or on their way; they wait for the offset of the original. */
  #retries: WaitingAppend[] = [];

  constructor(logEndOffset: number) {
    this.#logEndOffset = logEndOffset;
  }

  get logEndOffset(): number {
    return this.#logEndOffset;
  }

  /** A written append, in order of offsets. */
  admit(nextOffset: number, done: AppendCompletion): void {
    this.#waiting.push({ nextOffset, done });
  }

  admitRetry(nextOffset: number, done: AppendCompletion): void {
    this.#retries.push({ nextOffset, done });
  }

  /** Lets pass what may, given how far the log is synced. Gives the completions to be called. */
  pass(syncedOffset: number, flushMessages: number): AppendCompletion[] {
    const passed: AppendCompletion[] = [];
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      if (next.nextOffset - syncedOffset >= flushMessages) break;
      this.#waiting.shift();
      this.#logEndOffset = next.nextOffset;
      passed.push(next.done);
    }
    passed.push(...this.#takeRetries((retry) => retry.nextOffset <= this.#logEndOffset));
    return passed;
  }

  /** The log ends here from now on; what waited for more is given back, to be failed. */
  truncate(endOffset: number): AppendCompletion[] {
    const waiting = this.#waiting.drain();
    for (const append of waiting) if (append.nextOffset <= endOffset) this.#waiting.push(append);
    this.#logEndOffset = Math.min(this.#logEndOffset, endOffset);
    const lost = waiting.filter((append) => append.nextOffset > endOffset).map((append) => append.done);
    return [...lost, ...this.#takeRetries((retry) => retry.nextOffset > endOffset)];
  }

  /** All that wait, to be failed. */
  abandon(): AppendCompletion[] {
    const waiting = this.#waiting.drain().map((append) => append.done);
    return [...waiting, ...this.#takeRetries(() => true)];
  }

  /** The log was replaced by an empty one at the offset. */
  restart(offset: number): void {
    this.#logEndOffset = offset;
  }

  #takeRetries(chosen: (retry: WaitingAppend) => boolean): AppendCompletion[] {
    if (this.#retries.length === 0) return [];
    const taken = this.#retries.filter(chosen);
    this.#retries = this.#retries.filter((retry) => !chosen(retry));
    return taken.map((retry) => retry.done);
  }
}

export function failAll(completions: readonly AppendCompletion[], error: LogError): void {
  for (const done of completions) done(error);
}
