/**
 * Cuts the bytes of one connection into frames (a 4-byte size, then as many bytes).
 *
 * Bytes arrive in a receive buffer that all connections share, so whatever is kept is copied out of it before
 * `receive` returns; a frame that lies in it as a whole is passed on as it lies there. While a frame is incomplete, `receiveInto` names the frame's own memory, so that the rest of a
 * large frame is received where it stays. Memory grows in proportion to the bytes that arrived: a size alone
 * allocates nothing (F40, F41).
 */
import type { FrameLease, FrameMemory } from './frame-memory.ts';

const SIZE_BYTES = 4;
/** A frame gets memory for this many times the bytes that have arrived of it, until it is whole. */
const GROWTH = 16;
const SMALLEST_PARTIAL_BYTES = 1024;

/** Why a connection's bytes cannot be frames. */
export class FrameError extends Error {
  readonly code: 'FRAME_SIZE_NEGATIVE' | 'FRAME_TOO_LARGE';
  /** The first four bytes, for a hint at what the peer speaks. */
  readonly size: number;

  constructor(size: number, limit: number) {
    super(
      size < 0
        ? `a frame of ${size} bytes`
        : `a frame of ${size} bytes, above socket.request.max.bytes (${limit})`,
    );
    this.name = 'FrameError';
    this.code = size < 0 ? 'FRAME_SIZE_NEGATIVE' : 'FRAME_TOO_LARGE';
    this.size = size;
  }
}

/** Who gets the frames. */
export interface FrameSink {
  /** A frame in the shared buffer: what is kept of it is copied before the call returns. */
  passed(frame: Uint8Array): void;
  /** A frame in memory of its own. */
  arrived(frame: FrameLease): void;
}

export class FrameReader {
  readonly #memory: FrameMemory;
  readonly #maxFrameBytes: number;
  readonly #sink: FrameSink;
  #isDiscarded = false;
  /** Bytes of a size that is not yet whole. */
  #sizeBytes = 0;
  #sizeSoFar = 0;
  /** The frame that is not yet whole: its size, its memory (which may still have to grow), the bytes in it. */
  #frameSize = -1;
  #partial: FrameLease | null = null;
  #received = 0;

  constructor(memory: FrameMemory, maxFrameBytes: number, sink: FrameSink) {
    this.#memory = memory;
    this.#maxFrameBytes = maxFrameBytes;
    this.#sink = sink;
  }

  /** True while a frame or its size has begun and is not whole. */
  get isInsideFrame(): boolean {
    return this.#sizeBytes > 0 || this.#frameSize >= 0;
  }

  /** Memory that the next bytes may be received into, to be told by `received`; null: the shared buffer. */
  get receiveInto(): Uint8Array | null {
    const partial = this.#partial;
    if (partial === null || this.#received === partial.bytes.length) return null;
    return this.#received === 0 ? partial.bytes : partial.bytes.subarray(this.#received);
  }

  /** `length` bytes were received into what `receiveInto` named. */
  received(length: number): void {
    this.#received += length;
    if (this.#received === this.#frameSize) this.#finish();
  }

  /** Takes bytes from the shared buffer, until it is discarded; all that is kept of them is copied. Throws `FrameError`. */
  receive(bytes: Uint8Array, length: number): void {
    let position = 0;
    while (position < length && !this.#isDiscarded) {
      if (this.#frameSize < 0) {
        position = this.#readSize(bytes, position, length);
        if (this.#frameSize === 0) this.#beginWhole(bytes, position);
        continue;
      }
      const left = length - position;
      if (this.#partial === null && left >= this.#frameSize) {
        const size = this.#frameSize;
        this.#beginWhole(bytes, position);
        position += size;
      } else {
        position += this.#fillPartial(bytes, position, left);
      }
    }
  }

  /** Gives up the frame that is not yet whole, and whatever comes after it. */
  discard(): void {
    this.#isDiscarded = true;
    this.#partial?.release();
    this.#partial = null;
    this.#frameSize = -1;
    this.#sizeBytes = 0;
  }

  #readSize(bytes: Uint8Array, start: number, length: number): number {
    let position = start;
    while (this.#sizeBytes < SIZE_BYTES && position < length) {
      this.#sizeSoFar = (this.#sizeSoFar << 8) | (bytes[position] ?? 0);
      this.#sizeBytes += 1;
      position += 1;
    }
    if (this.#sizeBytes === SIZE_BYTES) {
      const size = this.#sizeSoFar;
      if (size < 0 || size > this.#maxFrameBytes) throw new FrameError(size, this.#maxFrameBytes);
      this.#frameSize = size;
      this.#received = 0;
      this.#sizeBytes = 0;
      this.#sizeSoFar = 0;
    }
    return position;
  }

  /** The whole frame lies in the shared buffer. */
  #beginWhole(bytes: Uint8Array, position: number): void {
    const frame = bytes.subarray(position, position + this.#frameSize);
    this.#frameSize = -1;
    this.#sink.passed(frame);
  }

  #fillPartial(bytes: Uint8Array, position: number, left: number): number {
    const taken = Math.min(left, this.#frameSize - this.#received);
    const partial = this.#room(this.#received + taken);
    partial.bytes.set(bytes.subarray(position, position + taken), this.#received);
    this.received(taken);
    return taken;
  }

  /** The partial frame's memory, with room for at least `needed` bytes. */
  #room(needed: number): FrameLease {
    const current = this.#partial;
    if (current !== null && current.bytes.length >= needed) return current;
    const size = Math.min(this.#frameSize, Math.max(SMALLEST_PARTIAL_BYTES, needed * GROWTH));
    const grown = this.#memory.lease(size);
    if (current !== null) {
      grown.bytes.set(current.bytes.subarray(0, this.#received));
      current.release();
    }
    this.#partial = grown;
    return grown;
  }

  #finish(): void {
    const frame = this.#partial;
    this.#partial = null;
    this.#frameSize = -1;
    if (frame !== null) this.#sink.arrived(frame);
  }
}
