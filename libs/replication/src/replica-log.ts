/**
 * What replication reads of a partition's log. The log of commit-log fits as it is. Changes are asked for by effects,
 * which the caller carries out, in order, before the next event.
 */
export interface ReplicaLog {
  readonly logStartOffset: number;
  /** The end of what is written as durably as the topic asks: what a replica may say that it holds. */
  readonly logEndOffset: number;
  /** Beyond the log end by what is still being written. */
  readonly nextAppendOffset: number;
  readonly highWatermark: number;
  /** Why the log takes nothing any more; null while it is well. */
  readonly failure: object | null;
  /** -1 for none. */
  readonly latestLeaderEpoch: number;
  /**
   * The end of the greatest epoch not above the one asked for; (-1, -1) when that is later than any known; the epoch
   * asked for and the first start when it is earlier than all.
   */
  endOffsetForEpoch(epoch: number): EpochEndOffset;
}

export interface EpochEndOffset {
  readonly epoch: number;
  readonly endOffset: number;
}

export const UNDEFINED_EPOCH = -1;

/** What is not known of another replica's log. */
export const UNKNOWN_OFFSET = -1;
