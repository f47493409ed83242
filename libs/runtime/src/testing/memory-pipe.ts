import type { Turns } from '../turns.ts';

/** Where a pipe's bytes go. */
export interface PipeEnd {
  /** Never empty while bytes are due. */
  memory(): Uint8Array;
  received(memory: Uint8Array, length: number): void;
  /** All that was written has arrived, and no more comes. */
  ended(): void;
  /** All that was written has arrived. */
  emptied(): void;
}

interface Piece {
  readonly bytes: Uint8Array;
  arrived: (() => void) | null;
}

/** One direction of a connection: what is written in a turn arrives when it ends, unless the reader has paused. */
export class MemoryPipe {
  readonly #turns: Turns;
  readonly #end: PipeEnd;
  #pieces: Piece[] = [];
  #position = 0;
  #bytes = 0;
  #isEnding = false;
  #isDiscarded = false;
  #isScheduled = false;
  isPaused = false;

  constructor(turns: Turns, end: PipeEnd) {
    this.#turns = turns;
    this.#end = end;
  }

  /** Bytes that were written and have not arrived. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes are copied: they are the writer's again at once, as a kernel has them. */
  write(parts: readonly Uint8Array[], arrived: (() => void) | null = null): void {
    const bytes = Buffer.concat(parts);
    this.#bytes += bytes.length;
    this.#pieces.push({ bytes, arrived });
    this.#deliverLater();
  }

  resume(): void {
    this.isPaused = false;
    this.#deliverLater();
  }

  /** The writer is done. What it wrote still arrives. */
  end(): void {
    this.#isEnding = true;
    this.#deliverLater();
  }

  /** The writer is gone, and wants to hear of nothing that it wrote. */
  forgetCompletions(): void {
    for (const piece of this.#pieces) piece.arrived = null;
  }

  /** The reader is gone: nothing arrives any more. */
  discard(): void {
    this.#isDiscarded = true;
    this.#pieces = [];
    this.#bytes = 0;
  }

  #deliverLater(): void {
    if (this.#isScheduled || this.#isDiscarded) return;
    this.#isScheduled = true;
    this.#turns.defer(() => {
      this.#isScheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    if (this.#pieces.length > 0) {
      while (this.#pieces.length > 0 && !this.isPaused) this.#deliverSome(this.#pieces[0] as Piece);
      if (this.#pieces.length === 0 && !this.#isDiscarded) this.#end.emptied();
    }
    // The end is not held up by a pause: who has paused still learns that the peer is gone.
    if (this.#isEnding && !this.#isDiscarded && (this.#pieces.length === 0 || this.isPaused)) {
      this.discard();
      this.#end.ended();
    }
  }

  #deliverSome(piece: Piece): void {
    const memory = this.#end.memory();
    const length = Math.min(memory.length, piece.bytes.length - this.#position);
    memory.set(piece.bytes.subarray(this.#position, this.#position + length));
    this.#position += length;
    this.#bytes -= length;
    if (this.#position === piece.bytes.length) {
      this.#pieces.shift();
      this.#position = 0;
    }
    if (length > 0) this.#end.received(memory, length);
    if (this.#position === 0) piece.arrived?.();
  }
}
