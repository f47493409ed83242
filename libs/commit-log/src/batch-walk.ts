import {
  batchCrc,
  BatchHeaders,
  computeBatchCrc,
  crc32c,
  ProtocolError,
  RECORD_BATCH_OVERHEAD,
} from '@seatlog/kafka-protocol';
import type { FileHandle } from '@seatlog/runtime';
import type { SlicedWork } from './sliced-work.ts';

/** What is wrong with the bytes at a position: `truncated` when they end before the batch does. */
export type BatchDamage = 'truncated' | 'length' | 'magic' | 'offset' | 'checksum';

/** The checksum is over all that follows itself. */
const CHECKED_FROM = 21;
/** The only magic that this log stores. */
const MAGIC = 2;

/**
 * What is wrong with the batch at `position`, of which `available` bytes from there on can be had; null for a batch
 * that is whole as far as its header tells. `expectedOffset` is the least base offset it may have.
 */
export function headerDamage(
  headers: BatchHeaders,
  position: number,
  available: number,
  expectedOffset: number,
): BatchDamage | null {
  const damage = frameDamage(headers, position, available);
  if (damage !== null) return damage;
  const isInOrder = baseOffsetOf(headers, position) >= expectedOffset;
  return isInOrder && headers.lastOffsetDelta(position) >= 0 ? null : 'offset';
}

/** The same but for its offsets. */
function frameDamage(headers: BatchHeaders, position: number, available: number): BatchDamage | null {
  if (available < RECORD_BATCH_OVERHEAD) return 'truncated';
  const size = headers.sizeInBytes(position);
  if (size < RECORD_BATCH_OVERHEAD) return 'length';
  if (headers.magic(position) !== MAGIC) return 'magic';
  return size > available ? 'truncated' : null;
}

export function hasValidChecksum(bytes: Uint8Array, position: number): boolean {
  return batchCrc(bytes, position) === computeBatchCrc(bytes, position);
}

function baseOffsetOf(headers: BatchHeaders, position: number): number {
  try {
    return headers.baseOffset(position);
  } catch (error) {
    // An offset beyond what a number holds was never assigned by any log of ours.
    if (error instanceof ProtocolError) return -1;
    throw error;
  }
}

/**
 * Called for each batch: where it lies in the buffer, its last offset, where it lies in the file, and the headers of the
 * buffer, to be read at the same position. Returning `false` stops the walk.
 */
export type BatchVisitor = (
  bytes: Uint8Array,
  position: number,
  lastOffset: number,
  filePosition: number,
  headers: BatchHeaders,
) => boolean | undefined;

export interface WalkOptions {
  readonly from: number;
  readonly to: number;
  /** The least base offset that the first batch may have. */
  readonly expectedOffset: number;
  /** Each batch must begin exactly where the one before it ended. */
  readonly contiguous?: boolean;
  /** `bodies` gives whole batches to the visitor and checks their CRC; `headers` skips over the records. */
  readonly depth: 'headers' | 'bodies';
}

export interface WalkEnd {
  /** Where the walk ended: `to`, or the batch that is damaged or stopped at. */
  readonly position: number;
  /** The least base offset that a further batch may have. */
  readonly nextOffset: number;
  readonly damage: BatchDamage | null;
}

const BODY_WINDOW_BYTES = 1024 * 1024;
const HEADER_WINDOW_BYTES = 64 * 1024;

/** Of a walk in slices: so much is walked before others may have their turn. */
const SLICE_BYTES = 1024 * 1024;

/** Walks the batches of a file in their order, through a window that is read piece by piece. */
export function walkBatches(file: FileHandle, options: WalkOptions, visit: BatchVisitor): WalkEnd {
  return new BatchWalk(file, options, visit).to(options.to);
}

/** The same in slices. */
export function* walkInSlices(
  file: FileHandle,
  options: WalkOptions,
  visit: BatchVisitor,
): SlicedWork<WalkEnd> {
  const walk = new BatchWalk(file, options, visit);
  for (let bound = options.from + SLICE_BYTES; bound < options.to; bound += SLICE_BYTES) {
    const end = walk.to(bound);
    if (walk.isOver) return end;
    yield null;
  }
  return walk.to(options.to);
}

class BatchWalk {
  /** The visitor stopped it, or a batch is damaged. */
  isOver = false;
  readonly #options: WalkOptions;
  readonly #visit: BatchVisitor;
  readonly #window: FileWindow;
  #position: number;
  #expected: number;

  constructor(file: FileHandle, options: WalkOptions, visit: BatchVisitor) {
    const { from, to, expectedOffset, depth } = options;
    this.#options = options;
    this.#visit = visit;
    this.#window = new FileWindow(file, to, depth === 'bodies' ? BODY_WINDOW_BYTES : HEADER_WINDOW_BYTES);
    this.#position = from;
    this.#expected = expectedOffset;
  }

  /** Goes on with all batches that begin before the bound. */
  to(bound: number): WalkEnd {
    const { to, depth, contiguous = false } = this.#options;
    const visit = this.#visit;
    const window = this.#window;
    const wholeBatches = depth === 'bodies';
    let position = this.#position;
    let expected = this.#expected;
    let damage: BatchDamage | null = null;
    while (position < bound) {
      const left = to - position;
      let at = window.at(position, Math.min(RECORD_BATCH_OVERHEAD, left));
      damage = frameDamage(window.headers, at, left);
      if (damage !== null) break;
      // Each field is read once: of small batches millions are walked.
      const size = window.headers.sizeInBytes(at);
      if (wholeBatches) at = window.at(position, size);
      const { bytes, headers } = window;
      const baseOffset = baseOffsetOf(headers, at);
      const offsetDelta = headers.lastOffsetDelta(at);
      if (offsetDelta < 0 || baseOffset < expected || (contiguous && baseOffset !== expected))
        damage = 'offset';
      else if (wholeBatches && headers.crc(at) !== crc32c(bytes, at + CHECKED_FROM, at + size))
        damage = 'checksum';
      const lastOffset = baseOffset + offsetDelta;
      if (damage !== null || visit(bytes, at, lastOffset, position, headers) === false) break;
      expected = lastOffset + 1;
      position += size;
    }
    this.isOver = position < bound;
    this.#position = position;
    this.#expected = expected;
    return { position, nextOffset: expected, damage };
  }
}

/** A stretch of the file in memory. It moves on by whole reads and grows only for a batch larger than itself. */
class FileWindow {
  bytes: Uint8Array;
  headers: BatchHeaders;
  readonly #file: FileHandle;
  readonly #end: number;
  #start = 0;
  #length = 0;

  constructor(file: FileHandle, end: number, size: number) {
    this.#file = file;
    this.#end = end;
    this.bytes = new Uint8Array(Math.min(size, Math.max(end, RECORD_BATCH_OVERHEAD)));
    this.headers = new BatchHeaders(this.bytes);
  }

  /** Makes `length` bytes from the file position on available; tells where in `bytes` they begin. */
  at(filePosition: number, length: number): number {
    if (filePosition < this.#start || filePosition + length > this.#start + this.#length)
      this.#load(filePosition, length);
    return filePosition - this.#start;
  }

  #load(filePosition: number, length: number): void {
    if (length > this.bytes.length) {
      this.bytes = new Uint8Array(length);
      this.headers = new BatchHeaders(this.bytes);
    }
    const wanted = Math.min(this.bytes.length, this.#end - filePosition);
    this.#start = filePosition;
    this.#length = this.#file.read(this.bytes, filePosition, 0, wanted);
    // The file became shorter than it was: what is missing reads as zeros, hence as damage.
    if (this.#length < length) this.bytes.fill(0, this.#length, length);
  }
}
