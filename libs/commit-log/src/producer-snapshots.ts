import { type FileSystem, FileSystemError } from '@seatlog/runtime';
import { walkInSlices } from './batch-walk.ts';
import type { LogSegment } from './log-segment.ts';
import { decodeProducerSnapshot, encodeProducerSnapshot } from './producer-snapshot.ts';
import type { ProducerStateEntry } from './producer-state-entry.ts';
import type { ProducerStateManager } from './producer-state-manager.ts';
import { parseSegmentFileName, segmentFilePath } from './segment-files.ts';
import { atOnce, type SlicedWork } from './sliced-work.ts';

/**
 * The snapshot files of a partition, `<offset>.snapshot`: the producers as they stood at that end of the log. Taken
 * whenever a segment is closed and at a clean stop; one that is damaged counts as missing.
 */
export class ProducerSnapshots {
  readonly #files: FileSystem;
  readonly #directory: string;

  constructor(files: FileSystem, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  take(offset: number, producers: ProducerStateManager): void {
    const bytes = encodeProducerSnapshot(producers.entries);
    const file = this.#files.open(segmentFilePath(this.#directory, offset, 'snapshot'), 'create');
    try {
      file.writeNow([bytes], 0);
      file.truncate(bytes.length);
    } finally {
      file.close();
    }
  }

  /** Sets the producers to what the log says up to its end: from the latest sound snapshot on, or from its beginning. */
  rebuild(producers: ProducerStateManager, segments: readonly LogSegment[], end: number): void {
    atOnce(this.rebuildInSlices(producers, segments, end));
  }

  *rebuildInSlices(
    producers: ProducerStateManager,
    segments: readonly LogSegment[],
    end: number,
  ): SlicedWork<void> {
    const start = segments[0]?.baseOffset ?? end;
    this.removeAbove(end);
    this.#restore(producers, start, end);
    for (const segment of segments) {
      if (segment.nextOffset > producers.mapEndOffset) yield* replaySegment(segment, producers);
    }
    producers.advanceTo(end);
  }

  /**
   * A snapshot beyond the end of the log tells of batches that are gone. That it is gone as well is synced: else a power
   * cut might bring it back beside a log that has grown past it again, with other batches.
   */
  removeAbove(offset: number): void {
    const beyond = this.#offsets().filter((snapshotOffset) => snapshotOffset > offset);
    for (const snapshotOffset of beyond) {
      this.#files.unlink(segmentFilePath(this.#directory, snapshotOffset, 'snapshot'));
    }
    if (beyond.length > 0) this.#files.syncDirectory(this.#directory);
  }

  /** Keeps those that stand at the beginning of a segment, and the latest. */
  removeStray(segments: readonly LogSegment[]): void {
    const bases = new Set(segments.map((segment) => segment.baseOffset));
    for (const snapshotOffset of this.#offsets().slice(0, -1)) {
      if (bases.has(snapshotOffset)) continue;
      this.#files.unlink(segmentFilePath(this.#directory, snapshotOffset, 'snapshot'));
    }
  }

  #restore(producers: ProducerStateManager, start: number, end: number): void {
    for (const offset of this.#offsets().toReversed()) {
      if (offset > end || offset < start) continue;
      const entries = this.#load(offset);
      if (entries !== null) return producers.reset(offset, entries);
    }
    return producers.reset(start, new Map());
  }

  #load(offset: number): Map<number, ProducerStateEntry> | null {
    try {
      return decodeProducerSnapshot(
        this.#files.readFile(segmentFilePath(this.#directory, offset, 'snapshot')),
      );
    } catch (error) {
      if (error instanceof FileSystemError && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  #offsets(): number[] {
    return this.#files
      .readDirectory(this.#directory)
      .map((entry) => parseSegmentFileName(entry.name))
      .filter((name) => name?.kind === 'snapshot')
      .map((name) => name?.baseOffset ?? 0)
      .sort((left, right) => left - right);
  }
}

function* replaySegment(segment: LogSegment, producers: ProducerStateManager): SlicedWork<void> {
  const from =
    producers.mapEndOffset <= segment.baseOffset ? 0 : segment.indexes.positionFor(producers.mapEndOffset);
  yield* walkInSlices(
    segment.file,
    { from, to: segment.sizeBytes, expectedOffset: segment.baseOffset, depth: 'headers' },
    (bytes, position, lastOffset, _filePosition, headers) => {
      producers.replay(bytes, position, headers, lastOffset);
      return true;
    },
  );
}
