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

/** The first byte behind the checksum: what has turned there, the checksum tells. */
const BEHIND_THE_CHECKSUM = 21;
/** What lies before stays what it was, so that whoever reads headers alone does not notice. */
const RECORDS = 61;

/** The batch with one bit turned. */
export function withRot(batch: StoredBatch, bit: number): StoredBatch {
  return turned(batch, BEHIND_THE_CHECKSUM, bit);
}

/** The same in its records. */
export function withRotInRecords(batch: StoredBatch, bit: number): StoredBatch {
  return turned(batch, RECORDS, bit);
}

function turned({ bytes, ...rest }: StoredBatch, from: number, bit: number): StoredBatch {
  const rotten = new Uint8Array(bytes);
  const at = from + (bit % (rotten.length - from));
  rotten[at] = (rotten[at] ?? 0) ^ (1 << (bit & 7));
  return { ...rest, bytes: rotten };
}
