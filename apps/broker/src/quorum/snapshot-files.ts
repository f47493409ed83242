/**
 * The snapshots of the metadata log, beside its segments.
 *
 * A snapshot is written aside, synced and renamed, whether it was made here or came from the leader piece by piece; one
 * that bears its name is whole unless the disk lost it. Of several the latest that can be read counts: older ones, and
 * the log up to it, are removed only once it is in place.
 */
import {
  type ClusterImage,
  decodeSnapshot,
  encodeSnapshot,
  type LoadedSnapshot,
  parseSnapshotFileName,
  SNAPSHOT_SUFFIX,
  type SnapshotId,
  type StoredSnapshot,
  snapshotFileName,
  snapshotId,
} from '@seatlog/metadata-quorum';
import type { FileHandle, FileSystem, FileSystemError } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';

/** Of a snapshot that is being fetched: what an interrupted fetch left is begun anew. */
const FETCHED_SUFFIX = `${SNAPSHOT_SUFFIX}.part`;

export class SnapshotFiles {
  readonly #directory: string;
  readonly #files: FileSystem;
  readonly #log: Logger;
  /** In place, the latest last. */
  #stored: readonly StoredSnapshot[] = [];
  #writing = false;
  #fetched: { readonly id: SnapshotId; readonly handle: FileHandle } | null = null;

  constructor(directory: string, files: FileSystem, log: Logger) {
    this.#directory = directory;
    this.#files = files;
    this.#log = log;
  }

  /** The latest that is in place; null if there is none. */
  get latest(): StoredSnapshot | null {
    return this.#stored.at(-1) ?? null;
  }

  /** True while one is being written: another must wait. */
  get writing(): boolean {
    return this.#writing;
  }

  /** The latest snapshot that can be read; null if there is none. Removes what an interrupted write left behind. */
  loadLatest(): LoadedSnapshot | null {
    for (const name of this.#names()) {
      if (name.endsWith(`${SNAPSHOT_SUFFIX}.tmp`) || name.endsWith(FETCHED_SUFFIX)) {
        this.#files.unlink(this.#path(name));
      }
    }
    const found = this.#names()
      .map(parseSnapshotFileName)
      .filter((id) => id !== null)
      .map((id) => ({ id, sizeInBytes: this.#files.stat(this.#path(snapshotFileName(id)))?.size ?? 0 }))
      .sort(byEnd);
    for (let latest = found.at(-1); latest !== undefined; latest = found.at(-1)) {
      const loaded = this.#load(latest.id);
      if (loaded !== null) {
        this.#stored = found;
        return loaded;
      }
      found.pop();
    }
    return null;
  }

  /** A part of a snapshot's file; null if it is not there, or not so long. */
  read(id: SnapshotId, position: number, maxBytes: number): Uint8Array | null {
    if (!this.#stored.some((known) => isSame(known.id, id))) return null;
    const handle = this.#files.open(this.#path(snapshotFileName(id)), 'read');
    try {
      const sizeBytes = handle.size();
      if (position < 0 || position > sizeBytes) return null;
      const bytes = new Uint8Array(Math.max(0, Math.min(maxBytes, sizeBytes - position)));
      const read = handle.read(bytes, position);
      return bytes.subarray(0, read);
    } finally {
      handle.close();
    }
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
      if (error === null) this.#add({ id, sizeInBytes: bytes.length });
      done(error, id);
    });
  }

  /** Begins to take in a snapshot that comes in pieces; what came of another is dropped. */
  beginFetched(id: SnapshotId): void {
    this.abandonFetched();
    const handle = this.#files.open(this.#path(`${snapshotFileName(id)}.part`), 'create');
    handle.truncate(0);
    this.#fetched = { id, handle };
  }

  writeFetched(position: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#fetched?.handle.writeNow([bytes], position);
  }

  /** All pieces are there: checks the whole, makes it last, and gives it its name. Throws if it is not whole. */
  completeFetched(): LoadedSnapshot {
    const fetched = this.#fetched;
    if (fetched === null) throw new Error('no snapshot is being fetched');
    const { id, handle } = fetched;
    try {
      handle.syncNow();
      const name = snapshotFileName(id);
      const bytes = this.#files.readFile(handle.path);
      const loaded = decodeSnapshot(bytes, id);
      this.#files.rename(handle.path, this.#path(name));
      this.#files.syncDirectory(this.#directory);
      handle.close();
      this.#fetched = null;
      this.#add({ id, sizeInBytes: bytes.length });
      return loaded;
    } catch (error) {
      this.abandonFetched();
      throw error;
    }
  }

  abandonFetched(): void {
    if (this.#fetched === null) return;
    const { handle } = this.#fetched;
    this.#fetched = null;
    handle.close();
    this.#files.unlink(handle.path);
  }

  /** Removes the snapshots before this one. */
  removeBefore(id: SnapshotId): void {
    const older = this.#stored.filter((stored) => stored.id.endOffset < id.endOffset);
    this.#stored = this.#stored.filter((stored) => stored.id.endOffset >= id.endOffset);
    for (const stored of older) {
      const path = this.#path(snapshotFileName(stored.id));
      this.#files.unlinkInBackground(path, (error) => {
        if (error !== null) this.#log.warn('An old metadata snapshot could not be removed', { path, error });
      });
    }
  }

  #load(id: SnapshotId): LoadedSnapshot | null {
    try {
      return decodeSnapshot(this.#files.readFile(this.#path(snapshotFileName(id))), id);
    } catch (error) {
      const path = this.#path(snapshotFileName(id));
      this.#log.error('A metadata snapshot cannot be read; the one before it is tried', { path, error });
      return null;
    }
  }

  #add(added: StoredSnapshot): void {
    this.#stored = [...this.#stored.filter(({ id }) => !isSame(id, added.id)), added].sort(byEnd);
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

function byEnd(a: StoredSnapshot, b: StoredSnapshot): number {
  return a.id.endOffset - b.id.endOffset || a.id.epoch - b.id.epoch;
}

function isSame(a: SnapshotId, b: SnapshotId): boolean {
  return a.endOffset === b.endOffset && a.epoch === b.epoch;
}
