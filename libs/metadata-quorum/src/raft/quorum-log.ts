/**
 * What the quorum reads of its node's `__cluster_metadata-0`. The log of commit-log fits as it is, with the latest
 * snapshot beside it. All changes are asked for by effects; between two steps what is read here reflects every effect
 * of the steps before that has taken place.
 */
import type { SnapshotId } from '../quorum/snapshot.ts';

export interface QuorumLog {
  /** The first offset that can be read; no more than the end of the latest snapshot. */
  readonly logStartOffset: number;
  /** The end of what is SYNCED. Only this is ever told to others or counted. */
  readonly logEndOffset: number;
  /** Where the next batch goes; beyond the log end by what is being written. */
  readonly nextAppendOffset: number;
  /** The epoch of the last batch in the log, -1 if the log holds none. */
  readonly latestLeaderEpoch: number;
  /**
   * The end of the greatest epoch not above the one asked for; (-1, -1) when that is later than any known; the epoch
   * asked for and the first start when it is earlier than all.
   */
  endOffsetForEpoch(epoch: number): { readonly epoch: number; readonly endOffset: number };
  /** The latest snapshot that is whole and synced; null if there is none. */
  readonly latestSnapshot: StoredSnapshot | null;
}

export interface StoredSnapshot {
  readonly id: SnapshotId;
  readonly sizeInBytes: number;
}

/**
 * A whole batch, as far as the quorum looks at it. The caller adds what it needs to write one (the encoded bytes, or
 * whatever stands for them in a simulation); effects give back the very objects that events brought.
 */
export interface LogBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** The leader epoch that the batch bears. */
  readonly epoch: number;
  readonly sizeInBytes: number;
}
