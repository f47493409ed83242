/**
 * Reading one partition for a fetch: who may read, how far, and whether the reader's history fits this log (R23).
 */
import { type EpochEndOffset, LogError, type LogRead } from '@seatlog/commit-log';
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { Partition, ReadBound } from './partition.ts';
import type { ReplicaManager } from './replica-manager.ts';

export interface FetchTarget {
  readonly topic: string;
  readonly partition: number;
  readonly fetchOffset: number;
  /** -1 where the reader does not say. */
  readonly currentLeaderEpoch: number;
  readonly lastFetchedEpoch: number;
  readonly maxBytes: number;
}

export interface Reader {
  /** The node id of a follower, -1 for a consumer. */
  readonly replicaId: number;
  readonly bound: ReadBound;
}

export interface PartitionFetch {
  readonly errorCode: number;
  /** The local replica, where there is one. */
  readonly partition: Partition | undefined;
  /** Null on an error or a diverging history. */
  readonly read: LogRead | null;
  readonly diverging: EpochEndOffset | null;
}

const UNKNOWN_EPOCH = -1;

/** Reads up to `maxBytes`; with `minOneBatch` at least one batch if there is any below the bound. */
export function fetchPartition(
  replicas: ReplicaManager,
  target: FetchTarget,
  reader: Reader,
  maxBytes: number,
  minOneBatch: boolean,
): PartitionFetch {
  const found = replicas.led(target.topic, target.partition, target.currentLeaderEpoch);
  const { partition } = found;
  if (partition === undefined || found.errorCode !== ErrorCode.NONE)
    return failed(found.errorCode, partition);
  if (reader.replicaId >= 0 && !partition.replicas.includes(reader.replicaId)) {
    return failed(ErrorCode.NOT_LEADER_OR_FOLLOWER, partition);
  }
  if (target.fetchOffset < partition.logStartOffset) return failed(ErrorCode.OFFSET_OUT_OF_RANGE, partition);
  if (target.lastFetchedEpoch !== UNKNOWN_EPOCH) {
    const end = partition.log.endOffsetForEpoch(target.lastFetchedEpoch);
    if (end.epoch === UNKNOWN_EPOCH) return failed(ErrorCode.OFFSET_OUT_OF_RANGE, partition);
    if (end.epoch < target.lastFetchedEpoch || end.endOffset < target.fetchOffset) {
      return { errorCode: ErrorCode.NONE, partition, read: null, diverging: end };
    }
  }
  try {
    const read = partition.read(target.fetchOffset, { maxBytes, bound: reader.bound, minOneBatch });
    return { errorCode: ErrorCode.NONE, partition, read, diverging: null };
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return failed(error.kafkaErrorCode, partition);
  }
}

function failed(errorCode: number, partition: Partition | undefined): PartitionFetch {
  return { errorCode, partition, read: null, diverging: null };
}
