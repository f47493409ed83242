/**
 * Adding partitions to topics.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { Random } from '@seatlog/runtime';
import type { ClusterImage, TopicImage } from '../image/cluster-image.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import { MAX_PARTITIONS_PER_REQUEST } from './create-topics.ts';
import type { Decision } from './decision.ts';
import { orRefusal, Refusal, repeated } from './decision.ts';
import { checkReplicas } from './manual-assignment.ts';
import { createdPartition } from './partition-creation.ts';
import { placeReplicas } from './replica-placement.ts';

export interface PartitionsToCreate {
  readonly name: string;
  /** How many partitions the topic shall have. */
  readonly count: number;
  /** Replicas of each added partition; null: the controller chooses. */
  readonly assignments: readonly { readonly brokerIds: readonly number[] }[] | null;
}

export interface CreatePartitionsRequest {
  readonly topics: readonly PartitionsToCreate[];
  readonly validateOnly: boolean;
}

export interface CreatedPartitions {
  readonly name: string;
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

/** One result for each topic that the request names, in its order. */
export function createPartitions(
  image: ClusterImage,
  request: CreatePartitionsRequest,
  random: Random,
): Decision<readonly CreatedPartitions[]> {
  const twice = repeated(request.topics.map((topic) => topic.name));
  const answer = new Map<string, CreatedPartitions>();
  const records: MetadataRecord[] = [];
  for (const topic of request.topics) {
    if (answer.has(topic.name)) continue;
    const result = orRefusal<CreatedPartitions>(
      () => {
        if (twice.has(topic.name)) {
          throw new Refusal(
            ErrorCode.INVALID_REQUEST,
            `The request names topic ${topic.name} more than once.`,
          );
        }
        const added = addPartitions(image, topic, MAX_PARTITIONS_PER_REQUEST - records.length, random);
        records.push(...added);
        return { name: topic.name, errorCode: ErrorCode.NONE, errorMessage: null };
      },
      (refusal) => ({ name: topic.name, errorCode: refusal.errorCode, errorMessage: refusal.message }),
    );
    answer.set(topic.name, result);
  }
  return { records: request.validateOnly ? [] : records, answer: [...answer.values()] };
}

function addPartitions(
  image: ClusterImage,
  request: PartitionsToCreate,
  limit: number,
  random: Random,
): readonly MetadataRecord[] {
  const topic = image.topics.get(request.name);
  if (topic === undefined) {
    throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no topic ${request.name}.`);
  }
  const present = topic.partitions.length;
  const added = request.count - present;
  if (added <= 0) {
    throw new Refusal(
      ErrorCode.INVALID_PARTITIONS,
      `Topic ${request.name} has ${present} partitions; ${request.count} would not be more.`,
    );
  }
  if (added > limit) {
    throw new Refusal(
      ErrorCode.POLICY_VIOLATION,
      `One request may create ${MAX_PARTITIONS_PER_REQUEST} partitions.`,
    );
  }
  const replicationFactor = topic.partitions[0]?.replicas.length ?? 1;
  const placement =
    request.assignments === null
      ? placeReplicas(image, { partitions: added, replicationFactor, firstPartition: present }, random)
      : assigned(image, topic, added, request.assignments);
  return placement.map((replicas, index) => createdPartition(image, topic.id, present + index, replicas));
}

function assigned(
  image: ClusterImage,
  topic: TopicImage,
  added: number,
  assignments: readonly { readonly brokerIds: readonly number[] }[],
): readonly (readonly number[])[] {
  if (assignments.length !== added) {
    throw new Refusal(
      ErrorCode.INVALID_REPLICA_ASSIGNMENT,
      `${added} partitions are to be added, and ${assignments.length} replica assignments are given.`,
    );
  }
  for (const { brokerIds } of assignments) {
    checkReplicas(image, brokerIds, topic.partitions[0]?.replicas.length);
  }
  return assignments.map(({ brokerIds }) => brokerIds);
}
