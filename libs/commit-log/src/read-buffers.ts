/** Sizes are multiples of this. */
const BUFFER_STEP_BYTES = 128 * 1024;
/** Larger ones are made for one read and not kept. */
const LARGEST_BUFFER_BYTES = 5 * 1024 * 1024;

/** Buffers for reads from files, used again and again: fresh ones of a megabyte would double the cost of a read. */
export class ReadBuffers {
  readonly limitBytes: number;
  #keptBytes = 0;
  readonly #free = new Map<number, Uint8Array[]>();

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** A buffer of at least that size, with whatever it held before. */
  take(size: number): Uint8Array {
    const rounded = roundUp(size);
    const buffer = this.#free.get(rounded)?.pop();
    if (buffer === undefined) return new Uint8Array(rounded);
    this.#keptBytes -= buffer.length;
    return buffer;
  }

  /** Keeps no more than that. */
  keep(bytes: number): void {
    for (const buffers of this.#free.values()) {
      while (this.#keptBytes > bytes) {
        const buffer = buffers.pop();
        if (buffer === undefined) break;
        this.#keptBytes -= buffer.length;
      }
    }
  }

  /** Nobody looks at the buffer any more. */
  give(buffer: Uint8Array): void {
    if (buffer.length > LARGEST_BUFFER_BYTES || this.#keptBytes + buffer.length > this.limitBytes) return;
    const free = this.#free.get(buffer.length);
    if (free === undefined) this.#free.set(buffer.length, [buffer]);
    else free.push(buffer);
    this.#keptBytes += buffer.length;
  }
}

function roundUp(size: number): number {
  return size > LARGEST_BUFFER_BYTES ? size : Math.ceil(size / BUFFER_STEP_BYTES) * BUFFER_STEP_BYTES;
}
