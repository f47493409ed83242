/**
 * The snapshots of the metadata log, beside its segments.
 *
 * A snapshot is written aside, synced and renamed; one that bears its name is whole unless the disk lost it. Of several
 * the latest that can be read counts: older ones, and the log up to it, are removed only once it is in place.
 */
import {
  decodeSnapshot,
  encodeSnapshot,
  type ClusterImage,
  type LoadedSnapshot,
  parseSnapshotFileName,
  SNAPSHOT_SUFFIX,
  type SnapshotId,
  snapshotFileName,
  snapshotId,
} from '@seatlog/metadata-quorum';
import type { FileSystem, FileSystemError } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';

export class SnapshotFiles {
  readonly #directory: string;
  readonly #files: FileSystem;
  readonly #log: Logger;
  #writing = false;

  constructor(directory: string, files: FileSystem, log: Logger) {
    this.#directory = directory;
    this.#files = files;
    this.#log = log;
  }

  /** True while one is being written: another must wait. */
  get writing(): boolean {
    return this.#writing;
  }

  /** The latest snapshot that can be read; null if there is none. Removes what an interrupted write left behind. */
  loadLatest(): LoadedSnapshot | null {
    for (const name of this.#names()) {
      if (name.endsWith(`${SNAPSHOT_SUFFIX}.tmp`)) this.#files.unlink(this.#path(name));
    }
    for (const id of this.#ids().reverse()) {
      const path = this.#path(snapshotFileName(id));
      try {
        return decodeSnapshot(this.#files.readFile(path), id);
      } catch (error) {
        this.#log.error('A metadata snapshot cannot be read; the one before it is tried', { path, error });
      }
    }
    return null;
  }

  /** Writes a snapshot of the image. `done` gets its id once it would survive a power cut. */
  write(
    image: ClusterImage,
    lastTimestamp: number,
    done: (error: FileSystemError | null, id: SnapshotId) => void,
  ): void {
    const id = snapshotId(image);
    this.#writing = true;
    const bytes = Buffer.concat([...encodeSnapshot(image, lastTimestamp)]);
    this.#files.replaceFileInBackground(this.#path(snapshotFileName(id)), bytes, (error) => {
      this.#writing = false;
      done(error, id);
    });
  }

  /** Removes the snapshots before this one. */
  removeBefore(id: SnapshotId): void {
    for (const older of this.#ids()) {
      if (older.endOffset >= id.endOffset) continue;
      const path = this.#path(snapshotFileName(older));
      this.#files.unlinkInBackground(path, (error) => {
        if (error !== null) this.#log.warn('An old metadata snapshot could not be removed', { path, error });
      });
    }
  }

  #ids(): SnapshotId[] {
    return this.#names()
      .map(parseSnapshotFileName)
      .filter((id) => id !== null)
      .sort((a, b) => a.endOffset - b.endOffset || a.epoch - b.epoch);
  }

  #names(): string[] {
    return this.#files
      .readDirectory(this.#directory)
      .filter((entry) => entry.kind === 'file')
      .map((entry) => entry.name);
  }

  #path(name: string): string {
    return `${this.#directory}/${name}`;
  }
}
