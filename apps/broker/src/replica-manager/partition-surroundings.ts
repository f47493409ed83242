import type { Clock } from '@seatlog/runtime';
import type { ClusterView } from '@seatlog/replication';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';
import type { EffectOrder } from './effect-order.ts';
import type { FetcherConnections } from './fetcher-connections.ts';
import type { IsrProposals } from './isr-proposals.ts';
import type { ReplicaDirectories } from './replica-directories.ts';
import type { LeadershipChange } from './replica-manager.ts';

/** What the replicas of one broker share. */
export interface PartitionSurroundings {
  readonly nodeId: number;
  readonly cluster: ClusterView;
  readonly clock: Clock;
  readonly order: EffectOrder;
  readonly fetchers: FetcherConnections;
  readonly proposals: IsrProposals;
  readonly directories: ReplicaDirectories;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
  /** `replica.lag.time.max.ms`. */
  readonly replicaLagTimeMaxMs: number;
  /** `replica.fetch.backoff.ms`. */
  readonly fetchBackoffMs: number;
  readonly leadershipChanged: (change: LeadershipChange) => void;
}
