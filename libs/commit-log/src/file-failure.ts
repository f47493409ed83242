import { FileSystemError, isOutOfSpace } from '@seatlog/runtime';
import { LogError } from './log-error.ts';

/** A failure of the file system as the log's own; anything else is a fault of the program and is thrown on. */
export function asFileSystemFailure(cause: unknown): LogError {
  if (cause instanceof LogError) return cause;
  if (!(cause instanceof FileSystemError)) throw cause;
  const code = isOutOfSpace(cause) ? 'LOG_OUT_OF_SPACE' : 'LOG_IO_FAILED';
  return new LogError(code, cause.message, { cause });
}

/** Runs an action on files, its failure as the log's own. */
export function attemptOnFiles<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    throw asFileSystemFailure(cause);
  }
}
