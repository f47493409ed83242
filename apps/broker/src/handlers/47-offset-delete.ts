/**
 * OffsetDelete: takes away committed offsets, unless members read their topics (GROUP_SUBSCRIBED_TO_TOPIC). What does
 * not exist is UNKNOWN_TOPIC_OR_PARTITION; a partition without an offset is no error.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '@seatlog/metadata-quorum';
import { defineHandler } from './handler.ts';

type RequestTopic = RequestOf<typeof apis.offsetDelete>['topics'][number];
type TopicResponse = ResponseInput<typeof apis.offsetDelete>['topics'][number];

export const offsetDelete = defineHandler(
  apis.offsetDelete,
  ({ groups, metadata }) =>
    (request, _context, respond) => {
      const topics = request.topics.map((topic) => existingPart(metadata.image, topic));
      groups.ask('delete-offsets', { groupId: request.groupId, topics }, (answer) => {
        if (answer.errorCode !== ErrorCode.NONE) {
          respond({ errorCode: answer.errorCode, topics: [] });
          return;
        }
        respond({
          errorCode: ErrorCode.NONE,
          topics: request.topics.map((topic, place) => answered(topic, answer.topics[place])),
        });
      });
    },
);

function existingPart(image: ClusterImage, { name, partitions }: RequestTopic) {
  const topic = image.topics.get(name);
  return {
    name,
    partitions: partitions
      .map(({ partitionIndex }) => partitionIndex)
      .filter((partitionIndex) => topic?.partitions[partitionIndex] !== undefined),
  };
}

function answered({ name, partitions }: RequestTopic, answer: TopicResponse | undefined): TopicResponse {
  const codes = new Map(answer?.partitions.map((each) => [each.partitionIndex, each.errorCode]));
  return {
    name,
    partitions: partitions.map(({ partitionIndex }) => ({
      partitionIndex,
      errorCode: codes.get(partitionIndex) ?? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    })),
  };
}
