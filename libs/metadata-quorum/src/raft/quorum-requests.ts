/** The requests that a replica of the metadata log sends. Bodies of the latest versions; directories are its own. */
import type { SnapshotId } from '../quorum/snapshot.ts';
import { METADATA_TOPIC } from '../controller/topic-name.ts';
import type { LogPosition } from './log-position.ts';
import type { QuorumLog } from './quorum-log.ts';
import { METADATA_TOPIC_ID, type RequestToSend } from './quorum-messages.ts';
import type { QuorumSettings } from './quorum-settings.ts';

export function voteRequest(
  { clusterId, nodeId, directoryId }: QuorumSettings,
  voterId: number,
  epoch: number,
  position: LogPosition,
  preVote: boolean,
): RequestToSend {
  const partition = {
    partitionIndex: 0,
    replicaEpoch: epoch,
    replicaId: nodeId,
    replicaDirectoryId: directoryId,
    lastOffsetEpoch: position.epoch,
    lastOffset: position.offset,
    preVote,
  };
  const topics = [{ topicName: METADATA_TOPIC, partitions: [partition] }];
  return { api: 'vote', body: { clusterId, voterId, topics } };
}

export function beginQuorumEpochRequest(
  settings: QuorumSettings,
  voterId: number,
  leaderEpoch: number,
): RequestToSend {
  const { clusterId, nodeId: leaderId } = settings;
  const topics = [{ topicName: METADATA_TOPIC, partitions: [{ partitionIndex: 0, leaderId, leaderEpoch }] }];
  return {
    api: 'beginQuorumEpoch',
    body: { clusterId, voterId, topics, leaderEndpoints: ownEndpoints(settings) },
  };
}

/** `successors`: the voters whose logs are furthest come first. */
export function endQuorumEpochRequest(
  settings: QuorumSettings,
  leaderEpoch: number,
  successors: readonly { readonly id: number; readonly directoryId: string }[],
): RequestToSend {
  const { clusterId, nodeId: leaderId } = settings;
  const partition = {
    partitionIndex: 0,
    leaderId,
    leaderEpoch,
    preferredCandidates: successors.map(({ id, directoryId }) => ({
      candidateId: id,
      candidateDirectoryId: directoryId,
    })),
  };
  const topics = [{ topicName: METADATA_TOPIC, partitions: [partition] }];
  return { api: 'endQuorumEpoch', body: { clusterId, topics, leaderEndpoints: ownEndpoints(settings) } };
}

export function fetchRequest(
  { clusterId, nodeId, directoryId, limits }: QuorumSettings,
  epoch: number,
  log: QuorumLog,
  position: LogPosition,
  maxWaitMs: number,
): RequestToSend {
  const partition = {
    partition: 0,
    currentLeaderEpoch: epoch,
    fetchOffset: position.offset,
    lastFetchedEpoch: position.epoch,
    logStartOffset: log.logStartOffset,
    partitionMaxBytes: limits.fetchMaxBytes,
    replicaDirectoryId: directoryId,
  };
  return {
    api: 'fetch',
    body: {
      clusterId,
      replicaState: { replicaId: nodeId, replicaEpoch: -1 },
      maxWaitMs,
      minBytes: 1,
      maxBytes: limits.fetchMaxBytes,
      topics: [{ topic: METADATA_TOPIC, topicId: METADATA_TOPIC_ID, partitions: [partition] }],
      forgottenTopicsData: [],
    },
  };
}

export function fetchSnapshotRequest(
  { clusterId, nodeId, directoryId, limits }: QuorumSettings,
  currentLeaderEpoch: number,
  snapshotId: SnapshotId,
  position: number,
): RequestToSend {
  const partition = {
    partition: 0,
    currentLeaderEpoch,
    snapshotId,
    position,
    replicaDirectoryId: directoryId,
  };
  const topics = [{ name: METADATA_TOPIC, partitions: [partition] }];
  return {
    api: 'fetchSnapshot',
    body: { clusterId, replicaId: nodeId, maxBytes: limits.snapshotChunkBytes, topics },
  };
}

function ownEndpoints({ nodeId, voters, listenerName: name }: QuorumSettings) {
  return voters.filter(({ id }) => id === nodeId).map(({ host, port }) => ({ name, host, port }));
}
