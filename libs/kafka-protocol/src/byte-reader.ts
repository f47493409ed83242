/**
 * Reads big-endian Kafka primitives from a span of bytes, in order. Promises: it never reads outside the span, checks
 * every length and count against the bytes that are left before anything is allocated, and throws ProtocolError and
 * nothing else. Byte ranges come back as views of the span: keep or copy them as the owner of the bytes allows.
 */
import { knownText } from './known-text.ts';
import { MAX_ELEMENTS_PER_MESSAGE, MAX_STRING_BYTES } from './limits.ts';
import { ProtocolError } from './protocol-error.ts';
import { uuidFromBytes } from './uuid.ts';

const TWO_POW_32 = 0x1_0000_0000;
const floatBytes = new DataView(new ArrayBuffer(8));

export class ByteReader {
  readonly bytes: Uint8Array;
  #position: number;
  #end: number;
  #elementBudget = MAX_ELEMENTS_PER_MESSAGE;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.#position = start;
    this.#end = end;
  }

  get position(): number {
    return this.#position;
  }

  get remaining(): number {
    return this.#end - this.#position;
  }

  /** Moves past `count` bytes and tells where they began. */
  take(count: number): number {
    const at = this.#position;
    if (count > this.#end - at) throw truncated(count, this.#end - at);
    this.#position = at + count;
    return at;
  }

  int8(): number {
    return ((this.bytes[this.take(1)] as number) << 24) >> 24;
  }

  uint8(): number {
    return this.bytes[this.take(1)] as number;
  }

  boolean(): boolean {
    return this.bytes[this.take(1)] !== 0;
  }

  int16(): number {
    const at = this.take(2);
    const bytes = this.bytes;
    return (((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16)) >> 16;
  }

  uint16(): number {
    const at = this.take(2);
    return ((this.bytes[at] as number) << 8) | (this.bytes[at + 1] as number);
  }

  int32(): number {
    const at = this.take(4);
    const bytes = this.bytes;
    return (
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)
    );
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  /** A 64-bit integer as a number; outside ±(2^53 − 1) it is refused. */
  int64(): number {
    const high = this.int32();
    const value = high * TWO_POW_32 + (this.int32() >>> 0);
    if (!Number.isSafeInteger(value)) throw int64OutOfRange();
    return value;
  }

  float64(): number {
    const at = this.take(8);
    for (let i = 0; i < 8; i++) floatBytes.setUint8(i, this.bytes[at + i] as number);
    return floatBytes.getFloat64(0);
  }

  uuid(): string {
    return uuidFromBytes(this.bytes, this.take(16));
  }

  /** Unsigned, at most 32 bits in at most five bytes. */
  unsignedVarint(): number {
    const bytes = this.bytes;
    let at = this.#position;
    const end = this.#end;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (at >= end) throw truncated(1, 0);
      const byte = bytes[at++] as number;
      if (byte < 0x80) {
        if (shift === 28 && byte > 0x0f) break;
        this.#position = at;
        return (value | (byte << shift)) >>> 0;
      }
      value |= (byte & 0x7f) << shift;
    }
    throw new ProtocolError('VARINT_TOO_LONG', 'varint has more than 32 bits');
  }

  /** Zigzag, 32 bits. */
  varint(): number {
    const raw = this.unsignedVarint();
    return (raw >>> 1) ^ -(raw & 1);
  }

  /** Zigzag, 64 bits; outside ±(2^53 − 1) it is refused. */
  varlong(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.uint8();
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else {
        if (shift === 63 && byte > 1) break;
        high |= bits << (shift - 32);
      }
      if (byte < 0x80) return unzigzag64(low, high);
    }
    throw new ProtocolError('VARINT_TOO_LONG', 'varint has more than 64 bits');
  }

  /** `count` bytes as a view. */
  view(count: number): Uint8Array {
    if (count < 0) throw negativeCount(count);
    const at = this.take(count);
    return this.bytes.subarray(at, at + count);
  }

  utf8(length: number): string {
    if (length < 0) throw negativeCount(length);
    if (length > MAX_STRING_BYTES) {
      throw new ProtocolError(
        'COUNT_OUT_OF_BOUNDS',
        `string of ${length} bytes is above ${MAX_STRING_BYTES}`,
      );
    }
    const at = this.take(length);
    return decodeUtf8(this.bytes, at, at + length);
  }

  string(): string {
    const length = this.int16();
    if (length < 0) throw nullOrNegative(length, 'string');
    return this.utf8(length);
  }

  nullableString(): string | null {
    const length = this.int16();
    return length === -1 ? null : this.utf8(length);
  }

  compactString(): string {
    const length = this.unsignedVarint() - 1;
    if (length < 0) throw nullOrNegative(length, 'string');
    return this.utf8(length);
  }

  compactNullableString(): string | null {
    const length = this.unsignedVarint() - 1;
    return length === -1 ? null : this.utf8(length);
  }

  /** Length of bytes, or −1 for null, with a 32-bit prefix. */
  bytesLength(): number {
    return this.#checkedLength(this.int32());
  }

  /** Length of bytes, or −1 for null, with a varint prefix. */
  compactBytesLength(): number {
    return this.#checkedLength(this.unsignedVarint() - 1);
  }

  /**
   * Refuses a count of elements which cannot be there: each takes at least `minimumBytes` on the wire. Elements that
   * cost more in memory than on the wire (`weighted`) also draw on the message's budget.
   */
  checkElements(count: number, minimumBytes: number, weighted: boolean): void {
    if (count < 0 || count * minimumBytes > this.#end - this.#position) {
      throw new ProtocolError(
        'COUNT_OUT_OF_BOUNDS',
        `${count} elements cannot lie in the ${this.#end - this.#position} bytes that are left`,
      );
    }
    if (!weighted) return;
    this.#elementBudget -= count;
    if (this.#elementBudget < 0) {
      throw new ProtocolError(
        'TOO_MANY_ELEMENTS',
        `message has more than ${MAX_ELEMENTS_PER_MESSAGE} elements`,
      );
    }
  }

  /** Narrows the span to the next `count` bytes; returns the end to give back to `widen`. */
  narrow(count: number): number {
    const outer = this.#end;
    if (count > outer - this.#position) throw truncated(count, outer - this.#position);
    this.#end = this.#position + count;
    return outer;
  }

  widen(outerEnd: number): void {
    this.#end = outerEnd;
  }

  #checkedLength(length: number): number {
    if (length < -1 || length > this.#end - this.#position) {
      throw new ProtocolError(
        'COUNT_OUT_OF_BOUNDS',
        `${length} bytes are claimed, ${this.#end - this.#position} are left`,
      );
    }
    return length;
  }
}

/** Zigzag halves to a number, refused outside ±(2^53 − 1). */
export function unzigzag64(low: number, high: number): number {
  const sign = -(low & 1);
  const valueLow = ((low >>> 1) | (high << 31)) ^ sign;
  const valueHigh = (high >>> 1) ^ sign;
  const value = valueHigh * TWO_POW_32 + (valueLow >>> 0);
  if (!Number.isSafeInteger(value)) throw int64OutOfRange();
  return value;
}

/** Short ASCII text (topic names, ids) is far cheaper to find here than to make across the native boundary. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  const known = knownText(bytes, start, end);
  if (known !== null) return known;
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString('utf8', start, end);
}

function truncated(wanted: number, left: number): ProtocolError {
  return new ProtocolError('TRUNCATED', `${wanted} bytes are wanted, ${left} are left`);
}

function negativeCount(count: number): ProtocolError {
  return new ProtocolError('COUNT_OUT_OF_BOUNDS', `length ${count} is negative`);
}

function nullOrNegative(length: number, what: string): ProtocolError {
  if (length === -1) return new ProtocolError('UNEXPECTED_NULL', `${what} must not be null`);
  return negativeCount(length);
}

function int64OutOfRange(): ProtocolError {
  return new ProtocolError('INT64_OUT_OF_RANGE', '64-bit integer lies outside ±(2^53 − 1)');
}
