import { batchMaxTimestamp } from '@seatlog/kafka-protocol';
import type { Clock, FileHandle, FileSystem } from '@seatlog/runtime';
import { walkBatches } from './batch-walk.ts';
import { DEFAULT_LOG_CONFIG, type LogConfig } from './log-config.ts';
import { segmentFilePath } from './segment-files.ts';
import { SegmentIndexes } from './segment-indexes.ts';

/** An index entry holds the offset relative to the base in a signed 32-bit number. */
const LARGEST_RELATIVE_OFFSET = 2 ** 31 - 1;

/** What of a batch decides whether it fits. */
export interface FittedBatch {
  readonly size: number;
  readonly lastOffset: number;
  readonly maxTimestamp: number;
}

/** Batches that are on their way to a segment, in front of the one that is looked at. */
export interface BatchesAhead {
  readonly bytes: number;
  readonly firstTimestamp: number;
}

/** What is known of a segment's contents without opening it. */
export interface SegmentState {
  readonly sizeBytes: number;
  /** The offset after the last batch. */
  readonly nextOffset: number;
  readonly maxTimestamp: number;
  /** Last offset of the batch with the greatest timestamp; -1 when there is none. */
  readonly offsetOfMaxTimestamp: number;
}

/**
 * One file of batches with its indexes. Knows what is in it; when to write, sync, roll or delete is decided above.
 * Files and indexes of a sealed segment are opened on demand and let go of again (`release`), if nothing holds them.
 */
export class LogSegment implements SegmentState {
  readonly baseOffset: number;
  sizeBytes = 0;
  nextOffset: number;
  maxTimestamp = -1;
  offsetOfMaxTimestamp = -1;
  /** What was written since the last sync. */
  dirty = false;

  readonly #files: FileSystem;
  readonly #directory: string;
  #file: FileHandle | null = null;
  #indexes: SegmentIndexes | null = null;
  /** Timestamp of the first batch, -1 while unknown; segments roll by it. */
  #firstTimestamp = -1;
  readonly #createdAt: number;
  /** Operations in flight on the file. */
  #holds = 0;
  #retired = false;

  constructor(files: FileSystem, directory: string, baseOffset: number, createdAt: number) {
    this.#files = files;
    this.#directory = directory;
    this.baseOffset = baseOffset;
    this.nextOffset = baseOffset;
    this.#createdAt = createdAt;
  }

  /** Begins an empty segment on disk. */
  static create(files: FileSystem, directory: string, baseOffset: number, createdAt: number): LogSegment {
    const segment = new LogSegment(files, directory, baseOffset, createdAt);
    segment.file.truncate(0);
    segment.replaceIndexes(SegmentIndexes.empty(files, directory, baseOffset));
    segment.indexes.save();
    return segment;
  }

  get path(): string {
    return segmentFilePath(this.#directory, this.baseOffset, 'log');
  }

  get file(): FileHandle {
    this.#file ??= this.#files.open(this.path, 'create');
    return this.#file;
  }

  /** The indexes, from their files when they are not in memory; unusable files are built again from the log. */
  get indexes(): SegmentIndexes {
    this.#indexes ??=
      SegmentIndexes.load(this.#files, this.#directory, this.baseOffset) ?? this.#rebuiltIndexes();
    return this.#indexes;
  }

  /** Whether file or indexes are open. */
  get isOpen(): boolean {
    return this.#file !== null || this.#indexes !== null;
  }

  get memoryBytes(): number {
    return this.#indexes?.memoryBytes ?? 0;
  }

  replaceIndexes(indexes: SegmentIndexes): void {
    this.#indexes = indexes;
  }

  restore(state: SegmentState): void {
    this.sizeBytes = state.sizeBytes;
    this.nextOffset = state.nextOffset;
    this.maxTimestamp = state.maxTimestamp;
    this.offsetOfMaxTimestamp = state.offsetOfMaxTimestamp;
  }

  /** Whether a batch may still go in, behind what is there and what is on its way; an empty segment takes any. */
  takes(batch: FittedBatch, config: LogConfig, clock: Clock, ahead: BatchesAhead | null): boolean {
    if (batch.lastOffset - this.baseOffset > LARGEST_RELATIVE_OFFSET) return false;
    const aheadBytes = ahead === null ? 0 : ahead.bytes;
    const size = this.sizeBytes + aheadBytes;
    if (size === 0) return true;
    if (size + batch.size > config.segmentBytes) return false;
    const entriesAhead = ahead === null ? 0 : 1 + Math.floor(aheadBytes / config.indexIntervalBytes);
    if (this.indexes.isFull(config.segmentIndexBytes, entriesAhead)) return false;
    const first = ahead === null || this.sizeBytes > 0 ? this.#firstTimestamp : ahead.firstTimestamp;
    const timestamp = batch.maxTimestamp;
    const age = first >= 0 && timestamp >= 0 ? timestamp - first : clock.now() - this.#createdAt;
    return age <= config.segmentMs;
  }

  /** Takes note of a batch that was written at the end of the file. */
  noteAppended(size: number, lastOffset: number, maxTimestamp: number, indexIntervalBytes: number): void {
    this.#noteTimestamp(maxTimestamp, lastOffset);
    if (this.sizeBytes === 0) this.#firstTimestamp = maxTimestamp;
    this.indexes.note(
      this.sizeBytes,
      lastOffset,
      indexIntervalBytes,
      this.maxTimestamp,
      this.offsetOfMaxTimestamp,
    );
    this.sizeBytes += size;
    this.nextOffset = lastOffset + 1;
  }

  /** Age for retention: the greatest timestamp, or the time of the last write for batches without any. */
  latestTimestamp(): number {
    if (this.maxTimestamp >= 0) return this.maxTimestamp;
    return this.#files.stat(this.path)?.modifiedAt ?? this.#createdAt;
  }

  /** Leaves the indexes complete, as they are for a segment that takes no more batches. */
  seal(): void {
    this.indexes.noteMaxTimestamp(this.maxTimestamp, this.offsetOfMaxTimestamp);
    this.indexes.save();
  }

  /** Cuts the file at a position where a batch begins; `nextOffset` is the end of what is left. Synced on return. */
  truncate(position: number, nextOffset: number): void {
    this.file.truncate(position);
    this.file.syncNow();
    this.indexes.truncate(nextOffset);
    this.sizeBytes = position;
    this.nextOffset = nextOffset;
    if (position === 0) this.#firstTimestamp = -1;
    this.#findMaxTimestamp();
    this.indexes.save();
  }

  /** Keeps the file open until `unhold`. */
  hold(): void {
    this.#holds += 1;
  }

  unhold(): void {
    this.#holds -= 1;
    if (this.#retired && this.#holds === 0) this.#closeFile();
  }

  /** Lets go of file and indexes if it can: nothing in flight, nothing unsynced, indexes saved. */
  release(): boolean {
    if (this.#holds > 0 || this.dirty || this.#indexes?.saved === false) return false;
    this.#closeFile();
    this.#indexes = null;
    return true;
  }

  /** Closes for good, once nothing is in flight. */
  retire(): void {
    this.#retired = true;
    this.#indexes = null;
    if (this.#holds === 0) this.#closeFile();
  }

  /** From the last entry of the time index on, which knows of all that lies before it. */
  #findMaxTimestamp(): void {
    const { times } = this.indexes;
    this.maxTimestamp = times.lastTimestamp;
    this.offsetOfMaxTimestamp = times.entryCount === 0 ? -1 : this.baseOffset + times.lastOffset;
    const from = times.entryCount === 0 ? 0 : this.indexes.positionFor(this.offsetOfMaxTimestamp);
    walkBatches(
      this.file,
      { from, to: this.sizeBytes, expectedOffset: this.baseOffset, depth: 'headers' },
      (bytes, position, lastOffset) => {
        this.#noteTimestamp(batchMaxTimestamp(bytes, position), lastOffset);
        return true;
      },
    );
  }

  #noteTimestamp(timestamp: number, lastOffset: number): void {
    if (timestamp <= this.maxTimestamp) return;
    this.maxTimestamp = timestamp;
    this.offsetOfMaxTimestamp = lastOffset;
  }

  /** For a segment that is reopened. */
  set firstTimestamp(timestamp: number) {
    this.#firstTimestamp = timestamp;
  }

  /** The start found the files sound; they were damaged since. */
  #rebuiltIndexes(): SegmentIndexes {
    const indexes = SegmentIndexes.empty(this.#files, this.#directory, this.baseOffset);
    let maxTimestamp = -1;
    let offsetOfMax = -1;
    walkBatches(
      this.file,
      { from: 0, to: this.sizeBytes, expectedOffset: this.baseOffset, depth: 'headers' },
      (bytes, position, lastOffset, filePosition) => {
        if (batchMaxTimestamp(bytes, position) > maxTimestamp) {
          maxTimestamp = batchMaxTimestamp(bytes, position);
          offsetOfMax = lastOffset;
        }
        indexes.note(
          filePosition,
          lastOffset,
          DEFAULT_LOG_CONFIG.indexIntervalBytes,
          maxTimestamp,
          offsetOfMax,
        );
        return true;
      },
    );
    indexes.noteMaxTimestamp(maxTimestamp, offsetOfMax);
    indexes.save();
    return indexes;
  }

  #closeFile(): void {
    this.#file?.close();
    this.#file = null;
  }
}
