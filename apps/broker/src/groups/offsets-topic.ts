/** `__consumer_offsets`: created when a coordinator is looked for first, and where each of its partitions is led. */
import { groupPartition } from '@seatlog/group-coordinator';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { type ClusterImage, GROUP_OFFSETS_TOPIC } from '@seatlog/metadata-quorum';
import type { BrokerConfig } from '../config/broker-config.ts';
import type { AutomaticTopics } from '../controller/automatic-topics.ts';
import { leaderEndpoints } from '../handlers/leader-endpoints.ts';
import { groupOffsetsTopic } from '../metadata/internal-topics.ts';
import type { MetadataService } from '../metadata/metadata-service.ts';
import type { Coordinator } from './group-service.ts';

export interface OffsetsTopicOptions {
  readonly metadata: MetadataService;
  readonly config: BrokerConfig;
  readonly automaticTopics: AutomaticTopics;
}

/** Creates the topic unless it is there, with the replicas it is configured to have or not at all. */
export function ensureOffsetsTopic(
  { metadata, config, automaticTopics }: OffsetsTopicOptions,
  done: (errorCode: number, errorMessage: string | null) => void,
): void {
  if (metadata.image.topics.has(GROUP_OFFSETS_TOPIC)) {
    done(ErrorCode.NONE, null);
    return;
  }
  automaticTopics.create([groupOffsetsTopic(config)], (failures) => {
    const failure = failures.get(GROUP_OFFSETS_TOPIC);
    // Whatever it was, it may pass: there may be more brokers later.
    if (failure === undefined) done(ErrorCode.NONE, null);
    else done(ErrorCode.COORDINATOR_NOT_AVAILABLE, failure.errorMessage);
  });
}

/** The partition that a group belongs to; undefined while the topic is not there. */
export function offsetsPartitionOf(image: ClusterImage, groupId: string): number | undefined {
  const count = image.topics.get(GROUP_OFFSETS_TOPIC)?.partitions.length;
  return count === undefined ? undefined : groupPartition(groupId, count);
}

/** Where the leader of the group's partition is reached. */
export function coordinatorOf(image: ClusterImage, groupId: string, listenerName: string): Coordinator {
  const index = offsetsPartitionOf(image, groupId);
  if (index === undefined) return noCoordinator('The offsets topic does not exist.');
  const leader = image.topics.get(GROUP_OFFSETS_TOPIC)?.partitions[index]?.leader ?? -1;
  const [endpoint] = leaderEndpoints(image, listenerName, [leader]);
  if (endpoint === undefined) return noCoordinator('The offsets partition of the group has no leader.');
  return {
    errorCode: ErrorCode.NONE,
    errorMessage: null,
    nodeId: endpoint.nodeId,
    host: endpoint.host,
    port: endpoint.port,
  };
}

export function noCoordinator(
  errorMessage: string,
  errorCode: number = ErrorCode.COORDINATOR_NOT_AVAILABLE,
): Coordinator {
  return { errorCode, errorMessage, nodeId: -1, host: '', port: -1 };
}
