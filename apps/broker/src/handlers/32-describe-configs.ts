/**
 * DescribeConfigs 1-4: every config of a topic or of this broker, with value, source, type, synonyms and what it means.
 *
 * Null or no keys ask for all. A broker answers for itself, and for the configs that are set for all brokers (the
 * empty name). Synonyms and documentation are told to those who ask for them.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import { configsOf, ResourceType, topicNameProblem } from '@seatlog/metadata-quorum';
import type { ConfigEntry } from '../config/broker-config.ts';
import { describeTopicConfig } from '../config/topic-config.ts';
import type { BrokerServices } from '../services.ts';
import { defineHandler } from './handler.ts';

type DescribeConfigsRequest = RequestOf<typeof apis.describeConfigs>;
type Resource = DescribeConfigsRequest['resources'][number];
type Result = ResponseInput<typeof apis.describeConfigs>['results'][number];

interface Lookup {
  readonly errorCode: number;
  readonly errorMessage: string | null;
  readonly entries: readonly ConfigEntry[];
}

export const describeConfigs = defineHandler(
  apis.describeConfigs,
  (services) => (request, _context, respond) => {
    const results = request.resources.map((resource) => result(request, resource, look(services, resource)));
    respond({ throttleTimeMs: 0, results });
  },
);

function look(services: BrokerServices, { resourceType, resourceName }: Resource): Lookup {
  switch (resourceType) {
    case ResourceType.TOPIC:
      return lookAtTopic(services, resourceName);
    case ResourceType.BROKER:
      return lookAtBroker(services, resourceName);
    default:
      return refused(ErrorCode.INVALID_REQUEST, `Resources of type ${resourceType} have no configs here.`);
  }
}

function lookAtTopic({ config, metadata: { image } }: BrokerServices, name: string): Lookup {
  const problem = topicNameProblem(name);
  if (problem !== null) return refused(ErrorCode.INVALID_TOPIC_EXCEPTION, problem);
  if (!image.topics.has(name))
    return refused(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no topic ${name}.`);
  return found(describeTopicConfig(config, configsOf(image, ResourceType.TOPIC, name)));
}

function lookAtBroker({ config, metadata: { nodeId } }: BrokerServices, name: string): Lookup {
  // Broker configs stand in files: none is ever set for all brokers at once.
  if (name === '') return found([]);
  if (name === String(nodeId)) return found(config.describe());
  return refused(
    ErrorCode.INVALID_REQUEST,
    `This is broker ${nodeId}, and it knows the configs of no other.`,
  );
}

function found(entries: readonly ConfigEntry[]): Lookup {
  return { errorCode: ErrorCode.NONE, errorMessage: null, entries };
}

function refused(errorCode: number, errorMessage: string): Lookup {
  return { errorCode, errorMessage, entries: [] };
}

function result(request: DescribeConfigsRequest, resource: Resource, lookup: Lookup): Result {
  const { resourceType, resourceName, configurationKeys } = resource;
  const keys =
    configurationKeys === null || configurationKeys.length === 0 ? null : new Set(configurationKeys);
  return {
    errorCode: lookup.errorCode,
    errorMessage: lookup.errorMessage,
    resourceType,
    resourceName,
    configs: lookup.entries
      .filter(({ name }) => keys === null || keys.has(name))
      .map((entry) => ({
        name: entry.name,
        value: entry.value,
        readOnly: entry.readOnly,
        configSource: entry.source,
        isSensitive: entry.isSensitive,
        synonyms: request.includeSynonyms ? entry.synonyms : [],
        configType: entry.type,
        documentation: request.includeDocumentation ? entry.documentation : null,
      })),
  };
}
