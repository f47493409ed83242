/** What the answers of other replicas say: an error, who leads, and what was asked for. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { SnapshotId } from '../quorum/snapshot.ts';
import type { LeaderAndEpoch } from './quorum-effects.ts';
import type { QuorumApiName, ReceivedResponse } from './quorum-messages.ts';
import type { SnapshotChunk } from './snapshot-download.ts';

type Body<Name extends QuorumApiName> = Extract<ReceivedResponse, { readonly api: Name }>['body'];

export interface Answered {
  /** The whole answer's or the partition's. */
  readonly errorCode: number;
  /** Who leads, as the sender knows; epoch -1 if it says nothing. */
  readonly leader: LeaderAndEpoch;
}

export interface VoteAnswered extends Answered {
  readonly granted: boolean;
}

export interface FetchAnswered extends Answered {
  readonly highWatermark: number;
  readonly diverging: { readonly epoch: number; readonly endOffset: number } | null;
  readonly snapshotId: SnapshotId | null;
}

export interface SnapshotAnswered extends Answered {
  readonly chunk: SnapshotChunk | null;
}

const nobody: LeaderAndEpoch = { leaderId: -1, epoch: -1 };

export function voteAnswered({ errorCode, topics }: Body<'vote'>): VoteAnswered {
  const partition = topics[0]?.partitions[0];
  if (errorCode !== ErrorCode.NONE || partition === undefined)
    return { ...failed(errorCode), granted: false };
  return { ...answered(partition), granted: partition.voteGranted };
}

export function epochAnswered({ errorCode, topics }: Body<'beginQuorumEpoch' | 'endQuorumEpoch'>): Answered {
  const partition = topics[0]?.partitions[0];
  return errorCode !== ErrorCode.NONE || partition === undefined ? failed(errorCode) : answered(partition);
}

export function fetchAnswered({ errorCode, responses }: Body<'fetch'>): FetchAnswered {
  const partition = responses[0]?.partitions[0];
  if (errorCode !== ErrorCode.NONE || partition === undefined) {
    return { ...failed(errorCode), highWatermark: -1, diverging: null, snapshotId: null };
  }
  const { divergingEpoch, snapshotId, currentLeader, highWatermark } = partition;
  return {
    ...answered({ errorCode: partition.errorCode, ...currentLeader }),
    highWatermark,
    diverging: divergingEpoch.endOffset >= 0 ? divergingEpoch : null,
    snapshotId: snapshotId.endOffset >= 0 ? snapshotId : null,
  };
}

export function snapshotAnswered({ errorCode, topics }: Body<'fetchSnapshot'>): SnapshotAnswered {
  const partition = topics[0]?.partitions[0];
  if (errorCode !== ErrorCode.NONE || partition === undefined) return { ...failed(errorCode), chunk: null };
  const { currentLeader } = partition;
  return { ...answered({ errorCode: partition.errorCode, ...currentLeader }), chunk: partition };
}

function answered(fields: {
  readonly errorCode: number;
  readonly leaderId: number;
  readonly leaderEpoch: number;
}): Answered {
  const { errorCode, leaderId, leaderEpoch: epoch } = fields;
  return { errorCode, leader: { leaderId, epoch } };
}

/** An answer without the partition that was asked for is none. */
function failed(errorCode: number): Answered {
  return {
    errorCode: errorCode === ErrorCode.NONE ? ErrorCode.UNKNOWN_SERVER_ERROR : errorCode,
    leader: nobody,
  };
}
