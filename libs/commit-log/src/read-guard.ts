import type { LogError, LogErrorCode } from './log-error.ts';
import { asLogFailure } from './log-failure.ts';

/** What a read comes upon that stops the log. */
const STOPPING: ReadonlySet<LogErrorCode> = new Set(['LOG_CORRUPT', 'LOG_IO_FAILED', 'LOG_FENCED']);

/** A failing or lying disk stops the log that is read, and nothing else. */
export class ReadGuard {
  readonly #stop: (error: LogError) => void;
  #rotFrom: number | null = null;

  constructor(stop: (error: LogError) => void) {
    this.#stop = stop;
  }

  /** From where on rot was come upon, or from before; null while none was. */
  get rotFrom(): number | null {
    return this.#rotFrom;
  }

  /** `offset`: from where on is read. */
  read<Result>(offset: number, action: () => Result): Result {
    try {
      return action();
    } catch (cause) {
      const failure = asLogFailure(cause);
      if (failure.code === 'LOG_CORRUPT') this.#rotFrom ??= offset;
      if (STOPPING.has(failure.code)) this.#stop(failure);
      throw failure;
    }
  }
}
