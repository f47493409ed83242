import { type Cancel, type FileSystem, FileSystemError, type Timers } from '@seatlog/runtime';
import type { LogListener } from './log-directory.ts';

/** Takes the directories of deleted partitions off the disk, in the background and after a delay. */
export class DirectoryRemoval {
  readonly #files: FileSystem;
  readonly #timers: Timers;
  readonly #listener: LogListener;
  readonly #scheduled = new Set<Cancel>();

  constructor(files: FileSystem, timers: Timers, listener: LogListener) {
    this.#files = files;
    this.#timers = timers;
    this.#listener = listener;
  }

  /** The directory bears its last name already. */
  removeLater(directory: string, delayMs: number): void {
    const cancel = this.#timers.schedule(delayMs, () => {
      this.#scheduled.delete(cancel);
      this.#remove(directory);
    });
    this.#scheduled.add(cancel);
  }

  /** What is not removed yet is left to the next start. */
  stop(): void {
    for (const cancel of this.#scheduled) cancel();
    this.#scheduled.clear();
  }

  #remove(directory: string): void {
    try {
      this.#removeFiles(
        directory,
        this.#files.readDirectory(directory).map((entry) => entry.name),
      );
    } catch (error) {
      this.#reportLeftover(directory, error);
    }
  }

  #removeFiles(directory: string, names: string[]): void {
    const name = names.pop();
    if (name === undefined) return this.#files.removeDirectory(directory);
    return this.#files.unlinkInBackground(`${directory}/${name}`, (error) => {
      if (error !== null) return this.#reportLeftover(directory, error);
      try {
        return this.#removeFiles(directory, names);
      } catch (cause) {
        return this.#reportLeftover(directory, cause);
      }
    });
  }

  #reportLeftover(directory: string, error: unknown): void {
    if (!(error instanceof FileSystemError)) throw error;
    const message = `${directory} could not be removed; the next start will try again: ${error.message}`;
    this.#listener.report?.({ level: 'warn', message });
  }
}
