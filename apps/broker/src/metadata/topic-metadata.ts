/** Topics and partitions as a Metadata response tells them. */
import { type apis, ErrorCode, type ResponseInput, ZERO_UUID } from '@seatlog/kafka-protocol';
import {
  type ClusterImage,
  isInternalTopic,
  NO_LEADER,
  type PartitionImage,
  type TopicImage,
} from '@seatlog/metadata-quorum';
import { OPERATIONS_NOT_ASKED, topicOperations } from './authorized-operations.ts';

export type TopicMetadata = ResponseInput<typeof apis.metadata>['topics'][number];
type PartitionMetadata = TopicMetadata['partitions'][number];

/** From this version on a leader without the client's listener is told from no leader. */
const LISTENER_NOT_FOUND_FROM = 6;

export interface TopicView {
  readonly image: ClusterImage;
  readonly apiVersion: number;
  /** Brokers that the client can reach. */
  readonly reachable: ReadonlySet<number>;
  readonly includeOperations: boolean;
}

export function topicMetadata(topic: TopicImage, view: TopicView): TopicMetadata {
  return {
    errorCode: ErrorCode.NONE,
    name: topic.name,
    topicId: topic.id,
    isInternal: isInternalTopic(topic.name),
    partitions: topic.partitions.map((partition) => partitionMetadata(partition, view)),
    topicAuthorizedOperations: view.includeOperations ? topicOperations : OPERATIONS_NOT_ASKED,
  };
}

export function topicError(
  errorCode: number,
  name: string | null,
  topicId: string = ZERO_UUID,
): TopicMetadata {
  return {
    errorCode,
    name,
    topicId,
    isInternal: name !== null && isInternalTopic(name),
    partitions: [],
    topicAuthorizedOperations: OPERATIONS_NOT_ASKED,
  };
}

export function partitionMetadata(partition: PartitionImage, view: TopicView): PartitionMetadata {
  const { image, reachable, apiVersion } = view;
  const { leader, leaderEpoch, replicas, isr } = partition;
  const common = { partitionIndex: partition.index, leaderEpoch };
  const offlineReplicas = replicas.filter((id) => image.brokers.get(id)?.fenced !== false);
  const leads = leader !== NO_LEADER && reachable.has(leader);
  // The oldest clients fail on brokers that the response does not list.
  const shown = (ids: readonly number[]) => (apiVersion === 0 ? ids.filter((id) => reachable.has(id)) : ids);
  return {
    ...common,
    errorCode: leads ? replicasError(partition, view) : leaderError(leader, apiVersion),
    leaderId: leads ? leader : NO_LEADER,
    replicaNodes: shown(replicas),
    isrNodes: shown(isr),
    offlineReplicas,
  };
}

function leaderError(leader: number, apiVersion: number): number {
  return leader !== NO_LEADER && apiVersion >= LISTENER_NOT_FOUND_FROM
    ? ErrorCode.LISTENER_NOT_FOUND
    : ErrorCode.LEADER_NOT_AVAILABLE;
}

function replicasError({ replicas, isr }: PartitionImage, { apiVersion, reachable }: TopicView): number {
  const complete = apiVersion > 0 || [...replicas, ...isr].every((id) => reachable.has(id));
  return complete ? ErrorCode.NONE : ErrorCode.REPLICA_NOT_AVAILABLE;
}
