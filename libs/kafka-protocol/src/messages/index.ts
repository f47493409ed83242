/** The table of all APIs that are declared. */
import type { AnyApi } from '../api.ts';
import { produce } from './00-produce.ts';
import { fetch } from './01-fetch.ts';
import { listOffsets } from './02-list-offsets.ts';
import { metadata } from './03-metadata.ts';
import { offsetCommit } from './08-offset-commit.ts';
import { offsetFetch } from './09-offset-fetch.ts';
import { findCoordinator } from './10-find-coordinator.ts';
import { joinGroup } from './11-join-group.ts';
import { heartbeat } from './12-heartbeat.ts';
import { leaveGroup } from './13-leave-group.ts';
import { syncGroup } from './14-sync-group.ts';
import { describeGroups } from './15-describe-groups.ts';
import { listGroups } from './16-list-groups.ts';
import { apiVersions } from './18-api-versions.ts';
import { createTopics } from './19-create-topics.ts';
import { deleteTopics } from './20-delete-topics.ts';
import { deleteRecords } from './21-delete-records.ts';
import { initProducerId } from './22-init-producer-id.ts';
import { offsetForLeaderEpoch } from './23-offset-for-leader-epoch.ts';
import { addPartitionsToTxn } from './24-add-partitions-to-txn.ts';
import { addOffsetsToTxn } from './25-add-offsets-to-txn.ts';
import { endTxn } from './26-end-txn.ts';
import { txnOffsetCommit } from './28-txn-offset-commit.ts';
import { describeConfigs } from './32-describe-configs.ts';
import { alterConfigs } from './33-alter-configs.ts';
import { describeLogDirs } from './35-describe-log-dirs.ts';
import { createPartitions } from './37-create-partitions.ts';
import { deleteGroups } from './42-delete-groups.ts';
import { electLeaders } from './43-elect-leaders.ts';
import { incrementalAlterConfigs } from './44-incremental-alter-configs.ts';
import { alterPartitionReassignments } from './45-alter-partition-reassignments.ts';
import { listPartitionReassignments } from './46-list-partition-reassignments.ts';
import { offsetDelete } from './47-offset-delete.ts';
import { vote } from './52-vote.ts';
import { beginQuorumEpoch } from './53-begin-quorum-epoch.ts';
import { endQuorumEpoch } from './54-end-quorum-epoch.ts';
import { describeQuorum } from './55-describe-quorum.ts';
import { alterPartition } from './56-alter-partition.ts';
import { envelope } from './58-envelope.ts';
import { fetchSnapshot } from './59-fetch-snapshot.ts';
import { describeCluster } from './60-describe-cluster.ts';
import { describeProducers } from './61-describe-producers.ts';
import { brokerRegistration } from './62-broker-registration.ts';
import { brokerHeartbeat } from './63-broker-heartbeat.ts';
import { unregisterBroker } from './64-unregister-broker.ts';
import { allocateProducerIds } from './67-allocate-producer-ids.ts';
import { consumerGroupHeartbeat } from './68-consumer-group-heartbeat.ts';
import { assignReplicasToDirs } from './73-assign-replicas-to-dirs.ts';
import { describeTopicPartitions } from './75-describe-topic-partitions.ts';

export const apis = {
  produce,
  fetch,
  listOffsets,
  metadata,
  offsetCommit,
  offsetFetch,
  findCoordinator,
  joinGroup,
  heartbeat,
  leaveGroup,
  syncGroup,
  describeGroups,
  listGroups,
  apiVersions,
  createTopics,
  deleteTopics,
  deleteRecords,
  initProducerId,
  offsetForLeaderEpoch,
  addPartitionsToTxn,
  addOffsetsToTxn,
  endTxn,
  txnOffsetCommit,
  describeConfigs,
  alterConfigs,
  describeLogDirs,
  createPartitions,
  deleteGroups,
  electLeaders,
  incrementalAlterConfigs,
  alterPartitionReassignments,
  listPartitionReassignments,
  offsetDelete,
  vote,
  beginQuorumEpoch,
  endQuorumEpoch,
  describeQuorum,
  alterPartition,
  envelope,
  fetchSnapshot,
  describeCluster,
  describeProducers,
  brokerRegistration,
  brokerHeartbeat,
  unregisterBroker,
  allocateProducerIds,
  consumerGroupHeartbeat,
  assignReplicasToDirs,
  describeTopicPartitions,
} as const;

const byKey: ReadonlyMap<number, AnyApi> = new Map(Object.values(apis).map((api) => [api.key, api]));

/** The API of a key, or undefined if none is declared. */
export function apiByKey(key: number): AnyApi | undefined {
  return byKey.get(key);
}
