/**
 * CreateTopics 2-7: decided by the controller, answered once the topics' leaders serve.
 *
 * From version 5 on the answer tells what the topic got: counts, and every config with its source.
 */
import { apis, ErrorCode, type ResponseInput } from '@seatlog/kafka-protocol';
import { type CreatedTopic, createTopics as decideTopics } from '@seatlog/metadata-quorum';
import type { BrokerConfig } from '../config/broker-config.ts';
import { describeTopicConfig } from '../config/topic-config.ts';
import { defineAdministration } from '../controller/administration.ts';

type TopicResult = ResponseInput<typeof apis.createTopics>['topics'][number];

export const createTopics = defineAdministration(
  apis.createTopics,
  (services) => (request, _context, respond) => {
    services.metadata.change(
      (image) => decideTopics(image, request, services.topicCreation),
      (outcome) => {
        if (outcome.kind === 'committed') {
          respond({ topics: outcome.answer.map((topic) => topicResult(services.config, topic)) });
          return;
        }
        const { errorCode, message } = outcome;
        respond({
          topics: request.topics.map(({ name }) => ({ name, errorCode, errorMessage: message, configs: [] })),
        });
      },
    );
  },
);

function topicResult(config: BrokerConfig, topic: CreatedTopic): TopicResult {
  const { configs, ...result } = topic;
  if (topic.errorCode !== ErrorCode.NONE) return { ...result, configs: [] };
  return {
    ...result,
    configs: describeTopicConfig(config, configs).map(({ name, value, readOnly, source, isSensitive }) => ({
      name,
      value,
      readOnly,
      configSource: source,
      isSensitive,
    })),
  };
}
