/**
 * Files as an argument.
 *
 * Calls are synchronous where the page cache answers in microseconds, and take a completion where the device
 * itself is waited for. There are no Promises: a simulation delivers completions as events of its own.
 *
 * A completion is called exactly once. It may be called before the call that took it returns, and is never
 * called after the handle was closed by `close`: close a handle only when nothing is in flight on it.
 * Synchronous calls throw `FileSystemError`.
 */
export interface FileSystem {
  /** Opens a file; `create` makes it when it is missing, and keeps what it holds otherwise. */
  open(path: string, mode: OpenMode): FileHandle;
  /** The whole file; ENOENT when there is none. */
  readFile(path: string): Uint8Array;
  /**
   * Gives the file these contents or leaves it as it was, whatever happens in between: written aside as
   * `<path>.tmp`, synced, renamed over it, directory synced.
   */
  replaceFile(path: string, bytes: Uint8Array): void;
  /** `replaceFile` off the caller's path. One at a time per path: the caller waits for `done`. */
  replaceFileInBackground(path: string, bytes: Uint8Array, done: Completion): void;
  /** Null when there is no such entry. */
  stat(path: string): FileStat | null;
  /** Entries of a directory, sorted by name. */
  readDirectory(path: string): readonly DirectoryEntry[];
  /** Makes a directory with all that lead to it; does nothing when it exists. */
  makeDirectory(path: string): void;
  /** Makes the directory's entries (creations, renames, removals) last through a power cut. */
  syncDirectory(path: string): void;
  syncDirectoryInBackground(path: string, done: Completion): void;
  /** Replaces the target when it is a file. The parent directories are not synced. */
  rename(from: string, to: string): void;
  /** Removes a file; a missing one is no error. */
  unlink(path: string): void;
  /** Freeing the blocks of a large file takes milliseconds: off the caller's path. A missing one is no error. */
  unlinkInBackground(path: string, done: Completion): void;
  /** Removes an empty directory. */
  removeDirectory(path: string): void;
  /**
   * Takes an exclusive lock that ends with the process, however it ends: a lock file left behind by a dead
   * process is no hindrance. Held by anyone, this process included: throws with code `ELOCKED`.
   */
  lock(path: string): FileLock;
}

export interface FileHandle {
  readonly path: string;
  size(): number;
  /**
   * Reads at `position` into `buffer` (all of it unless told otherwise). Gives the number of bytes, less than
   * asked for only at the end of the file.
   */
  read(buffer: Uint8Array, position: number, bufferOffset?: number, length?: number): number;
  /**
   * Writes the chunks one after the other at `position`. A short count is continued until all is written or the
   * system answers with an error; `written` tells how far it came. The chunks stay untouched until `done`.
   */
  write(chunks: readonly Uint8Array[], position: number, done: WriteCompletion): void;
  /** `write` before returning; on failure throws, and an unknown part of it is written. */
  writeNow(chunks: readonly Uint8Array[], position: number): void;
  truncate(size: number): void;
  /** fdatasync off the caller's path. After an error nothing can be said of what was not synced: do not try again. */
  sync(done: Completion): void;
  syncNow(): void;
  close(): void;
}

/** `read`: must exist. `write`: must exist, read and write. `create`: read and write, made when missing. */
export type OpenMode = 'read' | 'write' | 'create';

export type Completion = (error: FileSystemError | null) => void;

export type WriteCompletion = (error: FileSystemError | null, written: number) => void;

export interface FileStat {
  readonly kind: EntryKind;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

export type EntryKind = 'file' | 'directory' | 'other';

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

export interface FileLock {
  release(): void;
}

/** What the system answered, with the operation and the path it was about. */
export class FileSystemError extends Error {
  override readonly name = 'FileSystemError';
  /** The system's code: ENOENT, ENOSPC, EIO, EACCES, EMFILE and so on; ELOCKED from `lock`. */
  readonly code: string;
  readonly operation: string;
  readonly path: string;

  constructor(code: string, operation: string, path: string, detail: string, options?: ErrorOptions) {
    super(`${operation} ${path}: ${detail} (${code})`, options);
    this.code = code;
    this.operation = operation;
    this.path = path;
  }
}

/** Whether the error says that there is no room, which passes, in contrast to a device that fails. */
export function isOutOfSpace(error: FileSystemError): boolean {
  return error.code === 'ENOSPC' || error.code === 'EDQUOT';
}
