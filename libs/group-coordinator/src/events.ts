/**
 * What can happen to the groups of one `__consumer_offsets` partition. Requests carry a token that the caller
 * chooses, unique among its unanswered requests: the answer comes, at once or later, as a `respond` effect with it.
 *
 * Bytes in events are copied before they are kept.
 */
import type { TimerName } from './timers.ts';

export type RequestToken = number;

export interface GroupProtocol {
  readonly name: string;
  readonly metadata: Uint8Array;
}

export interface JoinEvent {
  readonly type: 'join';
  readonly token: RequestToken;
  readonly groupId: string;
  /** Empty: the member has no id yet. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  /** Negative: the request's version has none, the session timeout stands in. */
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  readonly protocols: readonly GroupProtocol[];
  readonly reason: string | null;
  /** A random UUID, the tail of the member's id if one has to be made. */
  readonly uuid: string;
  /** JoinGroup 4 and later: a dynamic member is first given its id and joins with it. */
  readonly requiresKnownMemberId: boolean;
  /** JoinGroup 9 and later: a static leader that comes back may be told to skip the assignment. */
  readonly supportsSkippingAssignment: boolean;
}

export interface SyncEvent {
  readonly type: 'sync';
  readonly token: RequestToken;
  readonly groupId: string;
  readonly memberId: string;
  readonly generationId: number;
  readonly groupInstanceId: string | null;
  /** Null: not stated (before SyncGroup 5), so not checked. */
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignments: readonly { readonly memberId: string; readonly assignment: Uint8Array }[];
}

export interface HeartbeatEvent {
  readonly type: 'heartbeat';
  readonly token: RequestToken;
  readonly groupId: string;
  readonly memberId: string;
  readonly generationId: number;
  readonly groupInstanceId: string | null;
}

export interface LeavingMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly reason: string | null;
}

export interface LeaveEvent {
  readonly type: 'leave';
  readonly token: RequestToken;
  readonly groupId: string;
  readonly members: readonly LeavingMember[];
}

export interface OffsetCommitTopic {
  readonly name: string;
  /** The topic's id, `ZERO_UUID` where it is not known. */
  readonly topicId: string;
  readonly partitions: readonly {
    readonly partitionIndex: number;
    readonly committedOffset: number;
    readonly committedLeaderEpoch: number;
    readonly committedMetadata: string | null;
  }[];
}

export interface CommitOffsetsEvent {
  readonly type: 'commit-offsets';
  readonly token: RequestToken;
  readonly groupId: string;
  readonly memberId: string;
  readonly generationId: number;
  readonly groupInstanceId: string | null;
  /** OffsetCommit 2 to 4: keep the offsets this long; -1 for the coordinator's own retention. */
  readonly retentionTimeMs: number;
  /** OffsetCommit 9 and later: a missing group is GROUP_ID_NOT_FOUND, before it is ILLEGAL_GENERATION. */
  readonly namesMissingGroup: boolean;
  readonly topics: readonly OffsetCommitTopic[];
}

export interface DeleteGroupEvent {
  readonly type: 'delete-group';
  readonly token: RequestToken;
  readonly groupId: string;
}

export interface DeleteOffsetsEvent {
  readonly type: 'delete-offsets';
  readonly token: RequestToken;
  readonly groupId: string;
  readonly topics: readonly { readonly name: string; readonly partitions: readonly number[] }[];
}

export type GroupRequest =
  | JoinEvent
  | SyncEvent
  | HeartbeatEvent
  | LeaveEvent
  | CommitOffsetsEvent
  | DeleteGroupEvent
  | DeleteOffsetsEvent;

export type GroupRequestType = GroupRequest['type'];

/** A request of that type without its token: what a client has to say. */
export type GroupRequestBody<T extends GroupRequestType> = Omit<
  Extract<GroupRequest, { type: T }>,
  'type' | 'token'
>;

export type GroupEvent =
  | GroupRequest
  /** A timer armed earlier has run out. Late, early and doubled ones do no harm. */
  | { readonly type: 'timer-fired'; readonly timer: TimerName }
  /**
   * An `append` effect is settled: 0 once the records are replicated, else Kafka's error code. After any error but
   * NOT_ENOUGH_REPLICAS_AFTER_APPEND the records must not be in the log.
   */
  | { readonly type: 'appended'; readonly appendId: number; readonly errorCode: number }
  /** The partition's records were all folded; sessions of loaded members begin now. */
  | { readonly type: 'loaded' }
  /** This node no longer coordinates the partition. Nothing may follow; timers that are armed are not wanted. */
  | { readonly type: 'resigned' }
  /** Look for offsets past their retention. */
  | { readonly type: 'expire-offsets' }
  /** Topics are gone, and with them the offsets that were committed for them. */
  | {
      readonly type: 'topics-deleted';
      readonly topics: readonly { readonly name: string; readonly topicId: string }[];
    };
