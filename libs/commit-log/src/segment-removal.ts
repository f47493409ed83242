import { type Cancel, type FileSystem, FileSystemError, type Timers } from '@seatlog/runtime';
import type { LogListener } from './log-directory.ts';
import { DELETED_SUFFIX, type SegmentFileKind, segmentFilePath } from './segment-files.ts';

const KINDS: readonly SegmentFileKind[] = ['log', 'index', 'timeindex', 'txnindex', 'snapshot'];

/**
 * Takes segments off the disk in two steps: renamed at once, so that no start takes them for part of the log, and
 * unlinked later in the background, because freeing a large file takes its time.
 */
export class SegmentRemoval {
  readonly #files: FileSystem;
  readonly #timers: Timers;
  readonly #listener: LogListener;
  readonly #pending = new Set<{ readonly paths: readonly string[]; readonly cancel: Cancel }>();

  constructor(files: FileSystem, timers: Timers, listener: LogListener) {
    this.#files = files;
    this.#timers = timers;
    this.#listener = listener;
  }

  /** The log file goes last: while it is there the start finds the rest by it. */
  remove(directory: string, baseOffset: number, delayMs: number): void {
    const renamed: string[] = [];
    for (const kind of KINDS.toReversed()) {
      const path = segmentFilePath(directory, baseOffset, kind);
      if (this.#files.stat(path) === null) continue;
      this.#files.rename(path, path + DELETED_SUFFIX);
      renamed.push(path + DELETED_SUFFIX);
    }
    this.#unlinkLater(renamed, delayMs);
  }

  /** Unlinks without waiting for the rest of the delays. */
  finish(): void {
    for (const pending of this.#pending) {
      pending.cancel();
      for (const path of pending.paths) this.#unlink(path);
    }
    this.#pending.clear();
  }

  #unlinkLater(paths: readonly string[], delayMs: number): void {
    const pending = {
      paths,
      cancel: this.#timers.schedule(delayMs, () => {
        this.#pending.delete(pending);
        for (const path of paths) this.#unlink(path);
      }),
    };
    this.#pending.add(pending);
  }

  #unlink(path: string): void {
    this.#files.unlinkInBackground(path, (error) => {
      if (error !== null) this.#reportLeftover(path, error);
    });
  }

  #reportLeftover(path: string, error: FileSystemError): void {
    this.#listener.report?.({ level: 'warn', message: `Could not remove ${path}: ${error.message}` });
  }
}
