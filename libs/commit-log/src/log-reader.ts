import {
  BatchHeaders,
  batchLastOffset,
  batchSizeInBytes,
  RECORD_BATCH_OVERHEAD,
} from '@seatlog/kafka-protocol';
import { type BatchDamage, hasValidChecksum, headerDamage } from './batch-walk.ts';
import { LogError } from './log-error.ts';
import type { LogSegment } from './log-segment.ts';
import type { OpenSegments } from './open-segments.ts';
import type { LogRead } from './partition-log.ts';
import type { ReadBuffers } from './read-buffers.ts';
import type { SegmentList } from './segment-list.ts';
import type { TailBlock } from './tail-block.ts';
import type { PartitionTail } from './tail-cache.ts';

/** Read ahead of the batch that is looked for: the index leads to a place up to an interval before it. */
const SEARCH_BYTES = 8 * 1024;

/** One read from a file, a single larger batch aside; more is gathered in several. */
const LARGEST_PIECE_BYTES = 4 * 1024 * 1024;

export interface ReadRange {
  readonly offset: number;
  /** Read no batch that reaches this offset. */
  readonly bound: number;
  readonly maxBytes: number;
  readonly minOneBatch: boolean;
}

interface Limits {
  readonly bound: number;
  readonly maxBytes: number;
  /** The first batch is given whatever its size. */
  readonly force: boolean;
}

/** A stretch of a segment in a pooled buffer. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly nextOffset: number;
  readonly buffer: Uint8Array;
}

/** Gives whole batches from memory where they are there, else from files, over segment borders. */
export class LogReader {
  readonly #segments: SegmentList;
  readonly #tail: PartitionTail;
  readonly #open: OpenSegments;
  readonly #buffers: ReadBuffers;

  constructor(segments: SegmentList, tail: PartitionTail, open: OpenSegments, buffers: ReadBuffers) {
    this.#segments = segments;
    this.#tail = tail;
    this.#open = open;
    this.#buffers = buffers;
  }

  read(range: ReadRange): LogRead {
    const gathered = new GatheredRead(range.offset, this.#buffers);
    while (gathered.nextOffset < range.bound) {
      const force = range.minOneBatch && gathered.sizeBytes === 0;
      const limits = { bound: range.bound, maxBytes: range.maxBytes - gathered.sizeBytes, force };
      if (limits.maxBytes <= 0 && !force) break;
      const block = this.#tail.find(gathered.nextOffset);
      const added =
        block === null ? this.#addFromFile(gathered, limits) : addFromMemory(gathered, block, limits);
      if (!added) break;
    }
    return gathered;
  }

  #addFromFile(gathered: GatheredRead, limits: Limits): boolean {
    const segment = this.#segmentWith(gathered.nextOffset);
    if (segment === null) return false;
    let piece: Piece | null;
    try {
      piece = this.#readSegment(segment, gathered.nextOffset, limits);
    } catch (error) {
      // What is good before the damage is given; the next read begins at the damage and tells of it.
      if (error instanceof LogError && gathered.sizeBytes > 0) return false;
      throw error;
    }
    if (!this.#segments.isActive(segment)) this.#open.touch(segment);
    if (piece === null) return false;
    gathered.add(piece);
    return true;
  }

  #segmentWith(offset: number): LogSegment | null {
    const all = this.#segments.all;
    let place = this.#segments.indexOf(offset);
    while ((all[place]?.nextOffset ?? Number.POSITIVE_INFINITY) <= offset) place += 1;
    return all[place] ?? null;
  }

  #readSegment(segment: LogSegment, offset: number, limits: Limits): Piece | null {
    const from = segment.indexes.positionFor(offset);
    const view = new SegmentView(segment, this.#buffers);
    try {
      const wanted = Math.min(LARGEST_PIECE_BYTES, Math.max(limits.maxBytes, RECORD_BATCH_OVERHEAD));
      view.load(from, wanted + SEARCH_BYTES);
      const start = findBatch(view, from, offset);
      return start === null ? view.drop() : takeBatches(view, start, limits);
    } catch (error) {
      view.drop();
      throw error;
    }
  }
}

/** False when the next batch is beyond the limits. */
function addFromMemory(gathered: GatheredRead, block: TailBlock, limits: Limits): boolean {
  const start = block.positionOf(gathered.nextOffset);
  const end = block.endOf(start, limits.maxBytes, limits.bound, limits.force);
  if (end === start) return false;
  gathered.addCached(block, block.view(start, end), block.offsetAt(end));
  return true;
}

/** Walks from a batch to the one that holds the offset; null when the segment ends before it. */
function findBatch(view: SegmentView, from: number, offset: number): number | null {
  let position = from;
  while (position < view.segment.sizeBytes) {
    const at = view.headerAt(position);
    if (batchLastOffset(view.bytes, at) >= offset) return position;
    position += batchSizeInBytes(view.bytes, at);
  }
  return null;
}

/** Takes whole batches from `start` on as far as limits and buffer allow; each is checked against its CRC. */
function takeBatches(view: SegmentView, start: number, limits: Limits): Piece | null {
  const first = batchSizeInBytes(view.bytes, view.headerAt(start));
  if (first > limits.maxBytes && !limits.force) return view.drop();
  const wanted = Math.min(limits.maxBytes, LARGEST_PIECE_BYTES, view.segment.sizeBytes - start);
  view.ensure(start, Math.max(first, wanted));
  let position = start;
  let nextOffset = -1;
  while (view.holds(position, RECORD_BATCH_OVERHEAD)) {
    const damage = view.damageAt(position);
    // What is good before the damage is given; the next read begins at the damage and tells of it.
    if (damage !== null && position > start) break;
    if (damage !== null) throw view.damaged(position, damage);
    const at = view.headerAt(position);
    const size = batchSizeInBytes(view.bytes, at);
    if (batchLastOffset(view.bytes, at) >= limits.bound || !view.holds(position, size)) break;
    if (position > start && position + size - start > limits.maxBytes) break;
    nextOffset = batchLastOffset(view.bytes, at) + 1;
    position += size;
  }
  return position === start ? view.drop() : view.take(start, position, nextOffset);
}

const NO_BYTES: Uint8Array = new Uint8Array(0);
const NO_HEADERS = new BatchHeaders(NO_BYTES);

/** A window of a segment's file in a pooled buffer. */
class SegmentView {
  readonly segment: LogSegment;
  readonly #buffers: ReadBuffers;
  #buffer = NO_BYTES;
  #headers = NO_HEADERS;
  #start = 0;
  #length = 0;

  constructor(segment: LogSegment, buffers: ReadBuffers) {
    this.segment = segment;
    this.#buffers = buffers;
  }

  get bytes(): Uint8Array {
    return this.#buffer;
  }

  load(position: number, length: number): void {
    const wanted = Math.min(length, this.segment.sizeBytes - position);
    if (wanted > this.#buffer.length) {
      this.drop();
      this.#buffer = this.#buffers.take(wanted);
      this.#headers = new BatchHeaders(this.#buffer);
    }
    this.#start = position;
    this.#length = this.segment.file.read(this.#buffer, position, 0, wanted);
  }

  holds(position: number, length: number): boolean {
    return position >= this.#start && position + length <= this.#start + this.#length;
  }

  ensure(position: number, length: number): void {
    if (!this.holds(position, length)) this.load(position, length);
  }

  /** Where in `bytes` the header of the batch at the file position begins; throws when it is none. */
  headerAt(position: number): number {
    if (!this.holds(position, RECORD_BATCH_OVERHEAD)) this.load(position, this.#buffer.length);
    const at = position - this.#start;
    const available = this.holds(position, RECORD_BATCH_OVERHEAD) ? this.segment.sizeBytes - position : 0;
    const damage = headerDamage(this.#headers, at, available, this.segment.baseOffset);
    if (damage !== null) throw this.damaged(position, damage);
    return at;
  }

  /** What is wrong with the whole batch; null as well for one that the window does not hold to its end. */
  damageAt(position: number): BatchDamage | null {
    const at = position - this.#start;
    const left = this.segment.sizeBytes - position;
    const damage = headerDamage(this.#headers, at, left, this.segment.baseOffset);
    if (damage !== null || !this.holds(position, batchSizeInBytes(this.#buffer, at))) return damage;
    return hasValidChecksum(this.#buffer, at) ? null : 'checksum';
  }

  damaged(position: number, damage: BatchDamage): LogError {
    return new LogError(
      'LOG_CORRUPT',
      `${this.segment.path} at position ${position}: batch with bad ${damage}`,
    );
  }

  take(start: number, end: number, nextOffset: number): Piece {
    const bytes = this.#buffer.subarray(start - this.#start, end - this.#start);
    return { bytes, nextOffset, buffer: this.#buffer };
  }

  drop(): null {
    if (this.#buffer.length > 0) this.#buffers.give(this.#buffer);
    this.#buffer = NO_BYTES;
    this.#headers = NO_HEADERS;
    this.#length = 0;
    return null;
  }
}

class GatheredRead implements LogRead {
  readonly records: Uint8Array[] = [];
  sizeBytes = 0;
  cachedBytes = 0;
  nextOffset: number;
  readonly #pool: ReadBuffers;
  #buffers: Uint8Array[] = [];
  #blocks: TailBlock[] = [];

  constructor(offset: number, pool: ReadBuffers) {
    this.nextOffset = offset;
    this.#pool = pool;
  }

  addCached(block: TailBlock, bytes: Uint8Array, nextOffset: number): void {
    block.hold();
    this.#blocks.push(block);
    this.records.push(bytes);
    this.sizeBytes += bytes.length;
    this.cachedBytes += bytes.length;
    this.nextOffset = nextOffset;
  }

  add(piece: Piece): void {
    this.records.push(piece.bytes);
    this.sizeBytes += piece.bytes.length;
    this.nextOffset = piece.nextOffset;
    this.#buffers.push(piece.buffer);
  }

  release(): void {
    for (const buffer of this.#buffers) this.#pool.give(buffer);
    for (const block of this.#blocks) block.release();
    this.#buffers = [];
    this.#blocks = [];
  }
}
