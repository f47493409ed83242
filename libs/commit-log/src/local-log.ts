import { batchBaseOffset } from '@seatlog/kafka-protocol';
import { FileSystemError } from '@seatlog/runtime';
import { walkBatches } from './batch-walk.ts';
import type { LogConfig } from './log-config.ts';
import type { LogEnvironment } from './log-environment.ts';
import { type BatchesAhead, type FittedBatch, LogSegment } from './log-segment.ts';
import type { SegmentDescription } from './partition-log.ts';
import { partitionName } from './partition-name.ts';
import { SegmentList } from './segment-list.ts';

export interface LogIdentity {
  readonly topic: string;
  readonly partition: number;
  readonly topicId: string | null;
  /** The partition's directory. */
  readonly directory: string;
}

/** The segments of a partition on disk: begun, sealed, cut, taken away. Nothing here waits for a completion. */
export class LocalLog {
  readonly identity: LogIdentity;
  readonly segments: SegmentList;
  readonly #environment: LogEnvironment;

  constructor(
    identity: LogIdentity,
    environment: LogEnvironment,
    segments: readonly [LogSegment, ...LogSegment[]],
  ) {
    this.identity = identity;
    this.#environment = environment;
    this.segments = new SegmentList(segments);
  }

  /** The offset after all that is written. */
  get endOffset(): number {
    return this.segments.active.nextOffset;
  }

  /** Whether the batch may go into the active segment, behind those that are on their way. */
  takes(batch: FittedBatch, config: LogConfig, ahead: BatchesAhead | null): boolean {
    return this.segments.active.takes(batch, config, this.#environment.clock, ahead);
  }

  /** Closes the active segment and begins one at the end of the log. Throws when there is no room for it. */
  roll(): LogSegment {
    const sealed = this.segments.active;
    this.saveDerived('An index', () => sealed.seal());
    const segment = this.#begin(sealed.nextOffset);
    this.segments.push(segment);
    this.#environment.openSegments.touch(sealed);
    return segment;
  }

  /** What is derived from the log can be built again: that it cannot be saved stops nothing. */
  saveDerived(what: string, save: () => void): void {
    try {
      save();
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      this.report('warn', `${what} is not saved and will be built again at the next start: ${error.message}`);
    }
  }

  /** Where the log ends if it is cut at the offset, a batch that holds it included. */
  endAfterCut(offset: number): number {
    const segment = this.segments.all[this.segments.indexOf(offset)] ?? this.segments.first;
    return offset >= this.endOffset ? this.endOffset : findCut(segment, offset).nextOffset;
  }

  /** Cuts the log at the offset, a batch that holds it included, synced on return. Gives the segments that are gone. */
  truncateTo(offset: number): LogSegment[] {
    const removed = this.segments.removeFrom(Math.max(offset, this.segments.first.baseOffset) + 1);
    // The latest first: whenever that is interrupted, what is left is a log without a gap.
    for (const segment of removed.toReversed()) this.#setAside(segment, 0);
    const active = this.segments.active;
    this.#environment.openSegments.remove(active);
    const cut = findCut(active, offset);
    active.truncate(cut.position, cut.nextOffset);
    this.#environment.files.syncDirectory(this.identity.directory);
    return removed;
  }

  /** Replaces everything by an empty segment at the offset. */
  startAnewAt(offset: number): LogSegment[] {
    const removed = this.segments.removeFirst(this.segments.all.length);
    for (const segment of removed.toReversed()) this.#setAside(segment, 0);
    this.segments.push(this.#begin(offset));
    this.#environment.files.syncDirectory(this.identity.directory);
    return removed;
  }

  /** Takes the oldest segments off the log; their files go later. */
  removeOldest(count: number, deleteDelayMs: number): LogSegment[] {
    const removed = this.segments.removeFirst(count);
    for (const segment of removed) {
      try {
        this.#setAside(segment, deleteDelayMs);
      } catch (error) {
        if (!(error instanceof FileSystemError)) throw error;
        this.report(
          'warn',
          `${segment.path} could not be removed; the next start will try again: ${error.message}`,
        );
      }
    }
    return removed;
  }

  describe(): SegmentDescription[] {
    return this.segments.all.map((segment) => ({
      baseOffset: segment.baseOffset,
      nextOffset: segment.nextOffset,
      sizeBytes: segment.sizeBytes,
      maxTimestamp: segment.maxTimestamp,
      active: this.segments.isActive(segment),
      synced: !segment.dirty,
    }));
  }

  /** Lets go of all files. */
  closeFiles(): void {
    for (const segment of this.segments.all) {
      this.#environment.openSegments.remove(segment);
      segment.retire();
    }
  }

  report(level: 'info' | 'warn' | 'error', message: string): void {
    const { topic, partition } = this.identity;
    this.#environment.listener.report?.({ level, message, partition: partitionName(topic, partition) });
  }

  #begin(baseOffset: number): LogSegment {
    const { files, clock } = this.#environment;
    return LogSegment.create(files, this.identity.directory, baseOffset, clock.now());
  }

  #setAside(segment: LogSegment, delayMs: number): void {
    this.#environment.openSegments.remove(segment);
    segment.dirty = false;
    segment.retire();
    this.#environment.removal.remove(this.identity.directory, segment.baseOffset, delayMs);
  }
}

/** Where the batch begins that holds the offset, or the first behind it. */
function findCut(segment: LogSegment, offset: number): { position: number; nextOffset: number } {
  let nextOffset = segment.nextOffset;
  const { position } = walkBatches(
    segment.file,
    {
      from: segment.indexes.positionFor(offset),
      to: segment.sizeBytes,
      expectedOffset: segment.baseOffset,
      depth: 'headers',
    },
    (bytes, at, lastOffset) => {
      if (lastOffset < offset) return true;
      nextOffset = Math.min(offset, batchBaseOffset(bytes, at));
      return false;
    },
  );
  return { position, nextOffset };
}
