/** Encodes single records one behind the other into a buffer that grows by doubling. */
import type { RecordBytes, RecordHeaderInput } from './record-input.ts';

const TWO_POW_32 = 0x1_0000_0000;
/** Up to this size a loop beats the native copy. */
const SMALL_COPY_BYTES = 16;

export class RecordEncoder {
  #buffer: Buffer;
  #position: number;

  constructor(buffer: Buffer, position: number) {
    this.#buffer = buffer;
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  written(): Uint8Array {
    return this.#buffer.subarray(0, this.#position);
  }

  restart(buffer: Buffer, position: number): void {
    this.#buffer = buffer;
    this.#position = position;
  }

  /** False, and nothing written, if the buffer would then hold more than `maxBytes`. */
  encode(
    timestampDelta: number,
    offsetDelta: number,
    key: RecordBytes,
    value: RecordBytes,
    headers: readonly RecordHeaderInput[] | undefined,
    maxBytes: number,
  ): boolean {
    const keyLength = byteLength(key);
    const valueLength = byteLength(value);
    const headerBytes = headers === undefined ? 1 : headersSize(headers);
    const bodyLength =
      1 +
      varlongSize(timestampDelta) +
      varintSize(offsetDelta) +
      varintSize(keyLength) +
      Math.max(keyLength, 0) +
      varintSize(valueLength) +
      Math.max(valueLength, 0) +
      headerBytes;
    const end = this.#position + varintSize(bodyLength) + bodyLength;
    if (end > maxBytes) return false;
    if (end > this.#buffer.length) this.#grow(end);
    this.#varint(bodyLength);
    this.#buffer[this.#position++] = 0;
    this.#varlong(timestampDelta);
    this.#varint(offsetDelta);
    this.#range(key, keyLength);
    this.#range(value, valueLength);
    if (headers === undefined) this.#buffer[this.#position++] = 0;
    else this.#headers(headers);
    return true;
  }

  #headers(headers: readonly RecordHeaderInput[]): void {
    this.#varint(headers.length);
    for (const { key, value } of headers) {
      this.#range(key, byteLength(key));
      this.#range(value, byteLength(value));
    }
  }

  /** Length, then bytes; −1 alone for null. */
  #range(value: RecordBytes, length: number): void {
    this.#varint(length);
    if (value === null || length === 0) return;
    const at = this.#position;
    this.#position = at + length;
    if (typeof value === 'string') this.#text(value, at, length);
    else if (length > SMALL_COPY_BYTES) this.#buffer.set(value, at);
    else for (let i = 0; i < length; i++) this.#buffer[at + i] = value[i] as number;
  }

  #text(text: string, at: number, length: number): void {
    if (length !== text.length) this.#buffer.write(text, at, length, 'utf8');
    else if (length > SMALL_COPY_BYTES) this.#buffer.write(text, at, length, 'latin1');
    else for (let i = 0; i < length; i++) this.#buffer[at + i] = text.charCodeAt(i);
  }

  #varint(value: number): void {
    const buffer = this.#buffer;
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    while (rest > 0x7f) {
      buffer[this.#position++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    buffer[this.#position++] = rest;
  }

  #varlong(value: number): void {
    if (value === (value | 0)) {
      this.#varint(value);
      return;
    }
    const buffer = this.#buffer;
    let [low, high] = zigzagHalves(value);
    while (high !== 0 || low > 0x7f) {
      buffer[this.#position++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    buffer[this.#position++] = low;
  }

  #grow(atLeast: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(atLeast, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#position));
    this.#buffer = larger;
  }
}

function byteLength(value: RecordBytes): number {
  if (value === null) return -1;
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}

function headersSize(headers: readonly RecordHeaderInput[]): number {
  let size = varintSize(headers.length);
  for (const { key, value } of headers) {
    const keyLength = byteLength(key);
    const valueLength = byteLength(value);
    size += varintSize(keyLength) + keyLength + varintSize(valueLength) + Math.max(valueLength, 0);
  }
  return size;
}

/** Bytes of a zigzag varint. */
export function varintSize(value: number): number {
  const raw = ((value << 1) ^ (value >> 31)) >>> 0;
  if (raw < 0x80) return 1;
  if (raw < 0x4000) return 2;
  if (raw < 0x20_0000) return 3;
  return raw < 0x1000_0000 ? 4 : 5;
}

export function varlongSize(value: number): number {
  if (value === (value | 0)) return varintSize(value);
  const [low, high] = zigzagHalves(value);
  const bits = high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high);
  return Math.ceil(bits / 7);
}

function zigzagHalves(value: number): [low: number, high: number] {
  const high = Math.floor(value / TWO_POW_32) | 0;
  const low = (value - Math.floor(value / TWO_POW_32) * TWO_POW_32) | 0;
  const sign = high >> 31;
  return [((low << 1) ^ sign) >>> 0, (((high << 1) | (low >>> 31)) ^ sign) >>> 0];
}
