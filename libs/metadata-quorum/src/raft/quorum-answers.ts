/**
 * The answers that a replica of the metadata log gives. The addresses of voters (`nodeEndpoints`) are left out: every
 * node has them from its configuration, and the elder versions have no place for them.
 */
import { METADATA_TOPIC } from '../controller/topic-name.ts';
import type { SnapshotId } from '../quorum/snapshot.ts';
import type { LeaderAndEpoch } from './quorum-effects.ts';
import { METADATA_TOPIC_ID, type QuorumApiName, type ResponseToSend } from './quorum-messages.ts';

/** An error of the whole request: nothing in it was looked at. */
export function requestRefused(api: QuorumApiName, errorCode: number): ResponseToSend {
  if (api === 'fetch') return { api, body: { errorCode, responses: [] } };
  return { api, body: { errorCode, topics: [] } };
}

/** An error of the partition, with who leads. */
export function partitionRefused(
  api: QuorumApiName,
  errorCode: number,
  leader: LeaderAndEpoch,
): ResponseToSend {
  switch (api) {
    case 'vote':
      return voteAnswer(errorCode, leader, false);
    case 'fetch':
      return fetchAnswer({ errorCode, leader, highWatermark: -1, logStartOffset: -1 });
    case 'fetchSnapshot':
      return snapshotAnswer({ errorCode, leader, id: { endOffset: -1, epoch: -1 }, size: 0, position: 0 });
    default:
      return epochAnswer(api, errorCode, leader);
  }
}

export function voteAnswer(errorCode: number, leader: LeaderAndEpoch, voteGranted: boolean): ResponseToSend {
  const partition = { partitionIndex: 0, errorCode, ...leaderFields(leader), voteGranted };
  return {
    api: 'vote',
    body: { errorCode: 0, topics: [{ topicName: METADATA_TOPIC, partitions: [partition] }] },
  };
}

export function epochAnswer(
  api: 'beginQuorumEpoch' | 'endQuorumEpoch',
  errorCode: number,
  leader: LeaderAndEpoch,
): ResponseToSend {
  const partition = { partitionIndex: 0, errorCode, ...leaderFields(leader) };
  return { api, body: { errorCode: 0, topics: [{ topicName: METADATA_TOPIC, partitions: [partition] }] } };
}

export interface FetchAnswer {
  readonly errorCode: number;
  readonly leader: LeaderAndEpoch;
  readonly highWatermark: number;
  readonly logStartOffset: number;
  readonly diverging?: { readonly epoch: number; readonly endOffset: number };
  readonly snapshotId?: SnapshotId;
}

export function fetchAnswer(answer: FetchAnswer): ResponseToSend {
  const { errorCode, leader, highWatermark, logStartOffset, diverging, snapshotId } = answer;
  const partition = {
    partitionIndex: 0,
    errorCode,
    highWatermark,
    lastStableOffset: highWatermark,
    logStartOffset,
    currentLeader: leaderFields(leader),
    ...(diverging === undefined ? {} : { divergingEpoch: diverging }),
    ...(snapshotId === undefined ? {} : { snapshotId }),
    abortedTransactions: [],
    records: new Uint8Array(0),
  };
  const responses = [{ topic: METADATA_TOPIC, topicId: METADATA_TOPIC_ID, partitions: [partition] }];
  return { api: 'fetch', body: { errorCode: 0, responses } };
}

export interface SnapshotAnswer {
  readonly errorCode: number;
  readonly leader: LeaderAndEpoch;
  readonly id: SnapshotId;
  readonly size: number;
  readonly position: number;
}

export function snapshotAnswer(answer: SnapshotAnswer): ResponseToSend {
  const { errorCode, leader, id, size, position } = answer;
  const partition = {
    index: 0,
    errorCode,
    snapshotId: id,
    currentLeader: leaderFields(leader),
    size,
    position,
    unalignedRecords: new Uint8Array(0),
  };
  return {
    api: 'fetchSnapshot',
    body: { errorCode: 0, topics: [{ name: METADATA_TOPIC, partitions: [partition] }] },
  };
}

function leaderFields({ leaderId, epoch }: LeaderAndEpoch) {
  return { leaderId, leaderEpoch: epoch };
}
