import { TailBlock } from './tail-block.ts';

/** Batches up to this size are copied together, so that many small ones cost one write and one view. */
const COPY_LIMIT_BYTES = 8 * 1024;
/** Blocks for copies grow to this, from the smallest, as a partition proves busy. */
const LARGEST_BLOCK_BYTES = 64 * 1024;
const SMALLEST_BLOCK_BYTES = 4 * 1024;
/** A batch that keeps alive more than this much memory for each of its bytes is copied out of it. */
const LARGEST_WASTE_FACTOR = 2;

/** Bounds what the tails of all partitions hold, together: the oldest blocks go first. */
export class TailCache {
  readonly limitBytes: number;
  #heldBytes = 0;
  /** In order of age. */
  readonly #owners = new Map<TailBlock, PartitionTail>();

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  add(block: TailBlock, owner: PartitionTail): void {
    this.#owners.set(block, owner);
    this.#heldBytes += block.heldBytes;
    for (const [oldest, itsOwner] of this.#owners) {
      if (this.#heldBytes <= this.limitBytes) break;
      this.remove(oldest);
      itsOwner.evict(oldest);
    }
  }

  remove(block: TailBlock): void {
    if (this.#owners.delete(block)) this.#heldBytes -= block.heldBytes;
  }
}

/**
 * The latest batches of a partition, in memory: whoever reads close to the end is served from here. It is also where
 * small appends are put together before they are written.
 */
export class PartitionTail {
  readonly #cache: TailCache;
  #blocks: TailBlock[] = [];
  #open: TailBlock | null = null;
  #nextBlockBytes = SMALLEST_BLOCK_BYTES;

  constructor(cache: TailCache) {
    this.#cache = cache;
  }

  /** Takes a batch in and gives the bytes that stand for it from then on: the same, or a copy beside others. */
  place(batch: Uint8Array, baseOffset: number, nextOffset: number): Uint8Array {
    if (batch.length > COPY_LIMIT_BYTES) return this.#placeAlone(batch, baseOffset, nextOffset);
    if (this.#open?.fits(batch.length) !== true) this.#beginBlock(batch.length, baseOffset);
    return this.#open?.add(batch, baseOffset, nextOffset) ?? batch;
  }

  /** The block that holds the offset; null when it is not in memory. */
  find(offset: number): TailBlock | null {
    const blocks = this.#blocks;
    let low = 0;
    let high = blocks.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if ((blocks[middle]?.baseOffset ?? 0) <= offset) low = middle + 1;
      else high = middle - 1;
    }
    const block = blocks[high];
    return block !== undefined && offset < block.nextOffset ? block : null;
  }

  /** Forgets what reaches the offset or lies behind it. */
  truncate(offset: number): void {
    this.#open = null;
    for (
      let last = this.#blocks.at(-1);
      last !== undefined && last.nextOffset > offset;
      last = this.#blocks.at(-1)
    ) {
      if (last.baseOffset < offset) last.cut(offset);
      if (last.baseOffset < offset && last.usedBytes > 0) break;
      this.#blocks.pop();
      this.#cache.remove(last);
    }
  }

  clear(): void {
    for (const block of this.#blocks) this.#cache.remove(block);
    this.#blocks = [];
    this.#open = null;
  }

  /** For the cache: the block is the oldest of this partition. */
  evict(block: TailBlock): void {
    if (this.#blocks[0] === block) this.#blocks.shift();
    else this.#blocks = this.#blocks.filter((kept) => kept !== block);
    if (this.#open === block) this.#open = null;
  }

  #placeAlone(batch: Uint8Array, baseOffset: number, nextOffset: number): Uint8Array {
    this.#open = null;
    const wasteful = batch.buffer.byteLength > batch.length * LARGEST_WASTE_FACTOR;
    // A Buffer's own `slice` gives a view.
    const own = wasteful ? Uint8Array.prototype.slice.call(batch) : batch;
    const block = new TailBlock(own, own.buffer.byteLength, baseOffset);
    const placed = block.adopt(baseOffset, nextOffset);
    this.#keep(block);
    return placed;
  }

  #beginBlock(atLeast: number, baseOffset: number): void {
    const size = Math.max(atLeast, this.#nextBlockBytes);
    this.#nextBlockBytes = Math.min(LARGEST_BLOCK_BYTES, this.#nextBlockBytes * 2);
    const block = new TailBlock(new Uint8Array(size), size, baseOffset);
    this.#open = block;
    this.#keep(block);
  }

  #keep(block: TailBlock): void {
    this.#blocks.push(block);
    const open = this.#open;
    this.#cache.add(block, this);
    // A cache smaller than one block evicts it at once; the writer still fills it.
    if (this.#open === null && open === block) this.#open = block;
  }
}
