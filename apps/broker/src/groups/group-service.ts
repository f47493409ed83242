/**
 * The edge of the group coordinator, as the rest of the broker sees it: the handlers of the group APIs, the broker's
 * start and stop, and its HTTP endpoints.
 *
 * A group belongs to one partition of `__consumer_offsets`, and is coordinated by that partition's leader. Requests
 * for groups of other partitions are answered with NOT_COORDINATOR, and with COORDINATOR_LOAD_IN_PROGRESS while the
 * partition is being read back.
 */
import type {
  DescribedGroup,
  FetchedTopic,
  GroupRequestBody,
  GroupRequestType,
  GroupResponseTo,
  ListedGroup,
  OffsetFetchTopic,
} from '@seatlog/group-coordinator';

export interface GroupSummary {
  readonly groupId: string;
  readonly state: string;
  readonly members: number;
  readonly committed: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly offset: number;
  }[];
}

export interface FetchedOffsets {
  readonly errorCode: number;
  readonly topics: readonly FetchedTopic[];
}

export interface GroupDescription {
  readonly errorCode: number;
  /** Null: this broker coordinates the group's partition, and there is no such group. */
  readonly group: DescribedGroup | null;
}

export interface GroupListing {
  readonly errorCode: number;
  readonly groups: readonly ListedGroup[];
}

export interface Coordinator {
  readonly errorCode: number;
  readonly errorMessage: string | null;
  /** -1, with an empty host and port -1, on an error. */
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
}

export interface GroupService {
  /** Starts to follow the leadership of `__consumer_offsets` partitions (see `ReplicaManager.onLeadership`). */
  start(): void;
  /** Answers all parked members with NOT_COORDINATOR and cancels every timer. */
  stop(): void;
  /** For `/state` and the `kafka_consumergroup_*` metrics. */
  summaries(): readonly GroupSummary[];

  /** Hands a request to the group's coordinator. `respond` is called once, at once or when the answer is there. */
  ask<T extends GroupRequestType>(
    type: T,
    request: GroupRequestBody<T>,
    respond: (response: GroupResponseTo<T>) => void,
  ): void;
  /** What the group has committed; `topics` null for all of it. */
  fetchOffsets(groupId: string, topics: readonly OffsetFetchTopic[] | null): FetchedOffsets;
  describe(groupId: string): GroupDescription;
  /** The groups that this broker coordinates. */
  list(): GroupListing;
  /** Who coordinates the group, as reached on that listener. Creates `__consumer_offsets` if it is not there. */
  findCoordinator(groupId: string, listenerName: string, done: (coordinator: Coordinator) => void): void;
}
