/**
 * What a broker demands of the record bytes of one partition in a Produce request, before anything is appended. The
 * answer is a Kafka error code and a reason, or null. Only the header, the checksum and, in uncompressed batches, the
 * frame of each record are looked at: contents stay the producer's.
 */
import { isKnownCompression } from '../compression/codec.ts';
import { ErrorCode } from '../error-table.ts';
import { ProtocolError } from '../protocol-error.ts';
import {
  BASE_OFFSET_AT,
  BASE_TIMESTAMP_AT,
  batchBaseOffset,
  batchBaseSequence,
  batchBaseTimestamp,
  batchCompression,
  batchHasLogAppendTime,
  batchIsControl,
  batchIsTransactional,
  batchLastOffsetDelta,
  batchMagic,
  batchMaxTimestamp,
  batchProducerId,
  batchRecordCount,
  batchSizeInBytes,
  CURRENT_MAGIC,
  MAX_TIMESTAMP_AT,
  PRODUCER_ID_AT,
  RECORD_BATCH_OVERHEAD,
} from './batch-header.ts';
import { batchCrcMatches } from './batch-scan.ts';
import { DEFAULT_MAX_DECOMPRESSED_BYTES, RecordCursor } from './record-cursor.ts';

/** The upper half of 2^53 − 1. */
const LARGEST_HIGH = 0x1f_ffff;

export interface BatchRules {
  /** `message.max.bytes` of the topic: bound of a whole batch as it comes. */
  readonly maxBatchBytes: number;
  /** False for Produce requests below version 7. */
  readonly allowZstd: boolean;
  /** True for topics with `cleanup.policy=compact`: every record needs a key. Compressed batches are then opened. */
  readonly requireKeys: boolean;
  /** Epoch milliseconds; timestamps are held against it when the topic keeps the producer's time. */
  readonly now?: number;
  /** `message.timestamp.after.max.ms`. */
  readonly maxTimestampAheadMs?: number;
  /** `message.timestamp.before.max.ms`. */
  readonly maxTimestampBehindMs?: number;
  /** Bound of a compressed batch that has to be opened. */
  readonly maxDecompressedBytes?: number;
}

export interface BatchProblem {
  readonly errorCode: number;
  readonly reason: string;
}

export function checkBatch(bytes: Uint8Array, rules: BatchRules): BatchProblem | null {
  return (
    checkExtent(bytes, rules) ??
    checkCompression(bytes, rules) ??
    checkChecksum(bytes) ??
    checkHeader(bytes) ??
    checkTimestamps(bytes, rules) ??
    checkRecords(bytes, rules)
  );
}

function problem(errorCode: number, reason: string): BatchProblem {
  return { errorCode, reason };
}

function checkExtent(bytes: Uint8Array, rules: BatchRules): BatchProblem | null {
  if (bytes.length === 0) {
    return problem(
      ErrorCode.INVALID_RECORD,
      'A produce request carries exactly one batch per partition, not none.',
    );
  }
  if (bytes.length < RECORD_BATCH_OVERHEAD) {
    return problem(ErrorCode.INVALID_RECORD, `A batch has at least ${RECORD_BATCH_OVERHEAD} bytes.`);
  }
  const magic = batchMagic(bytes);
  if (magic !== CURRENT_MAGIC) {
    const isKnown = magic >= 0 && magic < CURRENT_MAGIC;
    return problem(
      isKnown ? ErrorCode.INVALID_RECORD : ErrorCode.CORRUPT_MESSAGE,
      `Magic is ${magic}; only format ${CURRENT_MAGIC} is accepted.`,
    );
  }
  const size = batchSizeInBytes(bytes);
  if (size > rules.maxBatchBytes) {
    return problem(
      ErrorCode.MESSAGE_TOO_LARGE,
      `The batch has ${size} bytes, the limit is ${rules.maxBatchBytes}.`,
    );
  }
  if (size < RECORD_BATCH_OVERHEAD) {
    return problem(ErrorCode.CORRUPT_MESSAGE, `The batch claims ${size} bytes, fewer than its header has.`);
  }
  if (size > bytes.length) {
    return problem(ErrorCode.INVALID_RECORD, `The batch claims ${size} bytes where ${bytes.length} came.`);
  }
  if (size < bytes.length) {
    return problem(
      ErrorCode.INVALID_RECORD,
      'A produce request carries exactly one batch per partition, not more.',
    );
  }
  return null;
}

function checkCompression(bytes: Uint8Array, rules: BatchRules): BatchProblem | null {
  const compression = batchCompression(bytes);
  if (!isKnownCompression(compression)) {
    return problem(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, `Compression type ${compression} is not known.`);
  }
  if (compression === 4 && !rules.allowZstd) {
    return problem(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, 'zstd needs version 7 of the produce request.');
  }
  return null;
}

function checkChecksum(bytes: Uint8Array): BatchProblem | null {
  if (batchCrcMatches(bytes)) return null;
  return problem(ErrorCode.CORRUPT_MESSAGE, 'The checksum of the batch does not match its bytes.');
}

function checkHeader(bytes: Uint8Array): BatchProblem | null {
  const invalid = (reason: string): BatchProblem => problem(ErrorCode.INVALID_RECORD, reason);
  if (!isSafeInt64(bytes, BASE_OFFSET_AT) || batchBaseOffset(bytes) !== 0) {
    return invalid('The base offset of a produced batch is 0.');
  }
  const count = batchRecordCount(bytes);
  if (count <= 0) return invalid(`The batch has ${count} records.`);
  const lastOffsetDelta = batchLastOffsetDelta(bytes);
  if (lastOffsetDelta + 1 !== count) {
    return invalid(`The batch has ${count} records, but its last offset delta is ${lastOffsetDelta}.`);
  }
  if (batchIsControl(bytes)) return invalid('Producers may not write control batches.');
  if (!isSafeInt64(bytes, PRODUCER_ID_AT)) return invalid('The producer id is out of range.');
  const producerId = batchProducerId(bytes);
  if (producerId >= 0 && batchBaseSequence(bytes) < 0) {
    return invalid(`Producer id ${producerId} comes without a sequence number.`);
  }
  if (producerId < 0 && batchIsTransactional(bytes)) {
    return invalid('A transactional batch needs a producer id.');
  }
  return null;
}

function checkTimestamps(bytes: Uint8Array, rules: BatchRules): BatchProblem | null {
  const invalid = (reason: string): BatchProblem => problem(ErrorCode.INVALID_TIMESTAMP, reason);
  if (batchHasLogAppendTime(bytes)) return invalid('Producers may not set the log append time.');
  if (!isSafeInt64(bytes, BASE_TIMESTAMP_AT) || !isSafeInt64(bytes, MAX_TIMESTAMP_AT)) {
    return invalid('A timestamp is out of range.');
  }
  const { now, maxTimestampAheadMs, maxTimestampBehindMs } = rules;
  if (now === undefined) return null;
  const newest = batchMaxTimestamp(bytes);
  if (maxTimestampAheadMs !== undefined && newest - now > maxTimestampAheadMs) {
    return invalid(`Timestamp ${newest} is more than ${maxTimestampAheadMs} ms ahead of the broker.`);
  }
  const oldest = batchBaseTimestamp(bytes);
  if (maxTimestampBehindMs !== undefined && oldest >= 0 && now - oldest > maxTimestampBehindMs) {
    return invalid(`Timestamp ${oldest} is more than ${maxTimestampBehindMs} ms behind the broker.`);
  }
  return null;
}

/** Records must fill the batch exactly, count up from 0, and have keys where the topic demands them. */
function checkRecords(bytes: Uint8Array, rules: BatchRules): BatchProblem | null {
  if (batchCompression(bytes) !== 0 && !rules.requireKeys) return null;
  try {
    const cursor = new RecordCursor(bytes, 0, rules.maxDecompressedBytes ?? DEFAULT_MAX_DECOMPRESSED_BYTES);
    for (let expected = 0; cursor.next(); expected++) {
      if (cursor.offsetDelta !== expected) {
        return problem(
          ErrorCode.INVALID_RECORD,
          `Record ${expected} of the batch has offset delta ${cursor.offsetDelta}.`,
        );
      }
      if (rules.requireKeys && cursor.keyLength < 0) {
        return problem(
          ErrorCode.INVALID_RECORD,
          `Record ${expected} has no key, and the topic is compacted.`,
        );
      }
    }
    return null;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const tooLarge = error.code === 'DECOMPRESSED_TOO_LARGE';
    return problem(tooLarge ? ErrorCode.MESSAGE_TOO_LARGE : ErrorCode.CORRUPT_MESSAGE, `${error.message}.`);
  }
}

/** Whether an int64 lies within ±(2^53 − 1), told without throwing. */
function isSafeInt64(bytes: Uint8Array, at: number): boolean {
  const high =
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number);
  if (high >= -LARGEST_HIGH && high <= LARGEST_HIGH) return true;
  // −2^53 itself is the one such number that is not safe.
  return (
    high === -LARGEST_HIGH - 1 &&
    ((bytes[at + 4] as number) |
      (bytes[at + 5] as number) |
      (bytes[at + 6] as number) |
      (bytes[at + 7] as number)) !==
      0
  );
}
