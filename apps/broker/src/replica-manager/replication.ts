/** What the replicas of one broker have in common, made from its configuration. */
import type { Clock, Network, Timers } from '@seatlog/runtime';
import type { BrokerConfig } from '../config/broker-config.ts';
import { parseListeners } from '../config/listener.ts';
import type { BrokerConfigValues } from '../config/definitions.ts';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';
import { EffectOrder } from './effect-order.ts';
import { FetcherConnections } from './fetcher-connections.ts';
import { ImageClusterView } from './image-cluster-view.ts';
import { IsrProposals } from './isr-proposals.ts';
import type { LocalPartition } from './local-partition.ts';
import type { PartitionSurroundings } from './partition-surroundings.ts';
import { ReplicaDirectories } from './replica-directories.ts';
import type { FetcherDescription } from './replica-manager.ts';

/** How long the controller may take over a proposal; then it is sent again, maybe to another. */
const PROPOSAL_MS = 5000;

export interface ReplicationOptions {
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly network: Network;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
}

export interface Replication {
  readonly cluster: ImageClusterView;
  readonly fetchers: FetcherConnections;
  readonly proposals: IsrProposals;
  readonly directories: ReplicaDirectories;
  readonly surroundings: Omit<PartitionSurroundings, 'leadershipChanged'>;
}

export function replicationOf(
  { config, clock, timers, network, log, metrics }: ReplicationOptions,
  partitionOf: (topicId: string, index: number) => LocalPartition | undefined,
): Replication {
  const { values } = config;
  const nodeId = values['node.id'];
  const cluster = new ImageClusterView(nodeId);
  const order = new EffectOrder();
  const fetchers = new FetcherConnections({
    nodeId,
    cluster,
    order,
    network,
    clock,
    timers,
    log,
    listenerName: listenerBetweenBrokers(values),
    numReplicaFetchers: values['num.replica.fetchers'],
    settings: {
      waitMaxMs: values['replica.fetch.wait.max.ms'],
      minBytes: values['replica.fetch.min.bytes'],
      maxBytes: values['replica.fetch.max.bytes'],
      responseMaxBytes: values['replica.fetch.response.max.bytes'],
    },
    socketTimeoutMs: values['replica.socket.timeout.ms'],
  });
  const proposals = new IsrProposals({
    nodeId,
    cluster,
    order,
    timers,
    log,
    requestTimeoutMs: PROPOSAL_MS,
    settle: (proposal, verdict) =>
      partitionOf(proposal.topicId, proposal.partition)?.tellLeader({
        type: 'isr-answered',
        proposal,
        verdict,
      }),
  });
  const directories = new ReplicaDirectories({ nodeId, cluster, timers, log });
  return {
    cluster,
    fetchers,
    proposals,
    directories,
    surroundings: {
      nodeId,
      cluster,
      clock,
      order,
      fetchers,
      proposals,
      directories,
      log,
      metrics,
      replicaLagTimeMaxMs: values['replica.lag.time.max.ms'],
      fetchBackoffMs: values['replica.fetch.backoff.ms'],
    },
  };
}

/** `inter.broker.listener.name`, else the first listener for clients. */
function listenerBetweenBrokers(values: BrokerConfigValues): string {
  const named = values['inter.broker.listener.name'];
  if (named !== null) return named;
  const controllerNames = values['controller.listener.names'];
  const names = parseListeners('listeners', values.listeners).map(({ name }) => name);
  return names.find((name) => !controllerNames.includes(name)) ?? '';
}

export function describeFetchers({ fetchers }: FetcherConnections): readonly FetcherDescription[] {
  return Array.from(fetchers, ({ identity, followers }) => ({
    name: identity.name,
    leaderId: identity.leaderId,
    partitions: Array.from(followers, (follower) => ({
      topic: follower.identity.topic,
      partition: follower.identity.partition,
      state: follower.state.kind,
      lag: follower.lag,
    })),
  }));
}
