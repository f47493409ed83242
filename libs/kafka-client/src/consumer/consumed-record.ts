/** A fetched record: where its parts lie, and views of them when they are asked for. */
import { ByteReader, type RecordCursor } from '@seatlog/kafka-protocol';
import { KafkaClientError } from '../errors.ts';
import { CodecError } from '../topics/codec-error.ts';
import type { AnyTopic } from '../topics/topic.ts';
import type { ConsumedRecord, RecordHeader } from './types.ts';

/** What all records of one block share. */
export interface RecordSource {
  readonly topic: string;
  readonly partition: number;
  readonly declared: AnyTopic | null;
}

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([]);

export class FetchedRecord implements ConsumedRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly #source: RecordSource;
  readonly #bytes: Uint8Array;
  readonly #keyStart: number;
  readonly #keyLength: number;
  readonly #valueStart: number;
  readonly #valueLength: number;
  readonly #headersStart: number;
  readonly #end: number;

  constructor(source: RecordSource, cursor: RecordCursor) {
    this.offset = cursor.offset;
    this.timestamp = cursor.timestamp;
    this.#source = source;
    this.#bytes = cursor.bytes;
    this.#keyStart = cursor.keyStart;
    this.#keyLength = cursor.keyLength;
    this.#valueStart = cursor.valueStart;
    this.#valueLength = cursor.valueLength;
    this.#headersStart = cursor.headersStart;
    this.#end = cursor.recordEnd;
  }

  get topic(): string {
    return this.#source.topic;
  }

  get partition(): number {
    return this.#source.partition;
  }

  get keyBytes(): Uint8Array | null {
    if (this.#keyLength < 0) return null;
    return this.#bytes.subarray(this.#keyStart, this.#keyStart + this.#keyLength);
  }

  get valueBytes(): Uint8Array | null {
    if (this.#valueLength < 0) return null;
    return this.#bytes.subarray(this.#valueStart, this.#valueStart + this.#valueLength);
  }

  /** Decoded anew each time. The interface gives it the type that the topic declares. */
  get key(): Uint8Array | null {
    return this.#decoded('key', this.keyBytes) as Uint8Array | null;
  }

  get value(): Uint8Array | null {
    return this.#decoded('value', this.valueBytes) as Uint8Array | null;
  }

  get headers(): readonly RecordHeader[] {
    // One byte: a count of zero.
    if (this.#end - this.#headersStart <= 1) return NO_HEADERS;
    const reader = new ByteReader(this.#bytes, this.#headersStart, this.#end);
    const headers: RecordHeader[] = [];
    for (let left = reader.varint(); left > 0; left--) headers.push(readHeader(reader));
    return headers;
  }

  #decoded(what: 'key' | 'value', bytes: Uint8Array | null): unknown {
    const { declared, topic, partition } = this.#source;
    if (declared === null) return bytes;
    try {
      return declared[what].decode(bytes);
    } catch (cause) {
      const why = cause instanceof CodecError ? cause.message : String(cause);
      throw new KafkaClientError(
        'DECODE_FAILED',
        `${what} of ${topic}-${partition} at ${this.offset}: ${why}`,
        {
          retriable: false,
          hint: 'the record does not follow the declaration of its topic: set it aside, it will never decode',
          cause,
        },
      );
    }
  }
}

function readHeader(reader: ByteReader): RecordHeader {
  const key = slice(reader, reader.varint());
  const length = reader.varint();
  return {
    key: Buffer.from(key.buffer, key.byteOffset, key.length).toString(),
    value: length < 0 ? null : slice(reader, length),
  };
}

function slice(reader: ByteReader, length: number): Uint8Array {
  const start = reader.take(length);
  return reader.bytes.subarray(start, start + length);
}
