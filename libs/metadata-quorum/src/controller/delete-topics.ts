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

/** One result for each topic that the request names, in its order. */
export function deleteTopics(
  image: ClusterImage,
  topics: readonly TopicToDelete[],
): Decision<readonly DeletedTopic[]> {
  const twice = repeated(topics.map((topic) => keyOf(image, topic)));
  const records: RemoveTopicRecord[] = [];
  const named = new Map(topics.map((topic) => [keyOf(image, topic), topic]));
  const answer = [...named.values()].map((topic) =>
    orRefusal(
      () => {
        checkNamedOnce(topic);
        const found = find(image, topic);
        if (twice.has(keyOf(image, topic))) {
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

/** The same for a topic that is named by its name and by its id. */
function keyOf(image: ClusterImage, topic: TopicToDelete): string {
  return find(image, topic)?.id ?? `${topic.name} ${topic.topicId}`;
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
