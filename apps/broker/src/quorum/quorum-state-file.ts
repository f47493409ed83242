/**
 * Kafka's `quorum-state` file: what a voter must remember of elections. Written aside, synced, renamed over the old one,
 * and the directory synced, before `write` returns: what it says may be acted upon from then on.
 */
import {
  parseQuorumState,
  QUORUM_STATE_FILE,
  type QuorumState,
  quorumStateText,
} from '@seatlog/metadata-quorum';
import type { FileSystem } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';

export class QuorumStateFile {
  readonly #path: string;
  readonly #files: FileSystem;
  readonly #log: Logger;
  readonly #voters: readonly number[];

  constructor(directory: string, voters: readonly number[], files: FileSystem, log: Logger) {
    this.#path = `${directory}/${QUORUM_STATE_FILE}`;
    this.#voters = voters;
    this.#files = files;
    this.#log = log;
  }

  /** Null if there is none that can be read: the epochs of the log are then gone by. */
  read(): QuorumState | null {
    if (this.#files.stat(this.#path) === null) return null;
    const state = parseQuorumState(Buffer.from(this.#files.readFile(this.#path)).toString('utf8'));
    if (state === null) {
      this.#log.warn('The quorum state cannot be read; the epochs of the log are gone by', {
        path: this.#path,
      });
    }
    return state;
  }

  /** Throws `FileSystemError`. */
  write(state: QuorumState): void {
    this.#files.replaceFile(this.#path, Buffer.from(quorumStateText(state, this.#voters)));
  }
}
