/** `/state`: what the broker holds, for consoles and for people. */
import type { NodeState } from '../node-options.ts';
import type { QuorumNode } from '../quorum/quorum-node.ts';
import type { Partition } from '../replica-manager/partition.ts';
import type { BrokerServices } from '../services.ts';
import { quorumState } from './quorum-state.ts';

/** How this process stands in its cluster. */
export interface BrokerStanding {
  readonly state: NodeState;
  readonly brokerEpoch: number;
  readonly fenced: boolean;
}

export function brokerState(services: BrokerServices, quorum: QuorumNode, standing: BrokerStanding): object {
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
    partitions: [...replicas.partitions()].map(partitionState),
    groups: groups.summaries(),
  };
}

function partitionState(partition: Partition): object {
  const { log } = partition;
  return {
    topic: partition.topic,
    partition: partition.index,
    topicId: partition.topicId,
    leader: partition.leaderId,
    leaderEpoch: partition.leaderEpoch,
    partitionEpoch: partition.partitionEpoch,
    replicas: partition.replicas,
    isr: partition.isr,
    logStartOffset: partition.logStartOffset,
    highWatermark: partition.highWatermark,
    lastStableOffset: partition.lastStableOffset,
    logEndOffset: partition.logEndOffset,
    sizeBytes: log.sizeBytes,
    recoveryPoint: log.recoveryPoint,
    leaderEpochs: log.leaderEpochs,
    segments: log.describeSegments(),
    failure: log.failure === null ? null : { code: log.failure.code, message: log.failure.message },
  };
}
