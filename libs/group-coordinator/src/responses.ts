/** Answers to requests, under Kafka's field names. Error codes are Kafka's, 0 for none. */
export interface JoinResponseMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly metadata: Uint8Array;
}

export interface JoinResponse {
  readonly type: 'join';
  readonly errorCode: number;
  readonly generationId: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly leader: string;
  readonly skipAssignment: boolean;
  readonly memberId: string;
  /** All members for the leader, empty for the others. */
  readonly members: readonly JoinResponseMember[];
}

export interface SyncResponse {
  readonly type: 'sync';
  readonly errorCode: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignment: Uint8Array;
}

export interface HeartbeatResponse {
  readonly type: 'heartbeat';
  readonly errorCode: number;
}

export interface LeaveResponse {
  readonly type: 'leave';
  readonly errorCode: number;
  readonly members: readonly {
    readonly memberId: string;
    readonly groupInstanceId: string | null;
    readonly errorCode: number;
  }[];
}

export interface PartitionErrors {
  readonly name: string;
  readonly partitions: readonly { readonly partitionIndex: number; readonly errorCode: number }[];
}

export interface CommitOffsetsResponse {
  readonly type: 'commit-offsets';
  /** One entry per topic of the request and one per partition of it, in the request's order. */
  readonly topics: readonly PartitionErrors[];
}

export interface DeleteGroupResponse {
  readonly type: 'delete-group';
  readonly errorCode: number;
}

export interface DeleteOffsetsResponse {
  readonly type: 'delete-offsets';
  readonly errorCode: number;
  readonly topics: readonly PartitionErrors[];
}

export type GroupResponse =
  | JoinResponse
  | SyncResponse
  | HeartbeatResponse
  | LeaveResponse
  | CommitOffsetsResponse
  | DeleteGroupResponse
  | DeleteOffsetsResponse;

/** The answer to a request of that type. */
export type GroupResponseTo<T extends GroupResponse['type']> = Extract<GroupResponse, { type: T }>;
