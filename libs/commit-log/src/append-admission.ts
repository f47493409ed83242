import {
  batchBaseOffset,
  batchLastOffset,
  batchLastOffsetDelta,
  batchMagic,
  batchMaxTimestamp,
  batchPartitionLeaderEpoch,
  batchProducerId,
  batchSizeInBytes,
  ProtocolError,
  RECORD_BATCH_OVERHEAD,
  stampBaseOffset,
  stampLeaderEpoch,
  stampLogAppendTime,
} from '@seatlog/kafka-protocol';
import { LogError } from './log-error.ts';
import type { AppendCompletion, SequenceCheck } from './partition-log.ts';
import { type ProducerStateManager, producerBatchOf } from './producer-state-manager.ts';
import type { QueuedBatch } from './log-writer.ts';
import type { PartitionTail } from './tail-cache.ts';

const MAGIC = 2;

/**
 * Null when the bytes are one or more whole batches, as far as the headers tell. Base offsets are looked at only where
 * they are to be kept.
 */
export function malformed(batches: Uint8Array, keepsOffsets: boolean): LogError | null {
  let position = 0;
  do {
    const left = batches.length - position;
    const size = left < RECORD_BATCH_OVERHEAD ? 0 : batchSizeInBytes(batches, position);
    const sound = size >= RECORD_BATCH_OVERHEAD && size <= left && batchMagic(batches, position) === MAGIC;
    if (
      !sound ||
      batchLastOffsetDelta(batches, position) < 0 ||
      !hasReadableNumbers(batches, position, keepsOffsets)
    ) {
      return new LogError(
        'BATCH_MALFORMED',
        `no whole record batch at position ${position} of ${batches.length} bytes`,
      );
    }
    position += size;
  } while (position < batches.length);
  return null;
}

/** Numbers beyond 2^53 - 1 are none that this log could hand out again. */
function hasReadableNumbers(batches: Uint8Array, position: number, keepsOffsets: boolean): boolean {
  try {
    if (keepsOffsets) batchBaseOffset(batches, position);
    batchMaxTimestamp(batches, position);
    batchProducerId(batches, position);
    return true;
  } catch (error) {
    if (error instanceof ProtocolError) return false;
    throw error;
  }
}

/**
 * Looks at the sequences of the batches before any of them is appended: the first that is not simply next decides.
 * Null when all are, or bear none. Batches after the first of one producer are taken to follow one another.
 */
export function sequenceVerdict(batches: Uint8Array, producers: ProducerStateManager): SequenceCheck | null {
  let previousProducer = -1;
  for (let position = 0; position < batches.length; position += batchSizeInBytes(batches, position)) {
    const producerId = batchProducerId(batches, position);
    if (producerId < 0 || producerId === previousProducer) continue;
    previousProducer = producerId;
    const verdict = producers.check(producerBatchOf(batches, position));
    if (verdict.outcome !== 'next') return verdict;
  }
  return null;
}

/** Null when the batches continue a log that ends at `nextOffset`. */
export function discontinuity(batches: Uint8Array, nextOffset: number, allowGaps: boolean): LogError | null {
  let expected = nextOffset;
  for (let position = 0; position < batches.length; position += batchSizeInBytes(batches, position)) {
    const baseOffset = batchBaseOffset(batches, position);
    if (baseOffset < expected || (baseOffset > expected && !allowGaps)) {
      return new LogError(
        'BATCH_NOT_CONTIGUOUS',
        `batch at offset ${baseOffset}, the log continues at ${expected}`,
      );
    }
    expected = baseOffset + batchLastOffsetDelta(batches, position) + 1;
  }
  return null;
}

/** First and last offset of stamped batches. */
export function spannedOffsets(batches: Uint8Array): { readonly first: number; readonly last: number } {
  let lastBatch = 0;
  for (
    let next = batchSizeInBytes(batches, 0);
    next < batches.length;
    next += batchSizeInBytes(batches, next)
  ) {
    lastBatch = next;
  }
  return { first: batchBaseOffset(batches, 0), last: batchLastOffset(batches, lastBatch) };
}

/** How a leader marks what it appends. */
export interface LeaderStamp {
  readonly firstOffset: number;
  readonly leaderEpoch: number;
  /** Null keeps the producers' timestamps. */
  readonly appendTime: number | null;
}

export function stampBatches(batches: Uint8Array, stamp: LeaderStamp): void {
  let offset = stamp.firstOffset;
  for (let position = 0; position < batches.length; position += batchSizeInBytes(batches, position)) {
    stampBaseOffset(batches, position, offset);
    stampLeaderEpoch(batches, position, stamp.leaderEpoch);
    if (stamp.appendTime !== null) stampLogAppendTime(batches, position, stamp.appendTime);
    offset += batchLastOffsetDelta(batches, position) + 1;
  }
}

/** Splits stamped bytes into batches for the queue, each with its place in memory and its producer's state. */
export function queueBatches(
  batches: Uint8Array,
  tail: PartitionTail,
  producers: ProducerStateManager,
  done: AppendCompletion,
  queue: { enqueue(batch: QueuedBatch): void },
): void {
  for (let position = 0; position < batches.length; ) {
    const size = batchSizeInBytes(batches, position);
    const whole = size === batches.length ? batches : batches.subarray(position, position + size);
    const baseOffset = batchBaseOffset(whole);
    const lastOffset = baseOffset + batchLastOffsetDelta(whole);
    position += size;
    const block = tail.place(whole, baseOffset, lastOffset + 1);
    queue.enqueue({
      block,
      start: block.usedBytes - size,
      size,
      baseOffset,
      lastOffset,
      maxTimestamp: batchMaxTimestamp(whole),
      leaderEpoch: batchPartitionLeaderEpoch(whole),
      producer: producers.stage(whole, 0),
      done: position === batches.length ? done : null,
    });
  }
}
