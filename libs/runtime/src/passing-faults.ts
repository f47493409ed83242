/**
 * Repeats what fails for a reason that passes (a database that restarts, a broker that moves), for as long as it takes,
 * with pauses that double up to a limit. Anything else is thrown at once. The signal ends the waiting.
 */
export interface RetryPolicy {
  readonly isPassing: (error: unknown) => boolean;
  readonly onRetry: (error: unknown, attempt: number, pauseMs: number) => void;
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds; rejects when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Between 0 and 1, for the jitter. */
  readonly chance: () => number;
}

const FIRST_PAUSE_MS = 100;
export const LONGEST_PAUSE_MS = 5000;

export async function untilDone<T>(action: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    policy.signal.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      if (!policy.isPassing(error)) throw error;
      const pauseMs = pauseBefore(attempt, policy.chance());
      policy.onRetry(error, attempt, pauseMs);
      await policy.pause(pauseMs, policy.signal);
    }
  }
}

/** Half of the pause is fixed and half is chance, so that several workers do not come back all at once. */
function pauseBefore(attempt: number, chance: number): number {
  const full = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  return Math.round(full / 2 + (full / 2) * chance);
}
