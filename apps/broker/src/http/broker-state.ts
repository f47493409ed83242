/** `/state`: what the broker holds, for consoles and for people. */
import type { NodeState } from '../node-options.ts';
import type { DescribedQuorum } from '../quorum/metadata-quorum.ts';
import type { LoadProgress } from '../replica-manager/image-application.ts';
import type { BrokerServices } from '../services.ts';
import { partitionState } from './partition-state.ts';
import { quorumState } from './quorum-state.ts';

/** How this process stands in its cluster. */
export interface BrokerStanding {
  readonly state: NodeState;
  readonly brokerEpoch: number;
  readonly fenced: boolean;
  /** While its logs are being opened. */
  readonly loading?: LoadProgress;
}

export function brokerState(
  services: BrokerServices,
  quorum: DescribedQuorum,
  standing: BrokerStanding,
): object {
  const { config, metadata, replicas, groups } = services;
  return {
    broker: {
      nodeId: metadata.nodeId,
      clusterId: metadata.clusterId,
      roles: config.values['process.roles'],
      ...standing,
      controllerId: metadata.controllerId,
      metadataOffset: metadata.image.lastOffset,
      listeners: services.advertisedListeners(),
    },
    quorum: quorumState(quorum),
    partitions: Array.from(replicas.partitions(), (partition) => partitionState(partition, services)),
    fetchers: replicas.fetchers,
    groups: groups.summaries(),
  };
}
