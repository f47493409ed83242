/**
 * @seatlog/group-coordinator: classic consumer groups and committed offsets as a pure state machine, and Kafka's
 * record formats for both. `GroupShard` is the way in; it says what it promises and expects.
 */
export { defaultGroupConfig, type GroupConfig } from './config.ts';
export type { GroupEffect } from './effects.ts';
export type {
  CommitOffsetsEvent,
  DeleteGroupEvent,
  DeleteOffsetsEvent,
  GroupEvent,
  GroupProtocol,
  GroupRequest,
  GroupRequestBody,
  GroupRequestType,
  HeartbeatEvent,
  JoinEvent,
  LeaveEvent,
  LeavingMember,
  OffsetCommitTopic,
  RequestToken,
  SyncEvent,
} from './events.ts';
export type { DescribedGroup, DescribedMember, ListedGroup } from './group/description.ts';
export type { GroupState } from './group/group-state.ts';
export { groupPartition, javaStringHash } from './group-partition.ts';
export { GroupShard } from './group-shard.ts';
export type { GroupSnapshot, MemberSnapshot } from './loading/group-snapshot.ts';
export { type LoadSummary, ShardContents } from './loading/shard-contents.ts';
export type { CommittedOffset } from './offsets/committed-offset.ts';
export type { FetchedOffset, FetchedTopic, OffsetFetchTopic } from './offsets/fetching.ts';
export { groupMetadataRecord, groupTombstone } from './records/group-metadata-record.ts';
export { offsetCommitRecord, offsetTombstone } from './records/offset-commit-record.ts';
export type { OffsetsRecord } from './records/offsets-record.ts';
export { refusalOf, requestFault } from './refusals.ts';
export type {
  CommitOffsetsResponse,
  DeleteGroupResponse,
  DeleteOffsetsResponse,
  GroupResponse,
  GroupResponseTo,
  HeartbeatResponse,
  JoinResponse,
  JoinResponseMember,
  LeaveResponse,
  PartitionErrors,
  SyncResponse,
} from './responses.ts';
export type { Moment } from './step.ts';
export { type TimerName, timerKey } from './timers.ts';
