/**
 * Deleting topics, by name or by id.
 */
import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '../image/cluster-image.ts';
import { topicById } from '../image/cluster-image.ts';
import type { RemoveTopicRecord } from '../records/metadata-record.ts';
import type { Decision } from './decision.ts';
import { orRefusal, Refusal, repeated } from './decision.ts';

/** One topic, named by its name or by its id (`ZERO_UUID`: by name). */
export interface TopicToDelete {
  readonly name: string | null;
  readonly topicId: string;
}

export interface DeletedTopic {
  /** Null where the request gave an id that no topic has. */
  readonly name: string | null;
  readonly topicId: string;
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

/** One result for each topic of the request, in its order. */
export function deleteTopics(
  image: ClusterImage,
  topics: readonly TopicToDelete[],
): Decision<readonly DeletedTopic[]> {
  // A topic that is named by name and by id is named twice.
  const twice = repeated(topics.map((topic) => find(image, topic)?.id ?? `${topic.name} ${topic.topicId}`));
  const records: RemoveTopicRecord[] = [];
  const answer = topics.map((topic) =>
    orRefusal(
      () => {
        checkNamedOnce(topic);
        const found = find(image, topic);
        if (twice.has(found?.id ?? `${topic.name} ${topic.topicId}`)) {
          throw new Refusal(ErrorCode.INVALID_REQUEST, 'The request names this topic more than once.');
        }
        if (found === undefined) throw unknown(topic);
        records.push({ type: 'RemoveTopicRecord', topicId: found.id });
        return { name: found.name, topicId: found.id, errorCode: ErrorCode.NONE, errorMessage: null };
      },
      (refusal): DeletedTopic => ({
        name: topic.name,
        topicId: topic.topicId,
        errorCode: refusal.errorCode,
        errorMessage: refusal.message,
      }),
    ),
  );
  return { records, answer };
}

function find(image: ClusterImage, { name, topicId }: TopicToDelete) {
  return topicId === ZERO_UUID ? image.topics.get(name ?? '') : topicById(image, topicId);
}

function checkNamedOnce({ name, topicId }: TopicToDelete): void {
  if (name === null && topicId === ZERO_UUID) {
    throw new Refusal(ErrorCode.INVALID_REQUEST, 'A topic must be named by its name or by its id.');
  }
  if (name !== null && topicId !== ZERO_UUID) {
    throw new Refusal(
      ErrorCode.INVALID_REQUEST,
      'A topic must be named by its name or by its id, not by both.',
    );
  }
}

function unknown({ name, topicId }: TopicToDelete): Refusal {
  return topicId === ZERO_UUID
    ? new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no topic ${name}.`)
    : new Refusal(ErrorCode.UNKNOWN_TOPIC_ID, `There is no topic with id ${topicId}.`);
}
