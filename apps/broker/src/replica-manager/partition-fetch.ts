/**
 * Reading one partition for a fetch: what its replica says to it, then the bytes; or, for a consumer that may as well
 * read nearer by, who that is.
 */
import { type EpochEndOffset, LogError, type LogRead } from '@seatlog/commit-log';
import { CONSUMER, type CurrentLeader, type FetchVerdict } from '@seatlog/replication';
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
  /** Of a follower's log; -1 for a consumer. */
  readonly logStartOffset: number;
  readonly maxBytes: number;
}

export interface Reader {
  /** The node id of a follower, -1 for a consumer. */
  readonly replicaId: number;
  /** The follower's incarnation; -1 for a consumer. */
  readonly brokerEpoch: number;
  readonly isReadCommitted: boolean;
  /** Whether the version and a rack allow a consumer to read from a follower. */
  readonly mayReadFromFollower: boolean;
  /** A replica that the reader had better read from; null: this one. */
  readonly preferredReplica: (partition: Partition, fetchOffset: number) => number | null;
}

export interface PartitionFetch {
  readonly errorCode: number;
  /** The local replica, where there is one. */
  readonly partition: Partition | undefined;
  /** Null on an error, a diverging history, or a preferred replica. */
  readonly read: LogRead | null;
  /** How far the read could go. */
  readonly bound: ReadBound | null;
  readonly diverging: EpochEndOffset | null;
  /** Where the reader asked the wrong broker, or at the wrong time. */
  readonly currentLeader: CurrentLeader | null;
  readonly preferredReplica: number | null;
}

/** Reads up to `maxBytes`; with `minOneBatch` at least one batch if there is any below the bound. */
export function fetchPartition(
  replicas: ReplicaManager,
  target: FetchTarget,
  reader: Reader,
  limits: { readonly maxBytes: number; readonly minOneBatch: boolean },
  when: 'first' | 'again',
): PartitionFetch {
  const partition = replicas.partition(target.topic, target.partition);
  if (partition === undefined) {
    return failed(replicas.led(target.topic, target.partition).errorCode, partition);
  }
  const verdict = partition.lookAtFetch(lookOf(target, reader), when);
  switch (verdict.kind) {
    case 'refused':
      return { ...failed(verdict.errorCode, partition), currentLeader: verdict.currentLeader };
    case 'diverging':
      return {
        ...failed(ErrorCode.NONE, partition),
        diverging: { epoch: verdict.epoch, endOffset: verdict.endOffset },
      };
    case 'read':
      return readPartition(partition, target, reader, limits, verdict);
  }
}

function lookOf(
  target: FetchTarget,
  { replicaId, brokerEpoch, isReadCommitted, mayReadFromFollower }: Reader,
) {
  const { currentLeaderEpoch, fetchOffset, lastFetchedEpoch, logStartOffset } = target;
  return {
    replicaId,
    brokerEpoch,
    currentLeaderEpoch,
    fetchOffset,
    lastFetchedEpoch,
    logStartOffset,
    isReadCommitted,
    mayReadFromFollower,
  };
}

function readPartition(
  partition: Partition,
  { fetchOffset }: FetchTarget,
  reader: Reader,
  limits: { readonly maxBytes: number; readonly minOneBatch: boolean },
  { bound }: Extract<FetchVerdict, { kind: 'read' }>,
): PartitionFetch {
  const preferredReplica =
    reader.replicaId === CONSUMER && partition.isLeader
      ? reader.preferredReplica(partition, fetchOffset)
      : null;
  if (preferredReplica !== null) return { ...failed(ErrorCode.NONE, partition), preferredReplica };
  try {
    const read = partition.read(fetchOffset, { ...limits, bound });
    return {
      errorCode: ErrorCode.NONE,
      partition,
      read,
      bound,
      diverging: null,
      currentLeader: null,
      preferredReplica: null,
    };
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return failed(error.kafkaErrorCode, partition);
  }
}

function failed(errorCode: number, partition: Partition | undefined): PartitionFetch {
  return {
    errorCode,
    partition,
    read: null,
    bound: null,
    diverging: null,
    currentLeader: null,
    preferredReplica: null,
  };
}
