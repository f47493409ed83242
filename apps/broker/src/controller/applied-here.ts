/**
 * What of an answer of the controller this broker can see in its own metadata: a client that is told that its topic
 * exists should find it when it asks the same broker. The controller has committed the change when it answers; this broker
 * comes to hear of it a moment later.
 *
 * A change that cannot be seen (a config that something is appended to) is not waited for.
 */
import { apis, ErrorCode, type RequestOf, type ResponseOf } from '@seatlog/kafka-protocol';
import {
  type ClusterImage,
  type ConfigMap,
  configsOf,
  NO_LEADER,
  ResourceType,
} from '@seatlog/metadata-quorum';
import type { Timers } from '@seatlog/runtime';
import type { MetadataService } from '../metadata/metadata-service.ts';

/** True on an image that shows the change. */
export type Shows = (image: ClusterImage) => boolean;

/** How long a broker that lags behind holds an answer back. */
export const APPLIED_LIMIT_MS = 5000;

const OperationType = { SET: 0, DELETE: 1 } as const;

/** Null: there is nothing to wait for. `before` is the image from before the request. */
export function shownBy(
  apiKey: number,
  request: unknown,
  response: unknown,
  before: ClusterImage,
): Shows | null {
  // The key says what they are: the router decoded the request by it, and the answer came to that request.
  switch (apiKey) {
    case apis.createTopics.key:
      return created(
        request as RequestOf<typeof apis.createTopics>,
        response as ResponseOf<typeof apis.createTopics>,
      );
    case apis.deleteTopics.key:
      return deleted(response as ResponseOf<typeof apis.deleteTopics>, before);
    case apis.createPartitions.key:
      return grown(
        request as RequestOf<typeof apis.createPartitions>,
        response as ResponseOf<typeof apis.createPartitions>,
      );
    case apis.alterConfigs.key:
      return replaced(
        request as RequestOf<typeof apis.alterConfigs>,
        response as ResponseOf<typeof apis.alterConfigs>,
      );
    case apis.incrementalAlterConfigs.key:
      return altered(
        request as RequestOf<typeof apis.incrementalAlterConfigs>,
        response as ResponseOf<typeof apis.incrementalAlterConfigs>,
      );
    default:
      return null;
  }
}

/** Calls `done` once: when the image shows it, or when that takes too long. */
export function whenShown(
  metadata: MetadataService,
  timers: Timers,
  shows: Shows | null,
  limitMs: number,
  done: () => void,
): void {
  if (shows === null || shows(metadata.image)) return done();
  const end = (): void => {
    cancel();
    unsubscribe();
    done();
  };
  const cancel = timers.schedule(limitMs, end);
  const unsubscribe = metadata.subscribe((image) => {
    if (shows(image)) end();
  });
}

/** All partitions of these topics have leaders. */
export function topicsServe(names: readonly string[]): Shows {
  return (image) =>
    names.every((name) => {
      const partitions = image.topics.get(name)?.partitions;
      return partitions !== undefined && partitions.every(({ leader }) => leader !== NO_LEADER);
    });
}

function created(
  { validateOnly }: RequestOf<typeof apis.createTopics>,
  { topics }: ResponseOf<typeof apis.createTopics>,
): Shows | null {
  const names = topics.filter(({ errorCode }) => errorCode === ErrorCode.NONE).map(({ name }) => name);
  return validateOnly || names.length === 0 ? null : topicsServe(names);
}

function deleted({ responses }: ResponseOf<typeof apis.deleteTopics>, before: ClusterImage): Shows {
  const gone = responses
    .filter(({ errorCode }) => errorCode === ErrorCode.NONE)
    .map(({ name, topicId }) => before.topics.get(name ?? '')?.id ?? topicId);
  return (image) => gone.every((topicId) => !image.topicNamesById.has(topicId));
}

function grown(
  { topics, validateOnly }: RequestOf<typeof apis.createPartitions>,
  { results }: ResponseOf<typeof apis.createPartitions>,
): Shows | null {
  if (validateOnly) return null;
  const failed = new Set(
    results.filter(({ errorCode }) => errorCode !== ErrorCode.NONE).map(({ name }) => name),
  );
  return (image) =>
    topics.every(
      ({ name, count }) => failed.has(name) || (image.topics.get(name)?.partitions.length ?? 0) >= count,
    );
}

interface ConfigResult {
  readonly errorCode: number;
  readonly resourceType: number;
  readonly resourceName: string;
}

function isAltered(results: readonly ConfigResult[], resourceType: number, resourceName: string): boolean {
  return (
    resourceType === ResourceType.TOPIC &&
    results.some(
      (result) =>
        result.errorCode === ErrorCode.NONE &&
        result.resourceType === resourceType &&
        result.resourceName === resourceName,
    )
  );
}

/** Every resource whose change was taken has all of its configs as asked. */
function shownConfigs<Config>(
  resources: readonly {
    readonly resourceType: number;
    readonly resourceName: string;
    readonly configs: readonly Config[];
  }[],
  results: readonly ConfigResult[],
  isShown: (set: ConfigMap, config: Config) => boolean,
): Shows {
  return (image) =>
    resources.every(({ resourceType, resourceName, configs }) => {
      if (!isAltered(results, resourceType, resourceName)) return true;
      const set = configsOf(image, resourceType, resourceName);
      return configs.every((config) => isShown(set, config));
    });
}

function replaced(
  { resources, validateOnly }: RequestOf<typeof apis.alterConfigs>,
  { responses }: ResponseOf<typeof apis.alterConfigs>,
): Shows | null {
  if (validateOnly) return null;
  return shownConfigs(
    resources,
    responses,
    (set, { name, value }) => value === null || set.get(name) === value,
  );
}

function altered(
  { resources, validateOnly }: RequestOf<typeof apis.incrementalAlterConfigs>,
  { responses }: ResponseOf<typeof apis.incrementalAlterConfigs>,
): Shows | null {
  if (validateOnly) return null;
  return shownConfigs(resources, responses, (set, { name, configOperation, value }) => {
    if (configOperation === OperationType.SET) return set.get(name) === value;
    return configOperation !== OperationType.DELETE || !set.has(name);
  });
}
