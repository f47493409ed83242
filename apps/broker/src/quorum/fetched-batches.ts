/** The whole, sound batches at the beginning of what a leader's answer to a fetch holds. */
import {
  batchBaseOffset,
  batchLastOffset,
  batchPartitionLeaderEpoch,
  scanBatches,
} from '@seatlog/kafka-protocol';
import type { EncodedBatch } from './metadata-log.ts';

/** What is torn or fails its checksum is left out, with all behind it: it is fetched again. */
export function fetchedBatches(records: Uint8Array): readonly EncodedBatch[] {
  const batches: EncodedBatch[] = [];
  scanBatches(
    records,
    (position, size) => {
      const bytes = records.subarray(position, position + size);
      batches.push({
        baseOffset: batchBaseOffset(bytes),
        lastOffset: batchLastOffset(bytes),
        epoch: batchPartitionLeaderEpoch(bytes),
        sizeInBytes: size,
        bytes,
      });
    },
    { verifyCrc: true },
  );
  return batches;
}
