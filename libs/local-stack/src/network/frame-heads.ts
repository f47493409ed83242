/**
 * Watches a byte stream of Kafka frames go by and tells the beginning of each: the first bytes after its size. Nothing is
 * kept but those. Pure. Expects a stream that began at a frame; bytes that are no frames give heads without meaning.
 */
const SIZE_BYTES = 4;

export class FrameHeads {
  readonly #headBytes: number;
  readonly #onHead: (head: Uint8Array) => void;
  readonly #size = new Uint8Array(SIZE_BYTES);
  #sizeFilled = 0;
  #left = 0;
  #head: number[] = [];
  #isTold = true;

  /** A frame that is shorter than `headBytes` is told whole. */
  constructor(headBytes: number, onHead: (head: Uint8Array) => void) {
    this.#headBytes = headBytes;
    this.#onHead = onHead;
  }

  push(chunk: Uint8Array): void {
    let position = 0;
    while (position < chunk.length) {
      if (this.#left === 0) position = this.#takeSize(chunk, position);
      else position = this.#takeBody(chunk, position);
    }
  }

  #takeSize(chunk: Uint8Array, position: number): number {
    this.#size[this.#sizeFilled] = chunk[position] ?? 0;
    this.#sizeFilled += 1;
    if (this.#sizeFilled === SIZE_BYTES) {
      this.#left = Math.max(0, new DataView(this.#size.buffer).getInt32(0));
      this.#sizeFilled = 0;
      this.#head = [];
      this.#isTold = false;
    }
    return position + 1;
  }

  #takeBody(chunk: Uint8Array, position: number): number {
    const take = Math.min(this.#left, chunk.length - position);
    if (!this.#isTold) {
      const wanted = Math.min(take, this.#headBytes - this.#head.length);
      this.#head.push(...chunk.subarray(position, position + wanted));
    }
    this.#left -= take;
    if (!this.#isTold && (this.#head.length === this.#headBytes || this.#left === 0)) {
      this.#isTold = true;
      this.#onHead(Uint8Array.from(this.#head));
    }
    return position + take;
  }
}

export interface RequestHead {
  readonly apiKey: number;
  readonly correlationId: number;
  readonly clientId: string;
}

/** Key, version, correlation id, length of the client id. */
const FIXED_BYTES = 10;
const MOST_CLIENT_ID_BYTES = 256;
export const REQUEST_HEAD_BYTES = FIXED_BYTES + MOST_CLIENT_ID_BYTES;
export const RESPONSE_HEAD_BYTES = 4;

export function requestHead(head: Uint8Array): RequestHead {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.length < FIXED_BYTES) return { apiKey: -1, correlationId: -1, clientId: '' };
  const length = Math.max(0, view.getInt16(8));
  const clientId = new TextDecoder().decode(head.subarray(FIXED_BYTES, FIXED_BYTES + length));
  return { apiKey: view.getInt16(0), correlationId: view.getInt32(4), clientId };
}

export function responseCorrelationId(head: Uint8Array): number {
  return head.length < RESPONSE_HEAD_BYTES
    ? -1
    : new DataView(head.buffer, head.byteOffset, head.byteLength).getInt32(0);
}
