/** Records of a batch as objects that make views of key, value and headers when they are asked for. */
import { decodeHeaders, RecordCursor, type RecordHeader } from './record-cursor.ts';

export class RecordView {
  readonly offset: number;
  readonly timestamp: number;
  readonly #bytes: Uint8Array;
  readonly #keyStart: number;
  readonly #keyLength: number;
  readonly #valueStart: number;
  readonly #valueLength: number;
  readonly #headersStart: number;
  readonly #end: number;

  constructor(cursor: RecordCursor) {
    this.offset = cursor.offset;
    this.timestamp = cursor.timestamp;
    this.#bytes = cursor.bytes;
    this.#keyStart = cursor.keyStart;
    this.#keyLength = cursor.keyLength;
    this.#valueStart = cursor.valueStart;
    this.#valueLength = cursor.valueLength;
    this.#headersStart = cursor.headersStart;
    this.#end = cursor.recordEnd;
  }

  /** A view made anew each time it is read. */
  get key(): Uint8Array | null {
    if (this.#keyLength < 0) return null;
    return this.#bytes.subarray(this.#keyStart, this.#keyStart + this.#keyLength);
  }

  /** A view made anew each time it is read. */
  get value(): Uint8Array | null {
    if (this.#valueLength < 0) return null;
    return this.#bytes.subarray(this.#valueStart, this.#valueStart + this.#valueLength);
  }

  /** Decoded anew each time they are read. */
  get headers(): readonly RecordHeader[] {
    return decodeHeaders(this.#bytes, this.#headersStart, this.#end);
  }
}

/** All records of the batch that begins at `position`. Control batches too: whether to show them is the caller's matter. */
export function decodeRecords(batch: Uint8Array, position = 0, maxDecompressedBytes?: number): RecordView[] {
  const cursor = new RecordCursor(batch, position, maxDecompressedBytes);
  const records: RecordView[] = [];
  while (cursor.next()) records.push(new RecordView(cursor));
  return records;
}

/** Calls `visit` for each record with the one cursor, which moves on afterwards. */
export function visitRecords(
  batch: Uint8Array,
  visit: (cursor: RecordCursor) => void,
  position = 0,
  maxDecompressedBytes?: number,
): void {
  const cursor = new RecordCursor(batch, position, maxDecompressedBytes);
  while (cursor.next()) visit(cursor);
}
