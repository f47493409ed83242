import type { PartitionMetadata } from '../cluster-view.ts';
import type { IsrProposal, IsrVerdict } from '../isr/isr-proposal.ts';

/** What happens to a partition on the broker that leads it. */
export type LeaderEvent =
  /** The first event of a leader. */
  | { readonly type: 'elected' }
  /** The metadata changed, and this broker still leads. */
  | { readonly type: 'metadata'; readonly metadata: PartitionMetadata; readonly config?: LeaderConfig }
  /** A broker was fenced, came back, began to stop, or registered anew. */
  | { readonly type: 'brokers-changed' }
  | { readonly type: 'configured'; readonly config: LeaderConfig }
  /** The log's event: more is written. */
  | { readonly type: 'log-end-advanced' }
  | { readonly type: 'log-start-raised' }
  | FollowerFetched
  /** Due every `replica.lag.time.max.ms` / 2. */
  | { readonly type: 'lag-check' }
  | { readonly type: 'isr-answered'; readonly proposal: IsrProposal; readonly verdict: IsrVerdict }
  /** A produce with acks=all is in the log; `requiredOffset` is its last offset + 1. */
  | { readonly type: 'await-replication'; readonly token: number; readonly requiredOffset: number }
  /** Records below `requiredOffset` were deleted here. */
  | { readonly type: 'await-deletion'; readonly token: number; readonly requiredOffset: number }
  /** The request of that token has waited long enough. */
  | { readonly type: 'wait-expired'; readonly token: number }
  /** The last event: another broker leads, or none, or the partition is gone, or this broker stops. */
  | { readonly type: 'resigned' };

/** A follower's fetch was accepted: `checkFetch` said `read`. One that diverges is no report (KAFKA-13141). */
export interface FollowerFetched {
  readonly type: 'follower-fetched';
  readonly replicaId: number;
  readonly brokerEpoch: number;
  readonly fetchOffset: number;
  readonly logStartOffset: number;
  /** `again`: it had been parked, and was a report when it came. */
  readonly look: 'first' | 'again';
}

export interface LeaderConfig {
  /** `min.insync.replicas`. */
  readonly minInsyncReplicas: number;
  /** `replica.lag.time.max.ms`. */
  readonly replicaLagTimeMaxMs: number;
}
