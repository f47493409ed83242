import { FileSystemError } from './file-system.ts';

/** Node's error as the port's, with the system's code kept. */
export function asFileSystemError(operation: string, path: string, cause: unknown): FileSystemError {
  if (cause instanceof FileSystemError) return cause;
  if (!(cause instanceof Error)) return new FileSystemError('UNKNOWN', operation, path, String(cause));
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : 'UNKNOWN';
  return new FileSystemError(code, operation, path, cause.message, { cause });
}

export function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}
