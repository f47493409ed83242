/**
 * A broker says that some of its replicas are lost to it, for their logs take no more: they leave ISR and leadership,
 * partition by partition, while the broker serves its others.
 *
 * A replica that is the last of its ISR that could lead stays: whoever reads from it still can, and nobody else holds
 * what it does. One that left comes back as any other, by catching up.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { ClusterImage, PartitionImage } from '../image/cluster-image.ts';
import { topicById } from '../image/cluster-image.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import { withBroker } from './broker-lifecycle.ts';
import type { ConfigSchema } from './config-schema.ts';
import type { Decision } from './decision.ts';
import { leadershipRules } from './leadership-rules.ts';
import { decideLeadership } from './partition-leadership.ts';

/** Kafka's id of a directory that is lost. */
export const LOST_DIRECTORY = 'AAAAAAAAAAAAAAAAAAAAAQ';

export interface LostReplica {
  readonly topicId: string;
  readonly partitionIndex: number;
}

export interface LoseReplicasRequest {
  readonly brokerId: number;
  readonly brokerEpoch: number;
  readonly replicas: readonly LostReplica[];
}

export interface LostReplicaResult extends LostReplica {
  readonly errorCode: number;
}

export interface LoseReplicasAnswer {
  /** NONE, or what is wrong with the sender: then there are no results. */
  readonly errorCode: number;
  readonly replicas: readonly LostReplicaResult[];
}

export function loseReplicas(
  image: ClusterImage,
  { brokerId, brokerEpoch, replicas }: LoseReplicasRequest,
  schema: ConfigSchema,
): Decision<LoseReplicasAnswer> {
  const records: MetadataRecord[] = [];
  const { errorCode } = withBroker(image, brokerId, brokerEpoch, () => []).answer;
  if (errorCode !== ErrorCode.NONE) return { records, answer: { errorCode, replicas: [] } };
  const seen = new Set<string>();
  const results = replicas.map((lost): LostReplicaResult => {
    const topic = topicById(image, lost.topicId);
    const partition = topic?.partitions[lost.partitionIndex];
    if (topic === undefined) return { ...lost, errorCode: ErrorCode.UNKNOWN_TOPIC_ID };
    if (partition === undefined) return { ...lost, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
    if (!partition.replicas.includes(brokerId))
      return { ...lost, errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER };
    const key = `${lost.topicId}:${lost.partitionIndex}`;
    const change = seen.has(key) ? null : leaving(image, schema, topic, partition, brokerId);
    seen.add(key);
    if (change !== null) records.push(change);
    return { ...lost, errorCode: ErrorCode.NONE };
  });
  return { records, answer: { errorCode: ErrorCode.NONE, replicas: results } };
}

function leaving(
  image: ClusterImage,
  schema: ConfigSchema,
  topic: { readonly id: string; readonly name: string },
  partition: PartitionImage,
  brokerId: number,
): MetadataRecord | null {
  const rules = leadershipRules(image, schema, topic.name);
  const mayLead = (id: number): boolean => id !== brokerId && rules.mayLead(id);
  if (!partition.isr.includes(brokerId) || !partition.isr.some(mayLead)) return null;
  const isr = partition.isr.filter((id) => id !== brokerId);
  return decideLeadership(topic.id, partition, { isr }, { ...rules, mayLead });
}
