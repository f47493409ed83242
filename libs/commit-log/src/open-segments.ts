import type { LogSegment } from './log-segment.ts';

/**
 * Bounds how many sealed segments keep file and indexes open, and what their indexes take of memory: the ones that
 * were not used for longest are let go of. Active segments stand outside of it.
 */
export class OpenSegments {
  readonly #countLimit: number;
  readonly #indexBytesLimit: number;
  /** In order of use. */
  readonly #open = new Map<LogSegment, number>();
  #indexBytes = 0;

  constructor(countLimit: number, indexBytesLimit: number) {
    this.#countLimit = countLimit;
    this.#indexBytesLimit = indexBytesLimit;
  }

  get count(): number {
    return this.#open.size;
  }

  /** To be called when a sealed segment has been used. */
  touch(segment: LogSegment): void {
    this.remove(segment);
    const bytes = segment.memoryBytes;
    this.#open.set(segment, bytes);
    this.#indexBytes += bytes;
    if (this.#open.size > this.#countLimit || this.#indexBytes > this.#indexBytesLimit) this.#shrink(segment);
  }

  remove(segment: LogSegment): void {
    const bytes = this.#open.get(segment);
    if (bytes === undefined) return;
    this.#open.delete(segment);
    this.#indexBytes -= bytes;
  }

  #shrink(inUse: LogSegment): void {
    for (const segment of this.#open.keys()) {
      if (this.#open.size <= this.#countLimit && this.#indexBytes <= this.#indexBytesLimit) return;
      if (segment !== inUse && segment.release()) this.remove(segment);
    }
  }
}
