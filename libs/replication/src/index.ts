/**
 * @seatlog/replication: partitions copied from leaders to followers, as pure state machines. Events in, effects out; no
 * clock, no disk, no network.
 *
 * - `PartitionReplica`: one replica on this broker through its roles, leader or follower.
 * - `ReplicaFetchers`: the broker's fetchers, each with the partitions that it follows from one leader.
 * - `AlterPartitionChannel`: the broker's proposals to the controller.
 * - `PendingProduce`: one Produce request over its partitions.
 *
 * The caller carries effects out in order and gives back what comes of them; `replica`, `fetchers` and `channel` speak to
 * each other through it: `follow`, `unfollow` and `fetch-state-changed` go to the fetchers, `propose-isr` and
 * `withdraw-isr` to the channel, its `answer` to the leader, `follower` effects are those of the partition.
 */
export {
  type ClusterView,
  isActive,
  type KnownBroker,
  LOST_DIRECTORY,
  NO_LEADER,
  type PartitionMetadata,
  UNKNOWN_BROKER_EPOCH,
} from './cluster-view.ts';
export {
  CONSUMER,
  type CurrentLeader,
  type FetchLook,
  type FetchVerdict,
  type ReadBound,
} from './fetch-verdict.ts';
export type { FetchState } from './follower/fetch-state.ts';
export type { FetcherEffect, FetcherIdentity } from './follower/fetcher-effects.ts';
export { fetcherIdOf, fetcherName } from './follower/fetcher-assignment.ts';
export { DEFAULT_FETCH_SETTINGS, type FetchRequest, type FetchSettings } from './follower/fetch-request.ts';
export type { FollowerEffect } from './follower/follower-effects.ts';
export type {
  FetchedPartition,
  FetchPosition,
  FollowerEvent,
  LogOutcome,
} from './follower/follower-events.ts';
export { PartitionFollower, type PartitionFollowerOptions } from './follower/partition-follower.ts';
export type { FetchResponse, ReplicaFetcher } from './follower/replica-fetcher.ts';
export {
  type FetchersEvent,
  ReplicaFetchers,
  type ReplicaFetchersOptions,
} from './follower/replica-fetchers.ts';
export {
  AlterPartitionChannel,
  type AlterPartitionRequest,
  type AlterPartitionResponse,
  type ChannelEffect,
  type ChannelEvent,
  type ChannelLimits,
  DEFAULT_CHANNEL_LIMITS,
} from './isr/alter-partition-channel.ts';
export type { CommittedIsr, IsrState, PendingExpandIsr, PendingShrinkIsr } from './isr/in-sync-replicas.ts';
export type { IsrMember, IsrProposal, IsrVerdict } from './isr/isr-proposal.ts';
export { leaderEpochError } from './leader-epoch-fence.ts';
export type { FollowerState } from './leader/follower-state.ts';
export type { LeaderEffect, LeaderMetric } from './leader/leader-effects.ts';
export type { FollowerFetched, LeaderConfig, LeaderEvent } from './leader/leader-events.ts';
export { PartitionLeader, type PartitionLeaderOptions } from './leader/partition-leader.ts';
export type { LogLine } from './log-line.ts';
export type { Moment } from './moment.ts';
export { type PartitionIdentity, partitionName } from './partition-identity.ts';
export {
  PartitionReplica,
  type PartitionReplicaOptions,
  type OutsideLeaderEvent,
  type ReplicaEffect,
  type ReplicaEvent,
  type ReplicaRole,
} from './partition-replica.ts';
export {
  PendingProduce,
  type ProduceEffect,
  type ProduceEvent,
  type ProduceOutcome,
  failedOutcome,
  replicatedOutcome,
  type WrittenBatch,
  writtenOutcome,
} from './produce/pending-produce.ts';
export type { EpochEndOffset, ReplicaLog } from './replica-log.ts';
export {
  REPORT_PAUSE_MS,
  type ReportedReplica,
  type ReportEffect,
  ReplicaReports,
} from './replica-reports.ts';
export type { WaitingFetches, WakeFetches } from './waiting-fetches.ts';
