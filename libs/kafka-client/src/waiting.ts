/** Waiting with an end: until a deadline, or until a signal aborts. */
import { KafkaClientError, type WriteOutcome } from './errors.ts';
import type { Clock, Timers } from './ports.ts';

export interface WaitEnd {
  /** In the clock's monotonic milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** The promise, or the error made by `late` at the deadline, or ABORTED. */
export function within<T>(
  promise: Promise<T>,
  end: WaitEnd,
  ports: { readonly clock: Clock; readonly timers: Timers },
  late: () => KafkaClientError,
): Promise<T> {
  const { signal } = end;
  if (signal?.aborted === true) return Promise.reject(aborted(signal));
  return new Promise((resolve, reject) => {
    const cancelTimer = ports.timers.schedule(end.deadline - ports.clock.monotonic(), () => {
      stop();
      reject(late());
    });
    const onAbort = (): void => {
      stop();
      reject(aborted(signal));
    };
    const stop = (): void => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: Error) => {
        stop();
        reject(error);
      },
    );
  });
}

export function aborted(signal: AbortSignal | undefined, outcome?: WriteOutcome): KafkaClientError {
  return new KafkaClientError('ABORTED', 'given up by the caller', {
    retriable: false,
    hint: 'the AbortSignal given to the call was aborted',
    outcome,
    cause: signal?.reason,
  });
}
