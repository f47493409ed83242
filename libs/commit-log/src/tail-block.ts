import { batchBaseOffset, batchLastOffset, batchSizeInBytes } from '@seatlog/kafka-protocol';

/** A walk inside a block begins at most this far before what it looks for. */
const MARK_INTERVAL_BYTES = 4096;

/**
 * Consecutive batches in one piece of memory. Bytes are only ever added behind those that are there, so views of
 * them stay good as long as the block is in use or held.
 */
export class TailBlock {
  readonly baseOffset: number;
  nextOffset: number;
  /** Memory that the block keeps alive. */
  readonly heldBytes: number;
  readonly #bytes: Uint8Array;
  #used = 0;
  #wasCut = false;
  /** Readers whose views of the block are in use. */
  #holders = 0;
  /** Takes the memory back when nobody holds it any more; null while the block is in use. */
  #free: ((bytes: Uint8Array) => void) | null = null;
  /** Where the next mark is due. Nothing is added to a block that was cut. */
  #nextMark = 0;
  readonly #markOffsets: number[] = [];
  readonly #markPositions: number[] = [];

  constructor(bytes: Uint8Array, baseOffset: number) {
    this.#bytes = bytes;
    this.heldBytes = bytes.length;
    this.baseOffset = baseOffset;
    this.nextOffset = baseOffset;
  }

  get usedBytes(): number {
    return this.#used;
  }

  get wasCut(): boolean {
    return this.#wasCut;
  }

  fits(size: number): boolean {
    return this.#used + size <= this.#bytes.length;
  }

  /** Copies a batch behind the others. */
  add(batch: Uint8Array, baseOffset: number, nextOffset: number): void {
    const start = this.#used;
    this.#bytes.set(batch, start);
    if (start >= this.#nextMark) {
      this.#markOffsets.push(baseOffset);
      this.#markPositions.push(start);
      this.#nextMark = start + MARK_INTERVAL_BYTES;
    }
    this.#used = start + batch.length;
    this.nextOffset = nextOffset;
  }

  /** Views of the block must stay good until `release`. A hold that is never released costs the memory's next use. */
  hold(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    this.#freeIfUnheld();
  }

  /** The block is out of use: `free` gets its memory once nobody holds it. */
  retire(free: (bytes: Uint8Array) => void): void {
    this.#free = free;
    this.#freeIfUnheld();
  }

  /** Bytes from `start` on, up to `end`, as a view. */
  view(start: number, end: number): Uint8Array {
    return this.#bytes.subarray(start, end);
  }

  /** Where the batch that holds the offset begins; `usedBytes` when the offset is behind the last. */
  positionOf(offset: number): number {
    let position = this.#markBefore(offset);
    while (position < this.#used && batchLastOffset(this.#bytes, position) < offset) {
      position += batchSizeInBytes(this.#bytes, position);
    }
    return position;
  }

  /**
   * Where whole batches from `start` on end, with at most `maxBytes` and none that reaches `upperBound`. The first
   * batch is exempt from `maxBytes` when `force` is set.
   */
  endOf(start: number, maxBytes: number, upperBound: number, force: boolean): number {
    if (this.nextOffset <= upperBound && this.#used - start <= maxBytes) return this.#used;
    let position = start;
    const nearest = this.#markWithin(start, maxBytes, upperBound);
    if (nearest > position) position = nearest;
    while (position < this.#used) {
      const end = position + batchSizeInBytes(this.#bytes, position);
      if (batchLastOffset(this.#bytes, position) >= upperBound) break;
      if (end - start > maxBytes && !(force && position === start)) break;
      position = end;
    }
    return position;
  }

  /** The offset after the batches that lie before the position. */
  offsetAt(position: number): number {
    return position === this.#used ? this.nextOffset : batchBaseOffset(this.#bytes, position);
  }

  /**
   * Forgets batches that reach the offset or lie behind it; nothing is added to the block afterwards. What is forgotten
   * may still be on its way to the file: the memory is not used again.
   */
  cut(offset: number): void {
    this.#wasCut = true;
    const position = this.positionOf(offset);
    this.nextOffset = Math.min(this.nextOffset, this.offsetAt(position));
    this.#used = position;
    while ((this.#markPositions.at(-1) ?? -1) >= position && this.#markPositions.length > 0) {
      this.#markPositions.pop();
      this.#markOffsets.pop();
    }
  }

  #freeIfUnheld(): void {
    if (this.#holders > 0 || this.#free === null) return;
    const free = this.#free;
    this.#free = null;
    free(this.#bytes);
  }

  #markBefore(offset: number): number {
    const mark = lastAtMost(this.#markOffsets, offset);
    return mark < 0 ? 0 : (this.#markPositions[mark] ?? 0);
  }

  /** The last mark up to which all batches from `start` on are surely within both bounds. */
  #markWithin(start: number, maxBytes: number, upperBound: number): number {
    const bySize = lastAtMost(this.#markPositions, start + maxBytes);
    const mark = Math.min(bySize, lastAtMost(this.#markOffsets, upperBound));
    return mark < 0 ? 0 : (this.#markPositions[mark] ?? 0);
  }
}

/** The place of the last number that is at most `limit`, in numbers that rise; -1 for none. */
function lastAtMost(rising: readonly number[], limit: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
