/**
 * Moving partitions to other replicas (KIP-455).
 *
 * A move begins when its record is written: the added replicas are assigned and fetch, the removed ones stay until
 * all added ones are in the ISR. The change of the ISR that completes it is its end. Another move of the same
 * partition begins where the first one began, and drops what the first one wanted and it does not. Cancelling goes
 * back to the replicas as they were.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { ClusterImage, PartitionImage, TopicImage } from '../image/cluster-image.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import type { Assignment } from './assignment.ts';
import { isMoving, moveTo, originalReplicas, wantedReplicas } from './assignment.ts';
import type { ConfigSchema } from './config-schema.ts';
import type { Decision } from './decision.ts';
import { orRefusal, Refusal, repeated } from './decision.ts';
import { leadershipRules } from './leadership-rules.ts';
import { checkReplicas } from './manual-assignment.ts';
import { decideLeadership } from './partition-leadership.ts';

/** So many partitions may one request move: its records must fit one batch of the metadata log. */
export const MAX_MOVES_PER_REQUEST = 10_000;

export interface ReassignmentRequest {
  /** False: a target with more or fewer replicas than the partition has is refused. */
  readonly allowReplicationFactorChange: boolean;
  readonly topics: readonly {
    readonly name: string;
    /** Replicas of null cancel the move that the partition is in. */
    readonly partitions: readonly {
      readonly partitionIndex: number;
      readonly replicas: readonly number[] | null;
    }[];
  }[];
}

export interface ReassignedPartition {
  readonly partitionIndex: number;
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

export interface ReassignedTopic {
  readonly name: string;
  readonly partitions: readonly ReassignedPartition[];
}

/** One result for each partition that the request names, in its order. */
export function reassignPartitions(
  image: ClusterImage,
  request: ReassignmentRequest,
  schema: ConfigSchema,
): Decision<readonly ReassignedTopic[]> {
  const keys = request.topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partitionIndex }) => `${name}-${partitionIndex}`),
  );
  const twice = repeated(keys);
  const records: MetadataRecord[] = [];
  const answer = request.topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(({ partitionIndex, replicas }) =>
      orRefusal<ReassignedPartition>(
        () => {
          if (twice.has(`${name}-${partitionIndex}`)) {
            throw new Refusal(ErrorCode.INVALID_REQUEST, 'The request names this partition more than once.');
          }
          if (records.length >= MAX_MOVES_PER_REQUEST) {
            const limit = `One request may move ${MAX_MOVES_PER_REQUEST} partitions.`;
            throw new Refusal(ErrorCode.POLICY_VIOLATION, limit);
          }
          const { topic, partition } = find(image, name, partitionIndex);
          const assignment =
            replicas === null
              ? cancelled(partition)
              : target(image, partition, replicas, request.allowReplicationFactorChange);
          const record = moved(image, topic, partition, assignment, schema);
          if (record !== null) records.push(record);
          return { partitionIndex, errorCode: ErrorCode.NONE, errorMessage: null };
        },
        ({ errorCode, message }) => ({ partitionIndex, errorCode, errorMessage: message }),
      ),
    ),
  }));
  return { records, answer };
}

function find(
  image: ClusterImage,
  name: string,
  index: number,
): { readonly topic: TopicImage; readonly partition: PartitionImage } {
  const topic = image.topics.get(name);
  const partition = topic?.partitions[index];
  if (topic === undefined || partition === undefined) {
    throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no partition ${name}-${index}.`);
  }
  return { topic, partition };
}

function cancelled(partition: PartitionImage): Assignment {
  if (!isMoving(partition)) {
    throw new Refusal(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, 'The partition is not being moved.');
  }
  return { replicas: originalReplicas(partition), addingReplicas: [], removingReplicas: [] };
}

function target(
  image: ClusterImage,
  partition: PartitionImage,
  replicas: readonly number[],
  allowReplicationFactorChange: boolean,
): Assignment {
  checkReplicas(image, replicas, undefined);
  const factor = wantedReplicas(partition).length;
  if (!allowReplicationFactorChange && replicas.length !== factor) {
    throw new Refusal(
      ErrorCode.INVALID_REPLICATION_FACTOR,
      `The target has ${replicas.length} replicas, the partition has ${factor}, and the request allows no change of that.`,
    );
  }
  return moveTo(partition, replicas);
}

function moved(
  image: ClusterImage,
  topic: TopicImage,
  partition: PartitionImage,
  assignment: Assignment,
  schema: ConfigSchema,
): MetadataRecord | null {
  const rules = leadershipRules(image, schema, topic.name);
  const stays = (id: number): boolean => assignment.replicas.includes(id);
  const isr = partition.isr.filter(stays);
  // Who can lead cleanly; where there is none, who led last and is waited for.
  const eligible = [...partition.isr, ...partition.elr];
  const awaited = eligible.length > 0 ? eligible : partition.lastKnownElr;
  const emptied = awaited.length > 0 && !awaited.some(stays);
  if (emptied && !rules.uncleanElection) {
    throw new Refusal(
      ErrorCode.INVALID_REPLICA_ASSIGNMENT,
      'No replica that would be left is in sync: this would take an unclean election, and the topic allows none.',
    );
  }
  return decideLeadership(topic.id, partition, { isr, assignment }, rules);
}

export interface OngoingMove extends Assignment {
  readonly partitionIndex: number;
}

export interface OngoingMoves {
  readonly name: string;
  readonly partitions: readonly OngoingMove[];
}

/** The partitions that are being moved: among those asked for, or all for null. Topics without any are left out. */
export function partitionMoves(
  image: ClusterImage,
  topics: readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[] | null,
): readonly OngoingMoves[] {
  const asked =
    topics ??
    [...image.topics.values()].map(({ name, partitions }) => ({
      name,
      partitionIndexes: partitions.map(({ index }) => index),
    }));
  return asked
    .map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes
        .map((index) => image.topics.get(name)?.partitions[index])
        .filter((partition) => partition !== undefined)
        .filter(isMoving)
        .map(({ index, replicas, addingReplicas, removingReplicas }) => ({
          partitionIndex: index,
          replicas,
          addingReplicas,
          removingReplicas,
        })),
    }))
    .filter(({ partitions }) => partitions.length > 0);
}
