import {
  batchBaseOffset,
  batchLastOffset,
  batchMaxTimestamp,
  batchPartitionLeaderEpoch,
  batchSizeInBytes,
} from '@seatlog/kafka-protocol';
import { walkBatches } from './batch-walk.ts';
import { LogError } from './log-error.ts';
import type { LogSegment } from './log-segment.ts';
import type { OpenSegments } from './open-segments.ts';
import type { BatchFound } from './partition-log.ts';
import type { SegmentList } from './segment-list.ts';

/** Only batches that reach `from` and lie below `bound` are looked at. */
export interface OffsetRange {
  readonly from: number;
  readonly bound: number;
}

/** Finds batches by their greatest timestamp, with the time index for a start. */
export class TimeLookup {
  readonly #segments: SegmentList;
  readonly #open: OpenSegments;

  constructor(segments: SegmentList, open: OpenSegments) {
    this.#segments = segments;
    this.#open = open;
  }

  /** The first batch whose greatest timestamp is the one given or later. */
  first(timestamp: number, range: OffsetRange): BatchFound | null {
    for (const segment of this.#candidates(range)) {
      if (segment.maxTimestamp < timestamp) continue;
      const found = this.#searchSegment(segment, timestamp, range);
      if (found !== null) return found;
    }
    return null;
  }

  /** The first of the batches with the greatest timestamp of all. */
  latest(range: OffsetRange): BatchFound | null {
    let best: BatchFound | null = null;
    for (const segment of this.#candidates(range)) {
      if (best !== null && segment.maxTimestamp <= best.maxTimestamp) continue;
      const found = isWithin(segment, range)
        ? this.#searchSegment(segment, segment.maxTimestamp, range)
        : this.#latestOfPart(segment, range);
      if (found !== null && (best === null || found.maxTimestamp > best.maxTimestamp)) best = found;
    }
    return best;
  }

  #candidates(range: OffsetRange): LogSegment[] {
    return this.#segments.all.filter(
      (segment) =>
        segment.nextOffset > range.from && segment.baseOffset < range.bound && segment.sizeBytes > 0,
    );
  }

  #searchSegment(segment: LogSegment, timestamp: number, range: OffsetRange): BatchFound | null {
    const { times } = segment.indexes;
    const from = segment.indexes.positionFor(segment.baseOffset + times.lookup(timestamp));
    let position = -1;
    this.#walk(segment, from, range, (candidate, candidatePosition) => {
      if (candidate.maxTimestamp >= timestamp) position = candidatePosition;
      return position < 0;
    });
    return position < 0 ? null : readBatch(segment, position);
  }

  #latestOfPart(segment: LogSegment, range: OffsetRange): BatchFound | null {
    let position = -1;
    let latest = Number.NEGATIVE_INFINITY;
    this.#walk(segment, 0, range, (candidate, candidatePosition) => {
      if (candidate.maxTimestamp > latest) {
        latest = candidate.maxTimestamp;
        position = candidatePosition;
      }
      return true;
    });
    return position < 0 ? null : readBatch(segment, position);
  }

  #walk(
    segment: LogSegment,
    from: number,
    range: OffsetRange,
    visit: (batch: { maxTimestamp: number }, position: number) => boolean,
  ): void {
    const end = walkBatches(
      segment.file,
      { from, to: segment.sizeBytes, expectedOffset: segment.baseOffset, depth: 'headers' },
      (bytes, at, lastOffset, position) => {
        if (lastOffset >= range.bound) return false;
        return lastOffset < range.from || visit({ maxTimestamp: batchMaxTimestamp(bytes, at) }, position);
      },
    );
    if (!this.#segments.isActive(segment)) this.#open.touch(segment);
    if (end.damage !== null) throw damaged(segment, end.position, end.damage);
  }
}

function isWithin(segment: LogSegment, range: OffsetRange): boolean {
  return segment.baseOffset >= range.from && segment.nextOffset <= range.bound;
}

/** A copy of the batch at the position, checked. */
function readBatch(segment: LogSegment, position: number): BatchFound {
  let found: BatchFound | null = null;
  const { damage } = walkBatches(
    segment.file,
    { from: position, to: segment.sizeBytes, expectedOffset: segment.baseOffset, depth: 'bodies' },
    (bytes, at) => {
      found = {
        batch: bytes.slice(at, at + batchSizeInBytes(bytes, at)),
        baseOffset: batchBaseOffset(bytes, at),
        lastOffset: batchLastOffset(bytes, at),
        maxTimestamp: batchMaxTimestamp(bytes, at),
        leaderEpoch: batchPartitionLeaderEpoch(bytes, at),
      };
      return false;
    },
  );
  if (found === null) throw damaged(segment, position, damage ?? 'truncated');
  return found;
}

function damaged(segment: LogSegment, position: number, damage: string): LogError {
  return new LogError('LOG_CORRUPT', `${segment.path} at position ${position}: batch with bad ${damage}`);
}
