import { FileSystemError, isOutOfSpace } from '@seatlog/runtime';
import { LogError } from './log-error.ts';

/**
 * Whatever went wrong as the log's own error. A fault of the program is one, too: it stops the log that it happened to,
 * and not the process with all the others.
 */
export function asLogFailure(cause: unknown): LogError {
  if (cause instanceof LogError) return cause;
  if (cause instanceof FileSystemError) {
    return new LogError(isOutOfSpace(cause) ? 'LOG_OUT_OF_SPACE' : 'LOG_IO_FAILED', cause.message, { cause });
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return new LogError('LOG_FENCED', `an invariant broke: ${message}`, { cause });
}

/** Runs an action, its failure as the log's own. */
export function attempted<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    throw asLogFailure(cause);
  }
}

/** The log's own failure that an action ended with; null if it went well. */
export function failureOf(action: () => void): LogError | null {
  try {
    action();
    return null;
  } catch (cause) {
    return asLogFailure(cause);
  }
}
