/**
 * Walks over the records of one batch without an object per record: `next()` moves the cursor, its fields tell where
 * key, value and headers lie. Every length is checked against the bytes that are left; a batch whose records do not
 * fill it exactly throws RECORD_CORRUPT. A compressed batch is decompressed once, within the limit given.
 *
 *     const cursor = new RecordCursor(batch);
 *     while (cursor.next()) seen.add(cursor.offset);
 */
import { ByteReader, decodeUtf8, unzigzag64 } from '../byte-reader.ts';
import { decompress } from '../compression/codec.ts';
import { MAX_VARLONG_BYTES } from '../limits.ts';
import { ProtocolError } from '../protocol-error.ts';
import {
  batchBaseOffset,
  batchBaseTimestamp,
  batchCompression,
  batchHasLogAppendTime,
  batchMaxTimestamp,
  batchRecordCount,
  batchSizeInBytes,
  RECORD_BATCH_OVERHEAD,
} from './batch-header.ts';

export interface RecordHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** Default bound of one batch's records once decompressed. */
export const DEFAULT_MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

/** The least a record takes: seven fields of one byte. */
const MIN_RECORD_BYTES = 7;

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([]);

export class RecordCursor {
  /** Where the fields below point into: the batch itself, or its decompressed records. */
  readonly bytes: Uint8Array;
  readonly recordCount: number;

  offset = -1;
  offsetDelta = -1;
  timestamp = -1;
  keyStart = 0;
  /** −1 for null. */
  keyLength = -1;
  valueStart = 0;
  /** −1 for null. */
  valueLength = -1;
  headersStart = 0;
  /** Where the record ends. */
  recordEnd = 0;

  readonly #end: number;
  readonly #baseOffset: number;
  readonly #baseTimestamp: number;
  /** Time of all records where the log assigns it, else −1. */
  readonly #appendTime: number;
  #at: number;
  #index = 0;

  constructor(
    batch: Uint8Array,
    position = 0,
    maxDecompressedBytes: number = DEFAULT_MAX_DECOMPRESSED_BYTES,
  ) {
    const size = batch.length - position < RECORD_BATCH_OVERHEAD ? 0 : batchSizeInBytes(batch, position);
    if (size < RECORD_BATCH_OVERHEAD || size > batch.length - position) {
      throw corrupt(`batch of ${size} bytes where ${batch.length - position} are left`);
    }
    const start = position + RECORD_BATCH_OVERHEAD;
    const compression = batchCompression(batch, position);
    if (compression === 0) {
      this.bytes = batch;
      this.#at = start;
      this.#end = position + size;
    } else {
      this.bytes = decompress(compression, batch.subarray(start, position + size), maxDecompressedBytes);
      this.#at = 0;
      this.#end = this.bytes.length;
    }
    this.recordCount = batchRecordCount(batch, position);
    if (this.recordCount < 0 || this.recordCount * MIN_RECORD_BYTES > this.#end - this.#at) {
      throw corrupt(`${this.recordCount} records cannot lie in ${this.#end - this.#at} bytes`);
    }
    this.#baseOffset = batchBaseOffset(batch, position);
    this.#baseTimestamp = batchBaseTimestamp(batch, position);
    this.#appendTime = batchHasLogAppendTime(batch, position) ? batchMaxTimestamp(batch, position) : -1;
  }

  /** Moves to the next record; false after the last one. */
  next(): boolean {
    if (this.#index === this.recordCount) {
      if (this.#at !== this.#end) throw corrupt(`${this.#end - this.#at} bytes follow the last record`);
      return false;
    }
    this.#index++;
    const length = this.#varint();
    const end = this.#at + length;
    if (length < 0 || end > this.#end) throw corrupt(`record of ${length} bytes runs out of the batch`);
    this.recordEnd = end;
    // Attributes: one byte, unused.
    this.#at++;
    const timestampDelta = this.#varlong();
    this.timestamp = this.#appendTime === -1 ? this.#baseTimestamp + timestampDelta : this.#appendTime;
    this.offsetDelta = this.#varint();
    this.offset = this.#baseOffset + this.offsetDelta;
    this.keyLength = this.#varint();
    this.keyStart = this.#at;
    if (this.keyLength > 0) this.#at += this.keyLength;
    if (this.keyLength < -1 || this.#at > end) throw corrupt(`key of ${this.keyLength} bytes`);
    this.valueLength = this.#varint();
    this.valueStart = this.#at;
    if (this.valueLength > 0) this.#at += this.valueLength;
    if (this.valueLength < -1 || this.#at >= end) throw corrupt(`value of ${this.valueLength} bytes`);
    this.headersStart = this.#at;
    this.#at = end;
    return true;
  }

  /** View of the key, or null. */
  key(): Uint8Array | null {
    if (this.keyLength < 0) return null;
    return this.bytes.subarray(this.keyStart, this.keyStart + this.keyLength);
  }

  /** View of the value, or null. */
  value(): Uint8Array | null {
    if (this.valueLength < 0) return null;
    return this.bytes.subarray(this.valueStart, this.valueStart + this.valueLength);
  }

  headers(): readonly RecordHeader[] {
    return decodeHeaders(this.bytes, this.headersStart, this.recordEnd);
  }

  #varint(): number {
    const byte = this.bytes[this.#at] as number;
    if (byte < 0x80 && this.#at < this.#end) {
      this.#at++;
      return (byte >>> 1) ^ -(byte & 1);
    }
    return this.#longVarint();
  }

  #longVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.#at >= this.#end) throw corrupt('record is cut off');
      const byte = this.bytes[this.#at++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (shift === 28 && byte > 0x0f) break;
        return (value >>> 1) ^ -(value & 1);
      }
    }
    throw corrupt('varint has more than 32 bits');
  }

  #varlong(): number {
    const byte = this.bytes[this.#at] as number;
    if (byte < 0x80 && this.#at < this.#end) {
      this.#at++;
      return (byte >>> 1) ^ -(byte & 1);
    }
    return this.#longVarlong();
  }

  #longVarlong(): number {
    let low = 0;
    let high = 0;
    for (let i = 0; i < MAX_VARLONG_BYTES; i++) {
      if (this.#at >= this.#end) throw corrupt('record is cut off');
      const byte = this.bytes[this.#at++] as number;
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (7 * i - 32);
      if (byte < 0x80) {
        if (i === MAX_VARLONG_BYTES - 1 && byte > 1) break;
        return unzigzag64(low, high);
      }
    }
    throw corrupt('varint has more than 64 bits');
  }
}

/** Headers of a record whose header section is `bytes[start, end)`. */
export function decodeHeaders(bytes: Uint8Array, start: number, end: number): readonly RecordHeader[] {
  if (end - start === 1 && bytes[start] === 0) return NO_HEADERS;
  const reader = new ByteReader(bytes, start, end);
  const count = reader.varint();
  // A header takes at least the two bytes of its lengths.
  reader.checkElements(count, 2, true);
  const headers = new Array<RecordHeader>(count);
  for (let i = 0; i < count; i++) {
    const keyLength = reader.varint();
    if (keyLength < 0) throw corrupt('key of a header must not be null');
    const keyStart = reader.take(keyLength);
    const key = decodeUtf8(bytes, keyStart, keyStart + keyLength);
    const valueLength = reader.varint();
    headers[i] = { key, value: valueLength === -1 ? null : reader.view(valueLength) };
  }
  if (reader.remaining !== 0) throw corrupt(`${reader.remaining} bytes follow the headers`);
  return headers;
}

function corrupt(reason: string): ProtocolError {
  return new ProtocolError('RECORD_CORRUPT', reason);
}
