/** The limits of group coordination, each under the name of Kafka's setting that it carries. */
export interface GroupConfig {
  /** `group.min.session.timeout.ms`: a member that asks for less is refused. */
  readonly minSessionTimeoutMs: number;
  /** `group.max.session.timeout.ms`: a member that asks for more is refused. */
  readonly maxSessionTimeoutMs: number;
  /** `group.initial.rebalance.delay.ms`: how long an empty group waits for more members. */
  readonly initialRebalanceDelayMs: number;
  /** `group.max.size`: the most members of one group. */
  readonly maxSize: number;
  /** How long a member that has no generation yet may stay parked in a join before it is dropped. */
  readonly newMemberJoinTimeoutMs: number;
  /** The most member ids of one group that were handed out and have not come back with a join. */
  readonly maxPendingMembers: number;
  /** `offset.metadata.max.bytes`: the longest text that may go with a committed offset. */
  readonly offsetMetadataMaxLength: number;
  /** `offsets.commit.timeout.ms`: how long a write may take before its caller is told that it failed. */
  readonly commitTimeoutMs: number;
  /** `offsets.retention.minutes`, in milliseconds: how long offsets that nobody uses are kept. */
  readonly offsetsRetentionMs: number;
}

const MINUTE_MS = 60_000;

/** Kafka's defaults. */
export const defaultGroupConfig: GroupConfig = {
  minSessionTimeoutMs: 6000,
  maxSessionTimeoutMs: 30 * MINUTE_MS,
  initialRebalanceDelayMs: 3000,
  maxSize: 2_147_483_647,
  newMemberJoinTimeoutMs: 5 * MINUTE_MS,
  maxPendingMembers: 10_000,
  offsetMetadataMaxLength: 4096,
  commitTimeoutMs: 5000,
  offsetsRetentionMs: 10_080 * MINUTE_MS,
};
