/**
 * Log files of child processes. The child writes straight into the file, so its log outlives us and a slow reader
 * never blocks it. Bounded where it is opened: a file over the limit is set aside (one such is kept) and begun anew.
 */
import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';

export const LOG_FILE_LIMIT_BYTES = 16 * 1024 * 1024;
export const LOG_TAIL_BYTES = 4096;

/** Gives a file descriptor for appending; the caller closes it once the child has it. */
export function openLogFile(path: string): number {
  if (logSize(path) > LOG_FILE_LIMIT_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o644);
}

/** 0 if there is no such file. */
export function logSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * The last lines, whole, of at most LOG_TAIL_BYTES, and not from before position `from`, unless the file was begun anew.
 * Empty if there is no such file.
 */
export function readLogTail(path: string, from = 0): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const size = fstatSync(file).size;
    const asked = from > size ? size : size - from;
    const length = Math.min(asked, LOG_TAIL_BYTES);
    const bytes = Buffer.alloc(length);
    const read = readSync(file, bytes, 0, length, size - length);
    const text = bytes.toString('utf8', 0, read);
    return length < asked ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    closeSync(file);
  }
}
