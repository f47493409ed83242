/**
 * Frames out of a stream that is read into memory of our choice. Pure. The owner puts bytes into `target()` and calls
 * `advance`; each whole frame is handed on, without its size, in a buffer of its own that nobody writes to again.
 *
 * Small frames are read many at a time into one scratch buffer and copied out; the rest of a frame that began there is read
 * straight into its final place.
 */
import { FrameSplitter } from '@seatlog/kafka-protocol';

const SCRATCH_BYTES = 64 * 1024;

export class FrameReader {
  readonly #splitter: FrameSplitter;
  readonly #take: (frame: Uint8Array, borrowed: boolean) => void;
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #intoFrame = false;

  constructor(maxFrameBytes: number, onFrame: (frame: Uint8Array) => void) {
    this.#splitter = new FrameSplitter({ maxFrameBytes });
    this.#take = (frame, borrowed) => onFrame(borrowed ? Buffer.from(frame) : frame);
  }

  target(): Uint8Array {
    const room = this.#splitter.room();
    this.#intoFrame = room !== null;
    return room ?? this.#scratch;
  }

  /** Throws ProtocolError if a frame's size makes no sense: the stream is lost then. */
  advance(length: number): void {
    if (this.#intoFrame) this.#splitter.filled(length, this.#take);
    else this.#splitter.push(this.#scratch.subarray(0, length), this.#take);
  }
}
