/**
 * A broker says in which of its directories replicas lie. One whose directory is lost takes no appends: it leaves ISR and
 * leadership, partition by partition, while its broker serves the others, and is eligible for nothing until the broker
 * names a directory that is there.
 *
 * A replica beside which nobody in the ISR could lead stays as it is: whoever reads from it still can, and nobody else
 * holds what it does.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { BrokerRegistration, ClusterImage, PartitionImage } from '../image/cluster-image.ts';
import { isLost, LOST_DIRECTORY, NO_LEADER, topicById } from '../image/cluster-image.ts';
import type { MetadataRecord, PartitionChangeRecord } from '../records/metadata-record.ts';
import { partitionChange } from '../records/metadata-record.ts';
import { withBroker } from './broker-lifecycle.ts';
import type { ConfigSchema } from './config-schema.ts';
import type { Decision } from './decision.ts';
import { orRefusal, Refusal } from './decision.ts';
import { leadershipRules } from './leadership-rules.ts';
import type { LeadershipRules } from './partition-leadership.ts';
import { decideLeadership } from './partition-leadership.ts';

export interface ReplicaDirectory {
  readonly topicId: string;
  readonly partitionIndex: number;
  /** One of the broker's; any other is lost. */
  readonly directoryId: string;
}

export interface AssignDirectoriesRequest {
  readonly brokerId: number;
  readonly brokerEpoch: number;
  /** The last one said of a replica counts. */
  readonly replicas: readonly ReplicaDirectory[];
}

export interface AssignedDirectory extends ReplicaDirectory {
  readonly errorCode: number;
}

export interface AssignDirectoriesAnswer {
  /** NONE, or what is wrong with the sender: then there are no results. */
  readonly errorCode: number;
  readonly replicas: readonly AssignedDirectory[];
}

export function assignDirectories(
  image: ClusterImage,
  { brokerId, brokerEpoch, replicas }: AssignDirectoriesRequest,
  schema: ConfigSchema,
): Decision<AssignDirectoriesAnswer> {
  const changes = new Map<string, MetadataRecord>();
  const sender = withBroker(image, brokerId, brokerEpoch, () => []).answer;
  const broker = image.brokers.get(brokerId);
  if (sender.errorCode !== ErrorCode.NONE || broker === undefined) {
    return { records: [], answer: { errorCode: sender.errorCode, replicas: [] } };
  }
  const results = replicas.map((replica) =>
    orRefusal<AssignedDirectory>(
      () => {
        const key = `${replica.topicId}:${replica.partitionIndex}`;
        const change = assign(image, schema, broker, replica);
        if (change === null) changes.delete(key);
        else changes.set(key, change);
        return { ...replica, errorCode: ErrorCode.NONE };
      },
      ({ errorCode }) => ({ ...replica, errorCode }),
    ),
  );
  return { records: [...changes.values()], answer: { errorCode: ErrorCode.NONE, replicas: results } };
}

function assign(
  image: ClusterImage,
  schema: ConfigSchema,
  broker: BrokerRegistration,
  { topicId, partitionIndex, directoryId }: ReplicaDirectory,
): PartitionChangeRecord | null {
  const topic = topicById(image, topicId);
  if (topic === undefined) throw new Refusal(ErrorCode.UNKNOWN_TOPIC_ID, 'There is no such topic.');
  const partition = topic.partitions[partitionIndex];
  if (partition === undefined)
    throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 'There is no such partition.');
  if (!partition.replicas.includes(broker.id))
    throw new Refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER, 'The broker has no replica of it.');
  const rules = leadershipRules(image, schema, topic.name);
  return broker.logDirs.includes(directoryId)
    ? find(topicId, partition, broker.id, directoryId, rules)
    : lose(topicId, partition, broker.id, rules);
}

/** A partition that nobody leads may have waited for just this replica. */
function find(
  topicId: string,
  partition: PartitionImage,
  brokerId: number,
  directoryId: string,
  rules: LeadershipRules,
): PartitionChangeRecord | null {
  const directories = withDirectory(partition, brokerId, directoryId);
  if (directories === null) return null;
  const found = { ...partition, directories };
  const election = partition.leader === NO_LEADER ? decideLeadership(topicId, found, {}, rules) : null;
  if (election === null) return partitionChange(topicId, partition.index, { directories });
  return { ...election, directories: election.directories ?? directories };
}

function lose(
  topicId: string,
  partition: PartitionImage,
  brokerId: number,
  rules: LeadershipRules,
): PartitionChangeRecord | null {
  const mayLead = (id: number): boolean => id !== brokerId && rules.mayLead(id) && !isLost(partition, id);
  if (isLost(partition, brokerId) || !partition.isr.some(mayLead)) return null;
  const isr = partition.isr.filter((id) => id !== brokerId);
  const change =
    decideLeadership(topicId, partition, { isr }, { ...rules, mayLead }) ??
    partitionChange(topicId, partition.index, {});
  // The change may be the end of a move, with which replicas leave.
  const replicas = change.replicas ?? partition.replicas;
  const directories = withDirectory(
    { replicas, directories: change.directories ?? partition.directories },
    brokerId,
    LOST_DIRECTORY,
  );
  return directories === null ? change : { ...change, directories };
}

/** Null if it is so already, and for a broker that has no replica. */
function withDirectory(
  { replicas, directories }: Pick<PartitionImage, 'replicas' | 'directories'>,
  brokerId: number,
  directoryId: string,
): readonly string[] | null {
  const place = replicas.indexOf(brokerId);
  if (place === -1) return null;
  return directories[place] === directoryId ? null : directories.with(place, directoryId);
}
