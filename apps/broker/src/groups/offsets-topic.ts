/** `__consumer_offsets`: created when a coordinator is looked for first, and where each of its partitions is led. */
import { groupPartition } from '@seatlog/group-coordinator';
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  type ClusterImage,
  type CreateTopicsContext,
  ensureInternalTopic,
  GROUP_OFFSETS_TOPIC,
} from '@seatlog/metadata-quorum';
import type { BrokerConfig } from '../config/broker-config.ts';
import { leaderEndpoints } from '../handlers/leader-endpoints.ts';
import { groupOffsetsTopic } from '../metadata/internal-topics.ts';
import type { MetadataService } from '../metadata/metadata-service.ts';
import type { Coordinator } from './group-service.ts';

type Done = (errorCode: number, errorMessage: string | null) => void;

/** Creates the topic unless it is there, with the replicas it is configured to have or not at all. */
export function ensureOffsetsTopic(
  metadata: MetadataService,
  config: BrokerConfig,
  context: CreateTopicsContext,
  done: Done,
): void {
  if (metadata.image.topics.has(GROUP_OFFSETS_TOPIC)) {
    done(ErrorCode.NONE, null);
    return;
  }
  metadata.change(
    (image) => ensureInternalTopic(image, groupOffsetsTopic(config), context),
    (outcome) => {
      if (outcome.kind === 'failed') done(ErrorCode.COORDINATOR_NOT_AVAILABLE, outcome.message);
      else done(unavailableUnlessDone(outcome.answer.errorCode), outcome.answer.errorMessage);
    },
  );
}

/** Two brokers may create it at once: the second is told that it exists. Any other failure may pass. */
function unavailableUnlessDone(errorCode: number): number {
  const isThere = errorCode === ErrorCode.NONE || errorCode === ErrorCode.TOPIC_ALREADY_EXISTS;
  return isThere ? ErrorCode.NONE : ErrorCode.COORDINATOR_NOT_AVAILABLE;
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
