/**
 * Cluster metadata: the records of `__cluster_metadata-0`, the quorum that replicates them (`QuorumReplica`, whose contract
 * stands at its head), the image they fold into, and the controller's decisions.
 *
 * Pure: no clock, no disk, no network. What the caller must do:
 * - run decisions one after another, each on an image that holds the records of all before it;
 * - append a decision's records as one batch, whose first offset is `image.lastOffset + 1` (broker epochs are offsets);
 * - give a decision's answer only when its records are committed, and applied where that matters.
 */
export * from './controller/alter-configs.ts';
export * from './controller/alter-partition.ts';
export * from './controller/assign-directories.ts';
export * from './controller/broker-lifecycle.ts';
export type { ConfigSchema } from './controller/config-schema.ts';
export * from './controller/create-partitions.ts';
export * from './controller/create-topics.ts';
export type { Decision } from './controller/decision.ts';
export * from './controller/delete-topics.ts';
export * from './controller/elect-leaders.ts';
export * from './controller/features.ts';
export * from './controller/producer-ids.ts';
export { randomUuid } from './controller/random-uuid.ts';
export * from './controller/reassign-partitions.ts';
export {
  GROUP_OFFSETS_TOPIC,
  isInternalTopic,
  MAX_TOPIC_NAME_LENGTH,
  METADATA_TOPIC,
  SHARE_GROUP_STATE_TOPIC,
  topicNameProblem,
  TRANSACTION_STATE_TOPIC,
} from './controller/topic-name.ts';
export { minInsyncReplicas, uncleanLeaderElection } from './controller/topic-setting.ts';
export * from './image/cluster-changes.ts';
export * from './image/cluster-image.ts';
export { fold, foldAll } from './image/image-draft.ts';
export { imageRecords } from './image/image-records.ts';
export * from './metadata-error.ts';
export * from './quorum/metadata-controller.ts';
export { MetadataReplay } from './quorum/metadata-replay.ts';
export * from './quorum/quorum-state.ts';
export * from './quorum/snapshot.ts';
export type * from './raft/quorum-description.ts';
export type * from './raft/quorum-effects.ts';
export type * from './raft/quorum-events.ts';
export type * from './raft/quorum-log.ts';
export * from './raft/quorum-messages.ts';
export type * from './raft/quorum-moment.ts';
export * from './raft/quorum-replica.ts';
export * from './raft/quorum-settings.ts';
export type * from './records/control-records.ts';
export * from './records/metadata-batch.ts';
export * from './records/metadata-record.ts';
export { decodeMetadataRecord, encodeMetadataRecord } from './records/record-frame.ts';
