/**
 * OffsetCommit: offsets of partitions that exist go to the group's coordinator, the others are answered here with
 * UNKNOWN_TOPIC_OR_PARTITION. Answered once the offsets are replicated.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput, ZERO_UUID } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '@seatlog/metadata-quorum';
import { defineHandler } from './handler.ts';

type CommitRequest = RequestOf<typeof apis.offsetCommit>;
type CommitResponse = ResponseInput<typeof apis.offsetCommit>;
type RequestTopic = CommitRequest['topics'][number];
type TopicResponse = CommitResponse['topics'][number];

const MISSING_GROUP_IS_NAMED_FROM = 9;

export const offsetCommit = defineHandler(
  apis.offsetCommit,
  ({ groups, metadata }) =>
    (request, context, respond) => {
      const topics = request.topics.map((topic) => existingPart(metadata.image, topic));
      if (topics.every(({ partitions }) => partitions.length === 0)) {
        respond({ topics: request.topics.map((topic) => answered(topic, undefined)) });
        return;
      }
      groups.ask(
        'commit-offsets',
        {
          groupId: request.groupId,
          memberId: request.memberId,
          generationId: request.generationIdOrMemberEpoch,
          groupInstanceId: request.groupInstanceId,
          retentionTimeMs: request.retentionTimeMs,
          namesMissingGroup: context.apiVersion >= MISSING_GROUP_IS_NAMED_FROM,
          topics,
        },
        (answer) => {
          respond({ topics: request.topics.map((topic, place) => answered(topic, answer.topics[place])) });
        },
      );
    },
);

function existingPart(image: ClusterImage, { name, partitions }: RequestTopic) {
  const topic = image.topics.get(name);
  return {
    name,
    topicId: topic?.id ?? ZERO_UUID,
    partitions: partitions.filter(({ partitionIndex }) => topic?.partitions[partitionIndex] !== undefined),
  };
}

/** The request's topic with what the coordinator said; what it was not asked about does not exist. */
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
