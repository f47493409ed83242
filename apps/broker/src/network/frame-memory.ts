/**
 * Memory for request frames, used again once a request is done with it: fresh memory costs more than the copy out
 * of the receive buffer (page faults, garbage collection). Small frames are carved out of slabs, larger ones get a
 * buffer of the next power of two; only frames above `LARGEST_POOLED_BYTES` are allocated for one use.
 *
 * `release` is called once, when nothing looks at the bytes any more. A frame that is never released is no leak: the
 * garbage collector takes its memory, which then is not used again.
 */

/** Frames up to this size are carved out of slabs. */
const SLAB_FRAME_BYTES = 65_536;
const SLAB_BYTES = 262_144;
const LARGEST_POOLED_BYTES = 4 * 1024 * 1024;

/** What is kept for the next frames, at most; the rest goes to the garbage collector. */
export const MAX_IDLE_FRAME_BYTES = 32 * 1024 * 1024;

export interface FrameLease {
  readonly bytes: Uint8Array;
  release(): void;
}

/** A frame in memory that is somebody else's: nothing is to be given back. */
export class BorrowedFrame implements FrameLease {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  release(): void {}
}

interface Slab {
  readonly bytes: Uint8Array;
  used: number;
  leases: number;
}

export class FrameMemory {
  #current: Slab = freshSlab();
  readonly #idleSlabs: Slab[] = [];
  readonly #idleBuffers = new Map<number, Uint8Array[]>();
  #idleBytes = 0;

  /** Bytes that wait for the next frames. */
  get idleBytes(): number {
    return this.#idleBytes;
  }

  lease(size: number): FrameLease {
    if (size <= SLAB_FRAME_BYTES) return this.#carve(size);
    if (size <= LARGEST_POOLED_BYTES) return this.#borrow(size);
    return { bytes: Buffer.allocUnsafeSlow(size), release: () => {} };
  }

  #carve(size: number): FrameLease {
    if (this.#current.used + size > SLAB_BYTES) this.#nextSlab();
    const slab = this.#current;
    const bytes = slab.bytes.subarray(slab.used, slab.used + size);
    slab.used += size;
    slab.leases += 1;
    return { bytes, release: () => this.#releaseSlab(slab) };
  }

  #nextSlab(): void {
    const idle = this.#idleSlabs.pop();
    if (idle !== undefined) this.#idleBytes -= SLAB_BYTES;
    this.#current = idle ?? freshSlab();
  }

  #releaseSlab(slab: Slab): void {
    slab.leases -= 1;
    if (slab.leases > 0) return;
    slab.used = 0;
    if (slab === this.#current || this.#idleBytes + SLAB_BYTES > MAX_IDLE_FRAME_BYTES) return;
    this.#idleSlabs.push(slab);
    this.#idleBytes += SLAB_BYTES;
  }

  #borrow(size: number): FrameLease {
    const capacity = 2 ** Math.ceil(Math.log2(size));
    const idle = this.#idleBuffers.get(capacity)?.pop();
    if (idle !== undefined) this.#idleBytes -= capacity;
    const buffer = idle ?? Buffer.allocUnsafeSlow(capacity);
    return { bytes: buffer.subarray(0, size), release: () => this.#return(buffer) };
  }

  #return(buffer: Uint8Array): void {
    if (this.#idleBytes + buffer.length > MAX_IDLE_FRAME_BYTES) return;
    const kept = this.#idleBuffers.get(buffer.length) ?? [];
    kept.push(buffer);
    this.#idleBuffers.set(buffer.length, kept);
    this.#idleBytes += buffer.length;
  }
}

function freshSlab(): Slab {
  return { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), used: 0, leases: 0 };
}
