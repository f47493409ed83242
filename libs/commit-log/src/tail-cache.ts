import { ReadBuffers } from './read-buffers.ts';
import { TailBlock } from './tail-block.ts';

/**
 * Blocks grow to this, from the smallest, as a partition proves busy. A larger batch gets one of its own size. Few
 * large ones leave the socket faster than many small ones: an answer of 1 MiB takes two or three of them.
 */
const LARGEST_BLOCK_BYTES = 512 * 1024;
/** Blocks from this size on come from memory that was used before. */
const RECYCLED_BLOCK_BYTES = 128 * 1024;
const SMALLEST_BLOCK_BYTES = 4 * 1024;
/** Memory of blocks that readers hold beyond their time in the cache, in exchange for which others may be made. */
const SPARE_BYTES = 8 * 1024 * 1024;

/**
 * Bounds what the tails of all partitions hold, together: the oldest blocks go first. Their memory is used again once
 * it is written and nobody reads it, also that of partitions that are gone: fresh memory costs more than all else that an
 * append does, for it is touched for the first time, and has V8 collect. What is in use and what waits for use
 * are within the limit together, but for a little to spare.
 */
export class TailCache {
  readonly limitBytes: number;
  readonly #memory: ReadBuffers;
  #heldBytes = 0;
  /** In order of age. */
  readonly #owners = new Map<TailBlock, PartitionTail>();

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
    this.#memory = new ReadBuffers(limitBytes + SPARE_BYTES);
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** A block with room for that much, without an owner yet. */
  make(size: number, baseOffset: number): TailBlock {
    const bytes = size < RECYCLED_BLOCK_BYTES ? new Uint8Array(size) : this.#memory.take(size);
    return new TailBlock(bytes, baseOffset);
  }

  add(block: TailBlock, owner: PartitionTail): void {
    this.#owners.set(block, owner);
    this.#heldBytes += block.heldBytes;
    for (const [oldest, itsOwner] of this.#owners) {
      if (this.#heldBytes <= this.limitBytes) break;
      this.remove(oldest);
      if (itsOwner.evict(oldest)) this.recycle(oldest);
    }
    this.#memory.keep(this.limitBytes + SPARE_BYTES - this.#heldBytes);
  }

  /** The block's memory is nobody's any more, but for those who hold it. */
  recycle(block: TailBlock): void {
    block.retire((bytes) => {
      if (this.#heldBytes + this.#memory.keptBytes + bytes.length <= this.limitBytes + SPARE_BYTES)
        this.#memory.give(bytes);
    });
  }

  remove(block: TailBlock): void {
    if (this.#owners.delete(block)) this.#heldBytes -= block.heldBytes;
  }
}

/**
 * The latest batches of a partition, in memory: whoever reads close to the end is served from here. It is also where
 * appends are put together before they are written: a batch is copied in once, and written and read from here.
 */
export class PartitionTail {
  readonly #cache: TailCache;
  readonly #writtenEnd: () => number;
  #blocks: TailBlock[] = [];
  #open: TailBlock | null = null;
  #nextBlockBytes = SMALLEST_BLOCK_BYTES;

  /** `writtenEnd`: the offset up to which the log's files hold everything. */
  constructor(cache: TailCache, writtenEnd: () => number) {
    this.#cache = cache;
    this.#writtenEnd = writtenEnd;
  }

  /** Copies a batch in and gives the block that holds it, as its last, from then on. */
  place(batch: Uint8Array, baseOffset: number, nextOffset: number): TailBlock {
    const open =
      this.#open?.fits(batch.length) === true ? this.#open : this.#beginBlock(batch.length, baseOffset);
    open.add(batch, baseOffset, nextOffset);
    return open;
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
    for (const block of this.#blocks) {
      this.#cache.remove(block);
      if (this.#isReusable(block)) this.#cache.recycle(block);
    }
    this.#blocks = [];
    this.#open = null;
  }

  /** For the cache: the block goes. True if its memory is nobody's then, but for those who hold it. */
  evict(block: TailBlock): boolean {
    if (this.#blocks[0] === block) this.#blocks.shift();
    else this.#blocks = this.#blocks.filter((kept) => kept !== block);
    if (this.#open === block) {
      this.#open = null;
      // More partitions are busy than the cache has large blocks for.
      this.#nextBlockBytes = Math.max(SMALLEST_BLOCK_BYTES, this.#nextBlockBytes >> 1);
    }
    return this.#isReusable(block);
  }

  /** What is not written is still read by the writer; an empty block is about to be filled. */
  #isReusable(block: TailBlock): boolean {
    return block.usedBytes > 0 && !block.wasCut && block.nextOffset <= this.#writtenEnd();
  }

  #beginBlock(atLeast: number, baseOffset: number): TailBlock {
    const size = Math.max(atLeast, this.#nextBlockBytes);
    this.#nextBlockBytes = Math.min(LARGEST_BLOCK_BYTES, this.#nextBlockBytes * 2);
    const block = this.#cache.make(size, baseOffset);
    this.#open = block;
    this.#blocks.push(block);
    this.#cache.add(block, this);
    // A cache smaller than one block evicts it at once; the writer still fills it.
    this.#open = block;
    return block;
  }
}
