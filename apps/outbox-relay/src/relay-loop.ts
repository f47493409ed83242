/**
 * Rounds of the relay, one after another: at once while there is more, else at the next hint or after the poll interval,
 * whichever comes first. The poll is the truth; the hint only saves waiting.
 */
import { untilDone, type RetryPolicy } from '@seatlog/runtime';

export interface RelayLoopOptions {
  /** Gives how many messages it handled. */
  readonly round: () => Promise<number>;
  /** Messages that a round handles at most. */
  readonly roundSize: number;
  readonly pollIntervalMs: number;
  readonly onFault: (error: unknown, pauseMs: number) => void;
  readonly pause: RetryPolicy['pause'];
  readonly chance: () => number;
}

export class RelayLoop {
  readonly #options: RelayLoopOptions;
  readonly #stopping = new AbortController();
  #waking = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: RelayLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** There may be something in the outbox. */
  hint(): void {
    this.#waking.abort();
  }

  /** Finishes the round in work. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { round, roundSize, pollIntervalMs, onFault, pause, chance } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // A hint that comes during the round is for the next one.
      this.#waking = new AbortController();
      const wake = AbortSignal.any([signal, this.#waking.signal]);
      try {
        const handled = await untilDone(round, {
          isPassing: () => true,
          onRetry: (error, _attempt, pauseMs) => onFault(error, pauseMs),
          signal,
          pause,
          chance,
        });
        if (handled < roundSize) await pause(pollIntervalMs, wake);
      } catch (error) {
        // Woken or stopped; anything else was waited out above.
        if (!wake.aborted) throw error;
      }
    }
  }
}
