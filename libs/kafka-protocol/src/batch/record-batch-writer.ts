/**
 * Encodes records straight into one buffer, one batch a writer at a time: no object per record, no second copy. The
 * header is filled in by `seal`, which also compresses. The sealed batch is the writer's own buffer: after `seal`
 * call `reset`, with a buffer to use again if there is one, before the next record.
 *
 *     const writer = new RecordBatchWriter({ maxBytes: 16_384 });
 *     writer.append(now, 'A-1', payload);
 *     const batch = writer.seal({ compression: Compression.zstd });
 */
import { compress } from '../compression/codec.ts';
import { crc32c } from '../crc32c.ts';
import { ProtocolError } from '../protocol-error.ts';
import {
  ATTRIBUTES_AT,
  BASE_OFFSET_AT,
  BASE_SEQUENCE_AT,
  BASE_TIMESTAMP_AT,
  BATCH_LENGTH_AT,
  BATCH_LENGTH_OVERHEAD,
  CONTROL_BIT,
  CRC_AT,
  CURRENT_MAGIC,
  LAST_OFFSET_DELTA_AT,
  LEADER_EPOCH_AT,
  MAGIC_AT,
  MAX_TIMESTAMP_AT,
  PRODUCER_EPOCH_AT,
  PRODUCER_ID_AT,
  RECORD_BATCH_OVERHEAD,
  RECORD_COUNT_AT,
  TRANSACTIONAL_BIT,
  writeInt16,
  writeInt32,
  writeInt64,
} from './batch-header.ts';
import { RecordEncoder } from './record-encoder.ts';
import type { RecordBytes, RecordHeaderInput } from './record-input.ts';

export interface RecordBatchWriterOptions {
  /** A record that would take the uncompressed batch above this does not fit; the first one always does. */
  readonly maxBytes?: number;
  readonly initialBytes?: number;
}

export interface SealOptions {
  readonly compression?: number;
  readonly baseOffset?: number;
  readonly partitionLeaderEpoch?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly isTransactional?: boolean;
  readonly isControl?: boolean;
  /** For compaction, which keeps a batch's span though records are gone. Otherwise that of the last record. */
  readonly lastOffsetDelta?: number;
}

const DEFAULT_MAX_BYTES = 1024 * 1024;
const DEFAULT_INITIAL_BYTES = 1024;
const NO_TIMESTAMP = -1;

export class RecordBatchWriter {
  readonly #maxBytes: number;
  readonly #initialBytes: number;
  readonly #encoder: RecordEncoder;
  #count = 0;
  #baseTimestamp = NO_TIMESTAMP;
  #maxTimestamp = NO_TIMESTAMP;
  #lastOffsetDelta = -1;

  constructor(options: RecordBatchWriterOptions = {}) {
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#initialBytes = Math.max(options.initialBytes ?? DEFAULT_INITIAL_BYTES, RECORD_BATCH_OVERHEAD);
    this.#encoder = new RecordEncoder(Buffer.allocUnsafeSlow(this.#initialBytes), RECORD_BATCH_OVERHEAD);
  }

  get recordCount(): number {
    return this.#count;
  }

  /** Size of the batch so far, uncompressed, header included. */
  get sizeInBytes(): number {
    return this.#encoder.position;
  }

  get baseTimestamp(): number {
    return this.#baseTimestamp;
  }

  /**
   * Adds a record; false, and nothing added, if it does not fit. `timestamp` is in milliseconds since 1970.
   * `offsetDelta` is for logs that keep gaps; else records count up.
   */
  append(
    timestamp: number,
    key: RecordBytes,
    value: RecordBytes,
    headers?: readonly RecordHeaderInput[],
    offsetDelta: number = this.#lastOffsetDelta + 1,
  ): boolean {
    if (!Number.isSafeInteger(timestamp)) {
      throw new ProtocolError('VALUE_OUT_OF_RANGE', `${timestamp} is not a timestamp in milliseconds`);
    }
    const first = this.#count === 0;
    const delta = first ? 0 : timestamp - this.#baseTimestamp;
    const room = first ? Number.MAX_SAFE_INTEGER : this.#maxBytes;
    if (!this.#encoder.encode(delta, offsetDelta, key, value, headers, room)) return false;
    if (first) this.#baseTimestamp = timestamp;
    if (timestamp > this.#maxTimestamp) this.#maxTimestamp = timestamp;
    this.#lastOffsetDelta = offsetDelta;
    this.#count++;
    return true;
  }

  /** The finished batch. It is a view of the writer's buffer unless it was compressed. */
  seal(options: SealOptions = {}): Uint8Array {
    const compression = options.compression ?? 0;
    const batch =
      compression === 0 ? this.#encoder.written() : compressed(compression, this.#encoder.written());
    const attributes =
      compression |
      (options.isTransactional === true ? TRANSACTIONAL_BIT : 0) |
      (options.isControl === true ? CONTROL_BIT : 0);
    writeInt64(batch, BASE_OFFSET_AT, options.baseOffset ?? 0);
    writeInt32(batch, BATCH_LENGTH_AT, batch.length - BATCH_LENGTH_OVERHEAD);
    writeInt32(batch, LEADER_EPOCH_AT, options.partitionLeaderEpoch ?? -1);
    batch[MAGIC_AT] = CURRENT_MAGIC;
    writeInt16(batch, ATTRIBUTES_AT, attributes);
    writeInt32(batch, LAST_OFFSET_DELTA_AT, options.lastOffsetDelta ?? this.#lastOffsetDelta);
    writeInt64(batch, BASE_TIMESTAMP_AT, this.#baseTimestamp);
    writeInt64(batch, MAX_TIMESTAMP_AT, this.#maxTimestamp);
    writeInt64(batch, PRODUCER_ID_AT, options.producerId ?? -1);
    writeInt16(batch, PRODUCER_EPOCH_AT, options.producerEpoch ?? -1);
    writeInt32(batch, BASE_SEQUENCE_AT, options.baseSequence ?? -1);
    writeInt32(batch, RECORD_COUNT_AT, this.#count);
    writeInt32(batch, CRC_AT, crc32c(batch, ATTRIBUTES_AT, batch.length));
    return batch;
  }

  /** Ready for the next batch, in `buffer` or in a buffer of its own. */
  reset(buffer?: Uint8Array): void {
    this.#encoder.restart(
      buffer === undefined || buffer.length < RECORD_BATCH_OVERHEAD
        ? Buffer.allocUnsafeSlow(this.#initialBytes)
        : Buffer.from(buffer.buffer, buffer.byteOffset, buffer.length),
      RECORD_BATCH_OVERHEAD,
    );
    this.#count = 0;
    this.#baseTimestamp = NO_TIMESTAMP;
    this.#maxTimestamp = NO_TIMESTAMP;
    this.#lastOffsetDelta = -1;
  }
}

function compressed(compression: number, plain: Uint8Array): Uint8Array {
  const records = compress(compression, plain.subarray(RECORD_BATCH_OVERHEAD));
  const batch = Buffer.allocUnsafe(RECORD_BATCH_OVERHEAD + records.length);
  batch.set(records, RECORD_BATCH_OVERHEAD);
  return batch;
}
