/**
 * The edge of the group coordinator: what the broker's start, stop and HTTP endpoints need of it. The handlers of
 * the group APIs use what this folder adds to the interface.
 */
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

export interface GroupService {
  /** Starts to follow the leadership of `__consumer_offsets` partitions (see `ReplicaManager.onLeadership`). */
  start(): void;
  /** Answers all parked members with NOT_COORDINATOR and cancels every timer. */
  stop(): void;
  /** For `/state` and the `kafka_consumergroup_*` metrics. */
  summaries(): readonly GroupSummary[];
}
