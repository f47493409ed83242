/**
 * Changing configs of topics, of one broker, or of all brokers (a broker resource with an empty name).
 *
 * A resource's changes are made together or not at all; resources do not depend on each other.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '../image/cluster-image.ts';
import { configKey, configsOf, ResourceType } from '../image/cluster-image.ts';
import { foldAll } from '../image/image-draft.ts';
import type { ConfigRecord, MetadataRecord } from '../records/metadata-record.ts';
import type { ConfigSchema } from './config-schema.ts';
import type { Decision } from './decision.ts';
import { orRefusal, Refusal, repeated } from './decision.ts';
import { leadershipChanges } from './leadership-rules.ts';

/** The configs that the controller itself obeys when it elects. */
const leadershipConfigs: ReadonlySet<string> = new Set([
  'min.insync.replicas',
  'unclean.leader.election.enable',
]);

export const ConfigOperation = { SET: 0, DELETE: 1, APPEND: 2, SUBTRACT: 3 } as const;

export interface ConfigAlteration {
  readonly name: string;
  /** One of `ConfigOperation`. */
  readonly configOperation: number;
  readonly value: string | null;
}

export interface ResourceAlteration {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly configs: readonly ConfigAlteration[];
}

export interface AlterConfigsRequest {
  readonly resources: readonly ResourceAlteration[];
  readonly validateOnly: boolean;
}

export interface AlteredResource {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

/** Replaces all configs of each resource by those given: the older, whole-sale way of AlterConfigs. */
export interface ConfigReplacement {
  readonly resources: readonly {
    readonly resourceType: number;
    readonly resourceName: string;
    readonly configs: readonly { readonly name: string; readonly value: string | null }[];
  }[];
  readonly validateOnly: boolean;
}

/** One result for each resource that the request names, in its order. */
export function incrementalAlterConfigs(
  image: ClusterImage,
  request: AlterConfigsRequest,
  schema: ConfigSchema,
): Decision<readonly AlteredResource[]> {
  const twice = repeated(
    request.resources.map((resource) => configKey(resource.resourceType, resource.resourceName)),
  );
  const answer = new Map<string, AlteredResource>();
  const records: MetadataRecord[] = [];
  for (const resource of request.resources) {
    const { resourceType, resourceName } = resource;
    const key = configKey(resourceType, resourceName);
    if (answer.has(key)) continue;
    const result = orRefusal<AlteredResource>(
      () => {
        if (twice.has(key)) {
          throw new Refusal(ErrorCode.INVALID_REQUEST, 'The request names this resource more than once.');
        }
        records.push(...alterResource(image, resource, schema));
        return { resourceType, resourceName, errorCode: ErrorCode.NONE, errorMessage: null };
      },
      (refusal) => ({
        resourceType,
        resourceName,
        errorCode: refusal.errorCode,
        errorMessage: refusal.message,
      }),
    );
    answer.set(key, result);
  }
  return { records: request.validateOnly ? [] : records, answer: [...answer.values()] };
}

export function replaceConfigs(
  image: ClusterImage,
  request: ConfigReplacement,
  schema: ConfigSchema,
): Decision<readonly AlteredResource[]> {
  const resources = request.resources.map(({ resourceType, resourceName, configs }): ResourceAlteration => {
    const given = new Set(configs.map((config) => config.name));
    const dropped = [...configsOf(image, resourceType, resourceName).keys()].filter(
      (name) => !given.has(name),
    );
    return {
      resourceType,
      resourceName,
      configs: [
        ...configs.map(({ name, value }) => ({ name, value, configOperation: ConfigOperation.SET })),
        ...dropped.map((name) => ({ name, value: null, configOperation: ConfigOperation.DELETE })),
      ],
    };
  });
  return incrementalAlterConfigs(image, { resources, validateOnly: request.validateOnly }, schema);
}

function alterResource(
  image: ClusterImage,
  resource: ResourceAlteration,
  schema: ConfigSchema,
): readonly MetadataRecord[] {
  checkResource(image, resource);
  for (const name of repeated(resource.configs.map((config) => config.name))) {
    throw new Refusal(ErrorCode.INVALID_REQUEST, `The request names config ${name} more than once.`);
  }
  const { resourceType, resourceName } = resource;
  const before = configsOf(image, resourceType, resourceName);
  const after = new Map(before);
  for (const alteration of resource.configs) applyAlteration(after, alteration, resourceType, schema);
  const problem = schema.problem(resourceType, resourceName, after);
  if (problem !== null) {
    // Kafka answers so, and tools tell the cases apart by it.
    const code = resourceType === ResourceType.BROKER ? ErrorCode.INVALID_REQUEST : ErrorCode.INVALID_CONFIG;
    throw new Refusal(code, problem);
  }
  const changes = resource.configs
    .filter(({ name }) => before.get(name) !== after.get(name))
    .map(
      ({ name }): ConfigRecord => ({
        type: 'ConfigRecord',
        resourceType,
        resourceName,
        name,
        value: after.get(name) ?? null,
      }),
    );
  return [...changes, ...leadershipUnder(image, resource, changes, schema)];
}

function checkResource(image: ClusterImage, { resourceType, resourceName }: ResourceAlteration): void {
  switch (resourceType) {
    case ResourceType.TOPIC:
      if (image.topics.has(resourceName)) return;
      if (resourceName === '') throw new Refusal(ErrorCode.INVALID_REQUEST, 'A topic has a name.');
      throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no topic ${resourceName}.`);
    case ResourceType.BROKER:
      if (resourceName === '') return;
      if (/^\d+$/.test(resourceName) && image.brokers.has(Number(resourceName))) return;
      throw new Refusal(ErrorCode.INVALID_REQUEST, `No broker with id ${resourceName} is registered.`);
    case ResourceType.GROUP:
    case ResourceType.CLIENT_METRICS:
    case ResourceType.BROKER_LOGGER:
      throw new Refusal(
        ErrorCode.INVALID_REQUEST,
        `Resources of type ${resourceType} have no configs here: topics and brokers have.`,
      );
    default:
      throw new Refusal(ErrorCode.INVALID_REQUEST, `There is no resource type ${resourceType}.`);
  }
}

function applyAlteration(
  configs: Map<string, string>,
  { name, configOperation, value }: ConfigAlteration,
  resourceType: number,
  schema: ConfigSchema,
): void {
  if (configOperation === ConfigOperation.DELETE) {
    configs.delete(name);
    return;
  }
  if (value === null) throw new Refusal(ErrorCode.INVALID_REQUEST, `Config ${name} has no value.`);
  switch (configOperation) {
    case ConfigOperation.SET:
      configs.set(name, value);
      return;
    case ConfigOperation.APPEND:
    case ConfigOperation.SUBTRACT: {
      if (!schema.isList(resourceType, name)) {
        throw new Refusal(ErrorCode.INVALID_CONFIG, `Config ${name} is no list: nothing can be added to it.`);
      }
      const current = items(configs.get(name) ?? schema.defaultValue(resourceType, name) ?? '');
      const named = items(value);
      const result =
        configOperation === ConfigOperation.APPEND
          ? [...current, ...named.filter((item) => !current.includes(item))]
          : current.filter((item) => !named.includes(item));
      configs.set(name, result.join(','));
      return;
    }
    default:
      throw new Refusal(ErrorCode.INVALID_REQUEST, `There is no config operation ${configOperation}.`);
  }
}

function items(list: string): readonly string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** What a changed minimum or a leave to elect uncleanly means for eligible leaders, and for partitions without leader. */
function leadershipUnder(
  image: ClusterImage,
  { resourceType, resourceName }: ResourceAlteration,
  changes: readonly ConfigRecord[],
  schema: ConfigSchema,
): readonly MetadataRecord[] {
  if (!changes.some(({ name }) => leadershipConfigs.has(name))) return [];
  const after = foldAll(image, changes);
  const named = after.topics.get(resourceName);
  const topics =
    resourceType === ResourceType.TOPIC ? new Map(named && [[resourceName, named]]) : after.topics;
  return leadershipChanges({ ...after, topics }, schema, () => ({}));
}
