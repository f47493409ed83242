/**
 * DeleteTopics 1-6: by name, from version 6 on by id as well. Answered once this broker serves the topics no more;
 * their files are removed a little later.
 */
import { apis, ErrorCode, type RequestOf, ZERO_UUID } from '@seatlog/kafka-protocol';
import { deleteTopics as decideDeletion, type TopicToDelete } from '@seatlog/metadata-quorum';
import { defineAdministration } from '../controller/administration.ts';

const IDS_FROM = 6;
/** Earlier clients do not know TOPIC_DELETION_DISABLED. */
const DISABLED_FROM = 3;

export const deleteTopics = defineAdministration(
  apis.deleteTopics,
  (services) => (request, context, respond) => {
    const { apiVersion } = context;
    const topics = topicsOf(request, apiVersion);
    const refuseAll = (errorCode: number, errorMessage: string): void =>
      respond({ responses: topics.map((topic) => ({ ...topic, errorCode, errorMessage })) });
    if (!services.config.values['delete.topic.enable']) {
      const errorCode =
        apiVersion < DISABLED_FROM ? ErrorCode.INVALID_REQUEST : ErrorCode.TOPIC_DELETION_DISABLED;
      refuseAll(errorCode, 'Topics are not deleted here: delete.topic.enable is false.');
      return;
    }
    services.metadata.change(
      (image) => decideDeletion(image, topics),
      (outcome) => {
        if (outcome.kind === 'committed') respond({ responses: outcome.answer });
        else refuseAll(outcome.errorCode, outcome.message);
      },
    );
  },
);

function topicsOf(
  request: RequestOf<typeof apis.deleteTopics>,
  apiVersion: number,
): readonly TopicToDelete[] {
  return apiVersion < IDS_FROM
    ? request.topicNames.map((name) => ({ name, topicId: ZERO_UUID }))
    : request.topics;
}
