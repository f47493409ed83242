import type { FileSystem } from '@seatlog/runtime';
import type { LogError } from './log-error.ts';
import { asLogFailure } from './log-failure.ts';
import {
  encodeOffsetCheckpoint,
  type OffsetsByPartition,
  readOffsetCheckpoint,
} from './offset-checkpoint.ts';
import type { FlushCompletion } from './partition-log.ts';

/**
 * One of the checkpoint files of a log directory, written in the background. Writes that are asked for while one is
 * in flight are made as one after it; contents that did not change are not written again.
 */
export class CheckpointFile {
  readonly path: string;
  readonly #files: FileSystem;
  readonly #contents: () => OffsetsByPartition;
  #waiting: FlushCompletion[] = [];
  #writing = false;
  #written: string | null = null;

  constructor(files: FileSystem, path: string, contents: () => OffsetsByPartition) {
    this.path = path;
    this.#files = files;
    this.#contents = contents;
  }

  /** What the file holds; null when it is garbled. */
  read(): Map<string, number> | null {
    return readOffsetCheckpoint(this.#files, this.path);
  }

  /** Writes the contents as they are now or a moment later; `done` follows. */
  write(done: FlushCompletion): void {
    this.#waiting.push(done);
    if (!this.#writing) this.#writeNext();
  }

  #writeNext(): void {
    const waiting = this.#waiting.splice(0);
    const bytes = encodeOffsetCheckpoint(this.#contents());
    const text = new TextDecoder().decode(bytes);
    if (text === this.#written) return settle(waiting, null);
    this.#writing = true;
    return this.#files.replaceFileInBackground(this.path, bytes, (error) => {
      this.#writing = false;
      if (error === null) this.#written = text;
      settle(waiting, error === null ? null : asLogFailure(error));
      if (this.#waiting.length > 0 && !this.#writing) this.#writeNext();
    });
  }
}

function settle(waiting: readonly FlushCompletion[], error: LogError | null): void {
  for (const done of waiting) done(error);
}
