import { batchPartitionLeaderEpoch, scanBatches } from '@seatlog/kafka-protocol';

export interface FetchedBatches {
  /** The leading batches that may be appended, as they came. */
  readonly records: Uint8Array;
  /** Why it is not all of them. An end that was cut off is nothing to report. */
  readonly stoppedBy: 'later-epoch' | 'damage' | null;
}

/**
 * R28: what of an answer a follower may append. It stops before the first batch of an epoch that is later than the one
 * it fetched in: the leader was elected anew while it answered, and what the follower holds has not been compared with
 * that epoch. It also stops before a batch that is not what its checksum says.
 */
export function appendableBatches(bytes: Uint8Array, leaderEpoch: number): FetchedBatches {
  let isLater = false;
  const { end, tail } = scanBatches(
    bytes,
    (position) => {
      isLater = batchPartitionLeaderEpoch(bytes, position) > leaderEpoch;
      return !isLater;
    },
    { verifyCrc: true },
  );
  const records = end === bytes.length ? bytes : bytes.subarray(0, end);
  if (isLater) return { records, stoppedBy: 'later-epoch' };
  return { records, stoppedBy: tail === 'invalid' ? 'damage' : null };
}
