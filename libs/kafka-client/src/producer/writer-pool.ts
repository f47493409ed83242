/** Buffers of batches that were answered, to be used again. Bounded by the bytes it keeps. Pure. */
import { RecordBatchWriter } from '@seatlog/kafka-protocol';

export class WriterPool {
  readonly #maxBatchBytes: number;
  readonly #initialBytes: number;
  readonly #maxKeptBytes: number;
  readonly #writers: { readonly writer: RecordBatchWriter; readonly capacity: number }[] = [];
  #keptBytes = 0;

  constructor(limits: {
    readonly maxBatchBytes: number;
    readonly initialBytes: number;
    readonly maxKeptBytes: number;
  }) {
    this.#maxBatchBytes = limits.maxBatchBytes;
    this.#initialBytes = limits.initialBytes;
    this.#maxKeptBytes = limits.maxKeptBytes;
  }

  take(): RecordBatchWriter {
    const kept = this.#writers.pop();
    if (kept === undefined) {
      return new RecordBatchWriter({ maxBytes: this.#maxBatchBytes, initialBytes: this.#initialBytes });
    }
    this.#keptBytes -= kept.capacity;
    return kept.writer;
  }

  /**
   * Takes a writer back whose sealed bytes nobody reads any more. `sealed` must be a view of the writer's own buffer, not
   * a compressed copy.
   */
  giveBack(writer: RecordBatchWriter, sealed: Uint8Array): void {
    const capacity = sealed.buffer.byteLength;
    if (this.#keptBytes + capacity > this.#maxKeptBytes) return;
    this.#keptBytes += capacity;
    writer.reset(new Uint8Array(sealed.buffer));
    this.#writers.push({ writer, capacity });
  }
}
