/**
 * Writes big-endian Kafka primitives to a buffer that grows by doubling. Large byte ranges can be passed through
 * without a copy (`passThrough`): `toChunks` then gives the written parts and the ranges in their order. Those ranges
 * must stay as they are until the chunks have been sent. Values that do not fit throw ProtocolError.
 */
import { MAX_STRING_BYTES } from './limits.ts';
import { ProtocolError } from './protocol-error.ts';
import { writeUuid } from './uuid.ts';

const TWO_POW_32 = 0x1_0000_0000;
const DEFAULT_CAPACITY = 256;
/** Ranges shorter than this are copied: a chunk of its own costs more. */
const MIN_PASS_THROUGH_BYTES = 1024;

interface PassedThrough {
  readonly at: number;
  readonly bytes: Uint8Array;
}

export class ByteWriter {
  #buffer: Buffer;
  #position = 0;
  #passed: PassedThrough[] = [];
  #passedBytes = 0;

  constructor(capacity: number = DEFAULT_CAPACITY) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }

  /** All bytes so far, those passed through included. */
  get length(): number {
    return this.#position + this.#passedBytes;
  }

  /** Bytes written here, without those passed through: the place that `patchInt32` takes. */
  get position(): number {
    return this.#position;
  }

  int8(value: number): void {
    if (value !== (value << 24) >> 24) throw outOfRange(value, 'int8');
    this.#put8(value);
  }

  boolean(value: boolean): void {
    this.#put8(value ? 1 : 0);
  }

  int16(value: number): void {
    if (value !== (value << 16) >> 16) throw outOfRange(value, 'int16');
    this.#put16(value);
  }

  uint16(value: number): void {
    if (value !== (value & 0xffff)) throw outOfRange(value, 'uint16');
    this.#put16(value);
  }

  int32(value: number): void {
    if (value !== (value | 0)) throw outOfRange(value, 'int32');
    this.#put32(value);
  }

  uint32(value: number): void {
    if (value !== value >>> 0) throw outOfRange(value, 'uint32');
    this.#put32(value);
  }

  int64(value: number): void {
    if (!Number.isSafeInteger(value)) throw outOfRange(value, 'int64 within ±(2^53 − 1)');
    const high = Math.floor(value / TWO_POW_32);
    this.#put32(high);
    this.#put32(value - high * TWO_POW_32);
  }

  float64(value: number): void {
    const at = this.#claim(8);
    this.#buffer.writeDoubleBE(value, at);
  }

  uuid(text: string): void {
    const at = this.#claim(16);
    writeUuid(this.#buffer, at, text);
  }

  unsignedVarint(value: number): void {
    if (value !== value >>> 0) throw outOfRange(value, 'unsigned varint');
    let at = this.#claim(5);
    const buffer = this.#buffer;
    let rest = value;
    while (rest > 0x7f) {
      buffer[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    buffer[at++] = rest;
    this.#position = at;
  }

  varint(value: number): void {
    if (value !== (value | 0)) throw outOfRange(value, 'varint');
    this.unsignedVarint(((value << 1) ^ (value >> 31)) >>> 0);
  }

  varlong(value: number): void {
    if (!Number.isSafeInteger(value)) throw outOfRange(value, 'varlong within ±(2^53 − 1)');
    const high = Math.floor(value / TWO_POW_32) | 0;
    const low = (value - high * TWO_POW_32) | 0;
    const sign = high >> 31;
    let restHigh = (((high << 1) | (low >>> 31)) ^ sign) >>> 0;
    let restLow = ((low << 1) ^ sign) >>> 0;
    let at = this.#claim(10);
    const buffer = this.#buffer;
    while (restHigh !== 0 || restLow > 0x7f) {
      buffer[at++] = (restLow & 0x7f) | 0x80;
      restLow = ((restLow >>> 7) | (restHigh << 25)) >>> 0;
      restHigh >>>= 7;
    }
    buffer[at++] = restLow;
    this.#position = at;
  }

  /** Copies the bytes in. */
  copy(bytes: Uint8Array): void {
    const at = this.#claim(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /** Hands the bytes on as they are, without a copy when they are large enough to deserve a chunk. */
  passThrough(bytes: Uint8Array): void {
    if (bytes.length < MIN_PASS_THROUGH_BYTES) {
      this.copy(bytes);
      return;
    }
    this.#passed.push({ at: this.#position, bytes });
    this.#passedBytes += bytes.length;
  }

  string(text: string): void {
    const length = utf8Length(text);
    this.#put16(length);
    this.#putUtf8(text, length);
  }

  nullableString(text: string | null): void {
    if (text === null) this.#put16(-1);
    else this.string(text);
  }

  compactString(text: string): void {
    const length = utf8Length(text);
    this.unsignedVarint(length + 1);
    this.#putUtf8(text, length);
  }

  compactNullableString(text: string | null): void {
    if (text === null) this.unsignedVarint(0);
    else this.compactString(text);
  }

  /** Writes an int32 over bytes written before (a length that is known only now). */
  patchInt32(position: number, value: number): void {
    this.#buffer.writeInt32BE(value, position);
  }

  /** The written bytes and those passed through, in order. */
  toChunks(): Uint8Array[] {
    if (this.#passed.length === 0) return [this.#buffer.subarray(0, this.#position)];
    const chunks: Uint8Array[] = [];
    let from = 0;
    for (const { at, bytes } of this.#passed) {
      if (at > from) chunks.push(this.#buffer.subarray(from, at));
      chunks.push(bytes);
      from = at;
    }
    if (this.#position > from) chunks.push(this.#buffer.subarray(from, this.#position));
    return chunks;
  }

  /** All bytes in one piece. */
  toBytes(): Uint8Array {
    const chunks = this.toChunks();
    const [only] = chunks;
    return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
  }

  #claim(count: number): number {
    const at = this.#position;
    const end = at + count;
    if (end > this.#buffer.length) this.#grow(end);
    this.#position = end;
    return at;
  }

  #grow(atLeast: number): void {
    const larger = Buffer.allocUnsafe(Math.max(atLeast, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#position);
    this.#buffer = larger;
  }

  #put8(value: number): void {
    // Claimed first: growing replaces the buffer.
    const at = this.#claim(1);
    this.#buffer[at] = value;
  }

  #put16(value: number): void {
    const at = this.#claim(2);
    this.#buffer[at] = value >> 8;
    this.#buffer[at + 1] = value;
  }

  #put32(value: number): void {
    const at = this.#claim(4);
    const buffer = this.#buffer;
    buffer[at] = value >>> 24;
    buffer[at + 1] = value >>> 16;
    buffer[at + 2] = value >>> 8;
    buffer[at + 3] = value;
  }

  #putUtf8(text: string, length: number): void {
    const at = this.#claim(length);
    const buffer = this.#buffer;
    if (length !== text.length || length > 64) {
      buffer.write(text, at, length, 'utf8');
      return;
    }
    for (let i = 0; i < length; i++) buffer[at + i] = text.charCodeAt(i);
  }
}

function utf8Length(text: string): number {
  const length = Buffer.byteLength(text);
  if (length > MAX_STRING_BYTES)
    throw outOfRange(length, `string length of at most ${MAX_STRING_BYTES} bytes`);
  return length;
}

function outOfRange(value: unknown, what: string): ProtocolError {
  return new ProtocolError('VALUE_OUT_OF_RANGE', `${String(value)} is not a valid ${what}`);
}
