/** How handlers repeat what fails for a reason that passes: in place, so that the order of records holds, and told to the log. */
import type { Logger } from '@seatlog/observability';
import { type RetryPolicy, untilDone } from '@seatlog/runtime';

export interface RetryingOptions {
  readonly logger: Logger;
  readonly pause: RetryPolicy['pause'];
  readonly chance: RetryPolicy['chance'];
  /** For those who count. */
  readonly onRetry?: (what: string) => void;
}

/** `what` names the work in the log; `target` tells its passing faults from lasting ones. */
export type Retrying = <T>(
  what: string,
  target: { isPassing(error: unknown): boolean },
  signal: AbortSignal,
  action: () => Promise<T>,
) => Promise<T>;

export function retrying({ logger, pause, chance, onRetry }: RetryingOptions): Retrying {
  return (what, target, signal, action) =>
    untilDone(action, {
      isPassing: (error) => target.isPassing(error),
      onRetry: (error, attempt, pauseMs) => {
        onRetry?.(what);
        logger.warn({ error, what, attempt, pauseMs }, 'passing fault, trying again');
      },
      signal,
      pause,
      chance,
    });
}
