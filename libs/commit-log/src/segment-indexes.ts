import { type FileSystem, FileSystemError } from '@seatlog/runtime';
import { OffsetIndex } from './offset-index.ts';
import { segmentFilePath } from './segment-files.ts';
import { TimeIndex } from './time-index.ts';

/** Entries that are held back from the file, at most: a write of 64 KiB for 32 MiB of log by default. */
const UNSAVED_ENTRIES_LIMIT = 8192;

/**
 * Offset and time index of one segment, and their files. Both are derived from the log: their files may lag behind
 * or be lost, and a start builds them again.
 */
export class SegmentIndexes {
  readonly #files: FileSystem;
  readonly #directory: string;
  readonly #baseOffset: number;
  readonly offsets: OffsetIndex;
  readonly times: TimeIndex;
  #savedOffsets = 0;
  #savedTimes = 0;
  #filesTooLong = false;

  private constructor(
    files: FileSystem,
    directory: string,
    baseOffset: number,
    offsets = new OffsetIndex(),
    times = new TimeIndex(),
  ) {
    this.#files = files;
    this.#directory = directory;
    this.#baseOffset = baseOffset;
    this.offsets = offsets;
    this.times = times;
  }

  /** Empty indexes; `save` replaces whatever the files hold. */
  static empty(files: FileSystem, directory: string, baseOffset: number): SegmentIndexes {
    const indexes = new SegmentIndexes(files, directory, baseOffset);
    indexes.#filesTooLong = true;
    return indexes;
  }

  /** Null when a file is missing or is no index in itself; whether it fits the log is for the caller to check. */
  static load(files: FileSystem, directory: string, baseOffset: number): SegmentIndexes | null {
    const offsetBytes = contentsOf(files, segmentFilePath(directory, baseOffset, 'index'));
    const timeBytes = contentsOf(files, segmentFilePath(directory, baseOffset, 'timeindex'));
    const offsets = offsetBytes === null ? null : OffsetIndex.decode(offsetBytes);
    const times = timeBytes === null ? null : TimeIndex.decode(timeBytes);
    if (offsets === null || times === null) return null;
    const indexes = new SegmentIndexes(files, directory, baseOffset, offsets, times);
    indexes.#savedOffsets = offsets.entryCount;
    indexes.#savedTimes = times.entryCount;
    return indexes;
  }

  get memoryBytes(): number {
    return this.offsets.memoryBytes + this.times.memoryBytes;
  }

  get saved(): boolean {
    return (
      !this.#filesTooLong &&
      this.#savedOffsets === this.offsets.entryCount &&
      this.#savedTimes === this.times.entryCount
    );
  }

  /** Whether so many entries wait for the file that it is time to write them. */
  get saveIsDue(): boolean {
    return this.offsets.entryCount - this.#savedOffsets >= UNSAVED_ENTRIES_LIMIT;
  }

  /** Whether either file has its full size, or would have it with `entriesAhead` more. */
  isFull(segmentIndexBytes: number, entriesAhead = 0): boolean {
    return (
      this.offsets.entryCount + entriesAhead >= Math.floor(segmentIndexBytes / OffsetIndex.ENTRY_BYTES) ||
      this.times.entryCount + entriesAhead >= Math.floor(segmentIndexBytes / TimeIndex.ENTRY_BYTES)
    );
  }

  /** Where a search for the offset begins in the file. */
  positionFor(offset: number): number {
    return this.offsets.lookup(offset - this.#baseOffset);
  }

  /** Takes note of a batch that the segment was given: the first always, then one each interval. */
  note(
    position: number,
    lastOffset: number,
    intervalBytes: number,
    maxTimestamp: number,
    offsetOfMax: number,
  ): void {
    const lastPosition = this.offsets.lastPosition;
    if (lastPosition >= 0 && position - lastPosition < intervalBytes) return;
    this.offsets.append(lastOffset - this.#baseOffset, position);
    this.noteMaxTimestamp(maxTimestamp, offsetOfMax);
  }

  /** Before a segment is closed its greatest timestamp gets an entry: a later start learns it from there. */
  noteMaxTimestamp(maxTimestamp: number, offsetOfMax: number): void {
    if (offsetOfMax >= 0) this.times.maybeAppend(maxTimestamp, offsetOfMax - this.#baseOffset);
  }

  /** Forgets batches that reach the offset or lie behind it. */
  truncate(offset: number): void {
    this.offsets.truncate(offset - this.#baseOffset);
    this.times.truncate(offset - this.#baseOffset);
    this.#savedOffsets = Math.min(this.#savedOffsets, this.offsets.entryCount);
    this.#savedTimes = Math.min(this.#savedTimes, this.times.entryCount);
    this.#filesTooLong = true;
  }

  /** Brings both files up to date. */
  save(): void {
    const atOffsets = this.#filesTooLong ? 0 : this.#savedOffsets;
    const atTimes = this.#filesTooLong ? 0 : this.#savedTimes;
    this.#saveFile('index', this.offsets.encode(atOffsets), atOffsets * OffsetIndex.ENTRY_BYTES);
    this.#saveFile('timeindex', this.times.encode(atTimes), atTimes * TimeIndex.ENTRY_BYTES);
    this.#savedOffsets = this.offsets.entryCount;
    this.#savedTimes = this.times.entryCount;
    this.#filesTooLong = false;
  }

  #saveFile(kind: 'index' | 'timeindex', bytes: Uint8Array, position: number): void {
    if (bytes.length === 0 && !this.#filesTooLong) return;
    const file = this.#files.open(segmentFilePath(this.#directory, this.#baseOffset, kind), 'create');
    try {
      if (bytes.length > 0) file.writeNow([bytes], position);
      if (this.#filesTooLong) file.truncate(position + bytes.length);
    } finally {
      file.close();
    }
  }
}

function contentsOf(files: FileSystem, path: string): Uint8Array | null {
  try {
    return files.readFile(path);
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'ENOENT') return null;
    throw error;
  }
}
