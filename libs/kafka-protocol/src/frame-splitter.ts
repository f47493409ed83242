/**
 * Cuts a byte stream into frames: a 32-bit size, then so many bytes. Pure: chunks in, frames out.
 *
 * Promises: a negative or too large size is refused at once, before a byte is kept for it. A frame that lies whole in
 * a chunk is handed out as a view of the chunk ("borrowed": copy it if the chunk's memory is used again). A frame that
 * spans chunks gets a buffer of its own (or what `memory` gives), and a caller that can read from its socket into memory of its choice may
 * fill that buffer directly (`room`, `filled`). Memory stays in proportion to the bytes that came: above
 * EAGER_FRAME_BYTES the buffer grows as they arrive. Once an error was thrown the stream is lost.
 */
import { DEFAULT_MAX_FRAME_BYTES, EAGER_FRAME_BYTES } from './limits.ts';
import { ProtocolError } from './protocol-error.ts';

export interface FrameSplitterOptions {
  /** `socket.request.max.bytes` on a broker. */
  readonly maxFrameBytes?: number;
  /**
   * Where a frame that spans chunks is put together: at least that many bytes, which nobody else uses until the frame was
   * handed out; a frame that grows asks again and may get the same memory. Default: fresh memory for each frame.
   */
  readonly memory?: (size: number) => Uint8Array;
}

/** `borrowed`: the frame is a view of the chunk that was pushed. */
export type OnFrame = (frame: Uint8Array, borrowed: boolean) => void;

const SIZE_BYTES = 4;

export class FrameSplitter {
  readonly #maxFrameBytes: number;
  readonly #memory: (size: number) => Uint8Array;
  #sizeBytes = 0;
  #sizeBits = 0;
  #frame: Uint8Array | null = null;
  #frameSize = 0;
  #filled = 0;

  constructor(options: FrameSplitterOptions = {}) {
    this.#maxFrameBytes = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
    this.#memory = options.memory ?? ((size) => Buffer.allocUnsafeSlow(size));
  }

  /** Bytes that are kept for a frame that has begun and is not whole. 0 between frames. */
  get pendingBytes(): number {
    return this.#frame === null ? this.#sizeBytes : SIZE_BYTES + this.#filled;
  }

  /** Where the next bytes of the frame under way belong, or null between frames. Never empty. */
  room(): Uint8Array | null {
    if (this.#frame === null) return null;
    this.#makeRoom();
    return this.#frame.subarray(this.#filled);
  }

  /** `count` bytes have been read into `room()`. */
  filled(count: number, onFrame: OnFrame): void {
    this.#filled += count;
    this.#finishIfWhole(onFrame);
  }

  push(chunk: Uint8Array, onFrame: OnFrame): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#frame !== null) {
        at += this.#fill(chunk, at, onFrame);
        continue;
      }
      at += this.#readSize(chunk, at);
      if (this.#sizeBytes < SIZE_BYTES) return;
      this.#sizeBytes = 0;
      const size = this.#checkedSize();
      if (chunk.length - at >= size) {
        const frame = chunk.subarray(at, at + size);
        at += size;
        onFrame(frame, true);
      } else {
        this.#frameSize = size;
        this.#filled = 0;
        this.#frame = this.#piece(Math.min(size, EAGER_FRAME_BYTES));
      }
    }
  }

  /** Takes what is missing of the size from the chunk; tells how many bytes that were. */
  #readSize(chunk: Uint8Array, from: number): number {
    let at = from;
    while (this.#sizeBytes < SIZE_BYTES && at < chunk.length) {
      this.#sizeBits = (this.#sizeBits << 8) | (chunk[at++] as number);
      this.#sizeBytes++;
    }
    return at - from;
  }

  #checkedSize(): number {
    const size = this.#sizeBits;
    if (size < 0) {
      throw new ProtocolError('FRAME_SIZE_NEGATIVE', `frame size ${size} is negative${foreignHint(size)}`);
    }
    if (size > this.#maxFrameBytes) {
      throw new ProtocolError(
        'FRAME_TOO_LARGE',
        `frame size ${size} is above ${this.#maxFrameBytes}${foreignHint(size)}`,
      );
    }
    return size;
  }

  #fill(chunk: Uint8Array, from: number, onFrame: OnFrame): number {
    const room = this.room() as Uint8Array;
    const count = Math.min(room.length, chunk.length - from);
    room.set(chunk.subarray(from, from + count));
    this.filled(count, onFrame);
    return count;
  }

  #makeRoom(): void {
    const frame = this.#frame as Uint8Array;
    if (this.#filled < frame.length) return;
    const larger = this.#piece(Math.min(this.#frameSize, frame.length * 2));
    larger.set(frame);
    this.#frame = larger;
  }

  #piece(size: number): Uint8Array {
    const memory = this.#memory(size);
    return memory.length === size ? memory : memory.subarray(0, size);
  }

  #finishIfWhole(onFrame: OnFrame): void {
    const frame = this.#frame;
    if (frame === null || this.#filled < this.#frameSize) return;
    this.#frame = null;
    onFrame(frame, false);
  }
}

const HTTP_METHODS: ReadonlySet<string> = new Set([
  'GET ',
  'POST',
  'PUT ',
  'HEAD',
  'OPTI',
  'DELE',
  'PATC',
  'CONN',
]);
const TLS_HANDSHAKE = 0x16_03;

/** The first four bytes of another protocol make telling "sizes". */
function foreignHint(size: number): string {
  if (size >>> 16 === TLS_HANDSHAKE) return ': this looks like a TLS hello on a plain listener';
  const text = String.fromCharCode(size >>> 24, (size >>> 16) & 0xff, (size >>> 8) & 0xff, size & 0xff);
  return HTTP_METHODS.has(text) ? ': this looks like an HTTP request on a Kafka listener' : '';
}
