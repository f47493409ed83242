import {
  batchBaseOffset,
  batchCrc,
  batchCrcMatches,
  batchLastOffset,
  batchPartitionLeaderEpoch,
} from '@seatlog/kafka-protocol';

/** A batch as it lies in a log: its bytes, never changed in place, and what is asked of them most. */
export interface StoredBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly leaderEpoch: number;
  readonly crc: number;
  readonly bytes: Uint8Array;
}

export function storedBatch(bytes: Uint8Array): StoredBatch {
  return {
    baseOffset: batchBaseOffset(bytes),
    lastOffset: batchLastOffset(bytes),
    leaderEpoch: batchPartitionLeaderEpoch(bytes),
    crc: batchCrc(bytes),
    bytes,
  };
}

/** The same records at the same offsets, appended in the same epoch: the checksum stands for the bytes behind it. */
export function isSameBatch(left: StoredBatch, right: StoredBatch): boolean {
  return (
    left === right ||
    (left.crc === right.crc &&
      left.baseOffset === right.baseOffset &&
      left.lastOffset === right.lastOffset &&
      left.leaderEpoch === right.leaderEpoch)
  );
}

export function isSound(batch: StoredBatch): boolean {
  return batchCrcMatches(batch.bytes);
}

/** The batch with one bit turned. */
export function withRot({ bytes, ...rest }: StoredBatch, bit: number): StoredBatch {
  const rotten = new Uint8Array(bytes);
  // Behind the checksum, so that it is the checksum that tells.
  const at = 21 + (bit % (rotten.length - 21));
  rotten[at] = (rotten[at] ?? 0) ^ (1 << (bit & 7));
  return { ...rest, bytes: rotten };
}
