/**
 * The fixed header of a record batch, read and stamped in place. All functions take the bytes and the position of the
 * batch in them and allocate nothing; the caller has made sure that RECORD_BATCH_OVERHEAD bytes are there.
 *
 *      0 baseOffset int64          21 attributes int16        43 producerId int64
 *      8 batchLength int32         23 lastOffsetDelta int32   51 producerEpoch int16
 *     12 partitionLeaderEpoch      27 baseTimestamp int64     53 baseSequence int32
 *     16 magic int8                35 maxTimestamp int64      57 recordsCount int32
 *     17 crc uint32 (of all bytes from 21 on)                 61 records
 *
 * Base offset and leader epoch lie outside the checksum, so stamping them never costs one.
 */
import { crc32c } from '../crc32c.ts';
import { ProtocolError } from '../protocol-error.ts';

/** Bytes of the header. */
export const RECORD_BATCH_OVERHEAD = 61;
/** Bytes in front of what `batchLength` counts. */
export const BATCH_LENGTH_OVERHEAD = 12;
export const CURRENT_MAGIC = 2;

export const BASE_OFFSET_AT = 0;
export const BATCH_LENGTH_AT = 8;
export const LEADER_EPOCH_AT = 12;
export const MAGIC_AT = 16;
export const CRC_AT = 17;
export const ATTRIBUTES_AT = 21;
export const LAST_OFFSET_DELTA_AT = 23;
export const BASE_TIMESTAMP_AT = 27;
export const MAX_TIMESTAMP_AT = 35;
export const PRODUCER_ID_AT = 43;
export const PRODUCER_EPOCH_AT = 51;
export const BASE_SEQUENCE_AT = 53;
export const RECORD_COUNT_AT = 57;

const COMPRESSION_MASK = 0x07;
export const LOG_APPEND_TIME_BIT = 0x08;
export const TRANSACTIONAL_BIT = 0x10;
export const CONTROL_BIT = 0x20;
const DELETE_HORIZON_BIT = 0x40;

const TWO_POW_32 = 0x1_0000_0000;

function readInt16(bytes: Uint8Array, at: number): number {
  return (((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16)) >> 16;
}

function readInt32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

/** Refuses what lies outside ±(2^53 − 1). */
function readInt64(bytes: Uint8Array, at: number): number {
  const value = readInt32(bytes, at) * TWO_POW_32 + (readInt32(bytes, at + 4) >>> 0);
  if (Number.isSafeInteger(value)) return value;
  throw new ProtocolError('INT64_OUT_OF_RANGE', '64-bit integer in a batch header lies outside ±(2^53 − 1)');
}

export function writeInt16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >> 8;
  bytes[at + 1] = value;
}

export function writeInt32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function writeInt64(bytes: Uint8Array, at: number, value: number): void {
  if (!Number.isSafeInteger(value)) {
    throw new ProtocolError('VALUE_OUT_OF_RANGE', `${value} is not an integer within ±(2^53 − 1)`);
  }
  const high = Math.floor(value / TWO_POW_32);
  writeInt32(bytes, at, high);
  writeInt32(bytes, at + 4, value - high * TWO_POW_32);
}

export function batchBaseOffset(bytes: Uint8Array, position = 0): number {
  return readInt64(bytes, position + BASE_OFFSET_AT);
}

/** Size of the whole batch, header included, as its length field states it. May be nonsense in foreign bytes. */
export function batchSizeInBytes(bytes: Uint8Array, position = 0): number {
  return readInt32(bytes, position + BATCH_LENGTH_AT) + BATCH_LENGTH_OVERHEAD;
}

export function batchPartitionLeaderEpoch(bytes: Uint8Array, position = 0): number {
  return readInt32(bytes, position + LEADER_EPOCH_AT);
}

export function batchMagic(bytes: Uint8Array, position = 0): number {
  return ((bytes[position + MAGIC_AT] as number) << 24) >> 24;
}

/** The checksum that the batch carries, unsigned. */
export function batchCrc(bytes: Uint8Array, position = 0): number {
  return readInt32(bytes, position + CRC_AT) >>> 0;
}

/** The checksum that the batch should carry. The whole batch must be there. */
export function computeBatchCrc(bytes: Uint8Array, position = 0): number {
  return crc32c(bytes, position + ATTRIBUTES_AT, position + batchSizeInBytes(bytes, position));
}

export function batchAttributes(bytes: Uint8Array, position = 0): number {
  return readInt16(bytes, position + ATTRIBUTES_AT);
}

/** Codec number: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd, others undefined. */
export function batchCompression(bytes: Uint8Array, position = 0): number {
  return batchAttributes(bytes, position) & COMPRESSION_MASK;
}

export function batchHasLogAppendTime(bytes: Uint8Array, position = 0): boolean {
  return (batchAttributes(bytes, position) & LOG_APPEND_TIME_BIT) !== 0;
}

export function batchIsTransactional(bytes: Uint8Array, position = 0): boolean {
  return (batchAttributes(bytes, position) & TRANSACTIONAL_BIT) !== 0;
}

export function batchIsControl(bytes: Uint8Array, position = 0): boolean {
  return (batchAttributes(bytes, position) & CONTROL_BIT) !== 0;
}

export function batchHasDeleteHorizon(bytes: Uint8Array, position = 0): boolean {
  return (batchAttributes(bytes, position) & DELETE_HORIZON_BIT) !== 0;
}

export function batchLastOffsetDelta(bytes: Uint8Array, position = 0): number {
  return readInt32(bytes, position + LAST_OFFSET_DELTA_AT);
}

export function batchLastOffset(bytes: Uint8Array, position = 0): number {
  return batchBaseOffset(bytes, position) + batchLastOffsetDelta(bytes, position);
}

/** Timestamp of the first record, or the delete horizon if that bit is set. */
export function batchBaseTimestamp(bytes: Uint8Array, position = 0): number {
  return readInt64(bytes, position + BASE_TIMESTAMP_AT);
}

export function batchMaxTimestamp(bytes: Uint8Array, position = 0): number {
  return readInt64(bytes, position + MAX_TIMESTAMP_AT);
}

/** −1 for a producer that is not idempotent. */
export function batchProducerId(bytes: Uint8Array, position = 0): number {
  return readInt64(bytes, position + PRODUCER_ID_AT);
}

export function batchProducerEpoch(bytes: Uint8Array, position = 0): number {
  return readInt16(bytes, position + PRODUCER_EPOCH_AT);
}

export function batchBaseSequence(bytes: Uint8Array, position = 0): number {
  return readInt32(bytes, position + BASE_SEQUENCE_AT);
}

/** Sequence number of the last record: they run from 0 to 2^31 − 1 and begin again. −1 if the batch has none. */
export function batchLastSequence(bytes: Uint8Array, position = 0): number {
  const base = batchBaseSequence(bytes, position);
  if (base < 0) return -1;
  return (base + batchLastOffsetDelta(bytes, position)) % 0x8000_0000;
}

/** Number of records. After compaction it may be less than the offsets that the batch spans, even 0. */
export function batchRecordCount(bytes: Uint8Array, position = 0): number {
  return readInt32(bytes, position + RECORD_COUNT_AT);
}

/** The log assigns offsets; the checksum stays valid. */
export function stampBaseOffset(bytes: Uint8Array, position: number, offset: number): void {
  writeInt64(bytes, position + BASE_OFFSET_AT, offset);
}

/** The leader marks what it appends; the checksum stays valid. */
export function stampLeaderEpoch(bytes: Uint8Array, position: number, epoch: number): void {
  writeInt32(bytes, position + LEADER_EPOCH_AT, epoch);
}

/** For topics with `message.timestamp.type=LogAppendTime`: one time for all records, and a checksum anew. */
export function stampLogAppendTime(bytes: Uint8Array, position: number, timestamp: number): void {
  writeInt16(bytes, position + ATTRIBUTES_AT, batchAttributes(bytes, position) | LOG_APPEND_TIME_BIT);
  writeInt64(bytes, position + MAX_TIMESTAMP_AT, timestamp);
  writeInt32(bytes, position + CRC_AT, computeBatchCrc(bytes, position));
}
