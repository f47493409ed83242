import { type BatchHeaders, batchMaxTimestamp, RECORD_BATCH_OVERHEAD } from '@seatlog/kafka-protocol';
import type { FileSystem } from '@seatlog/runtime';
import { type BatchDamage, walkBatches, walkInSlices } from './batch-walk.ts';
import type { LogSegment, SegmentState } from './log-segment.ts';
import { SegmentIndexes } from './segment-indexes.ts';
import type { SlicedWork } from './sliced-work.ts';

/** A segment whose indexes fit its log. */
export interface SoundSegment extends SegmentState {
  readonly indexes: SegmentIndexes;
}

/**
 * Holds the index files against the log without reading more than the tail of it: sizes, order, that the last
 * entries name real batches, and that no more than an interval lies behind them. Null when the indexes must be
 * built again.
 */
export function checkSegment(
  files: FileSystem,
  directory: string,
  segment: LogSegment,
  indexIntervalBytes: number,
): SoundSegment | null {
  const sizeBytes = segment.file.size();
  const indexes = SegmentIndexes.load(files, directory, segment.baseOffset);
  if (indexes === null) return null;
  const { offsets, times } = indexes;
  if (sizeBytes === 0) {
    const empty = {
      sizeBytes,
      nextOffset: segment.baseOffset,
      maxTimestamp: -1,
      offsetOfMaxTimestamp: -1,
      indexes,
    };
    return offsets.entryCount === 0 && times.entryCount === 0 ? empty : null;
  }
  if (offsets.entryCount === 0 || offsets.lastPosition + RECORD_BATCH_OVERHEAD > sizeBytes) return null;
  const tail = walkTail(segment, indexes, sizeBytes, Number.POSITIVE_INFINITY);
  if (tail === null || tail.sizeBytes !== sizeBytes || tail.unindexedBytes >= indexIntervalBytes) return null;
  return { ...tail, indexes };
}

/**
 * Keeps of the segment what lies below the recovery point, going by its index files; false when they are of no use or
 * the file holds less.
 */
export function keepBelow(
  files: FileSystem,
  directory: string,
  segment: LogSegment,
  recoveryPoint: number,
): boolean {
  const indexes = SegmentIndexes.load(files, directory, segment.baseOffset);
  if (indexes === null) return false;
  indexes.truncate(recoveryPoint);
  const sizeBytes = segment.file.size();
  if (indexes.offsets.entryCount === 0 || indexes.offsets.lastPosition >= sizeBytes) return false;
  const tail = walkTail(segment, indexes, sizeBytes, recoveryPoint);
  if (tail?.nextOffset !== recoveryPoint) return false;
  segment.replaceIndexes(indexes);
  segment.restore(tail);
  return true;
}

/** What lies behind the last entries of the indexes. */
interface Tail extends SegmentState {
  /** From the last index entry's batch to the last batch. */
  readonly unindexedBytes: number;
}

/**
 * Walks from the earlier of the two indexes' last batches up to the first batch that reaches the bound; null when an
 * entry names no real batch, or the bytes are no batches.
 */
function walkTail(segment: LogSegment, indexes: SegmentIndexes, to: number, bound: number): Tail | null {
  const { offsets, times } = indexes;
  const lastIndexed = segment.baseOffset + offsets.lastOffset;
  const latest = times.entryCount === 0 ? -1 : segment.baseOffset + times.lastOffset;
  // A time index that lost its tail knows nothing of what is behind its last entry; an empty one of anything.
  const from = latest < 0 ? 0 : Math.min(offsets.lastPosition, indexes.positionFor(latest));
  let maxTimestamp = times.lastTimestamp;
  let offsetOfMaxTimestamp = latest;
  let offsetEntryIsReal = false;
  let timeEntryIsReal = latest < 0;
  let lastPosition = from;
  const end = walkBatches(
    segment.file,
    { from, to, expectedOffset: segment.baseOffset, depth: 'headers' },
    (bytes, position, lastOffset, filePosition) => {
      if (lastOffset >= bound) return false;
      const timestamp = batchMaxTimestamp(bytes, position);
      lastPosition = filePosition;
      if (filePosition === offsets.lastPosition) offsetEntryIsReal = lastOffset === lastIndexed;
      if (lastOffset === latest) timeEntryIsReal = timestamp === times.lastTimestamp;
      if (timestamp > maxTimestamp) {
        maxTimestamp = timestamp;
        offsetOfMaxTimestamp = lastOffset;
      }
      return true;
    },
  );
  if (end.damage !== null || !offsetEntryIsReal || !timeEntryIsReal) return null;
  return {
    sizeBytes: end.position,
    nextOffset: end.nextOffset,
    maxTimestamp,
    offsetOfMaxTimestamp,
    unindexedBytes: lastPosition - offsets.lastPosition,
  };
}

/** What a scan of the log itself found. */
export interface SegmentScan {
  /** Bytes of whole, sound batches from the segment's beginning. */
  readonly soundBytes: number;
  readonly nextOffset: number;
  readonly damage: BatchDamage | null;
}

type BatchReplay = (bytes: Uint8Array, position: number, headers: BatchHeaders, lastOffset: number) => void;

/** How a segment is read through. */
export interface ScanOptions {
  readonly indexIntervalBytes: number;
  /** Offsets must follow one another without a gap. */
  readonly contiguous: boolean;
  /** Gets each sound batch. */
  readonly replay: BatchReplay;
}

/** Reads the whole segment, CRCs included, and builds its indexes anew. */
export function* rebuildSegment(
  files: FileSystem,
  directory: string,
  segment: LogSegment,
  options: ScanOptions,
): SlicedWork<SegmentScan> {
  segment.replaceIndexes(SegmentIndexes.empty(files, directory, segment.baseOffset));
  segment.restore({
    sizeBytes: 0,
    nextOffset: segment.baseOffset,
    maxTimestamp: -1,
    offsetOfMaxTimestamp: -1,
  });
  return yield* scanOn(segment, options);
}

/** Reads on from where the segment is taken to end, CRCs included, and adds what it finds. */
export function* scanOn(segment: LogSegment, options: ScanOptions): SlicedWork<SegmentScan> {
  const { indexIntervalBytes, contiguous, replay } = options;
  const found = new FoundBatches(segment, indexIntervalBytes);
  const end = yield* walkInSlices(
    segment.file,
    {
      from: segment.sizeBytes,
      to: segment.file.size(),
      expectedOffset: segment.nextOffset,
      contiguous,
      depth: 'bodies',
    },
    (bytes, position, lastOffset, filePosition, headers) => {
      found.note(filePosition, lastOffset, headers.maxTimestamp(position));
      replay(bytes, position, headers, lastOffset);
      return true;
    },
  );
  segment.restore({ ...found.latest, sizeBytes: end.position, nextOffset: end.nextOffset });
  return { soundBytes: end.position, nextOffset: end.nextOffset, damage: end.damage };
}

/** What the batches of a scan come to; of small ones there are millions, so most cost two comparisons. */
class FoundBatches {
  readonly #indexes: SegmentIndexes;
  readonly #intervalBytes: number;
  /** Where the next index entry is due. */
  #dueAt: number;
  #maxTimestamp: number;
  #offsetOfMaxTimestamp: number;

  constructor(segment: LogSegment, intervalBytes: number) {
    const { lastPosition } = segment.indexes.offsets;
    this.#indexes = segment.indexes;
    this.#intervalBytes = intervalBytes;
    this.#dueAt = lastPosition < 0 ? 0 : lastPosition + intervalBytes;
    this.#maxTimestamp = segment.maxTimestamp;
    this.#offsetOfMaxTimestamp = segment.offsetOfMaxTimestamp;
  }

  get latest(): { readonly maxTimestamp: number; readonly offsetOfMaxTimestamp: number } {
    return { maxTimestamp: this.#maxTimestamp, offsetOfMaxTimestamp: this.#offsetOfMaxTimestamp };
  }

  note(filePosition: number, lastOffset: number, timestamp: number): void {
    if (timestamp > this.#maxTimestamp) {
      this.#maxTimestamp = timestamp;
      this.#offsetOfMaxTimestamp = lastOffset;
    }
    if (filePosition < this.#dueAt) return;
    this.#indexes.note(
      filePosition,
      lastOffset,
      this.#intervalBytes,
      this.#maxTimestamp,
      this.#offsetOfMaxTimestamp,
    );
    this.#dueAt = filePosition + this.#intervalBytes;
  }
}
