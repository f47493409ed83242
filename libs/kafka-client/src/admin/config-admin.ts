/** Configuration of topics and brokers: describe and alter. */
import { apis, ErrorCode, type ResponseOf } from '@seatlog/kafka-protocol';
import { brokerError } from '../broker-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { BrokerConnection } from '../network/broker-connection.ts';
import { controllerConnection } from './controller.ts';
import { inRounds, type ItemOutcome } from './item-rounds.ts';
import type { ConfigAlteration, ConfigDescription, ConfigResource, RequestOptions } from './types.ts';

const RESOURCE_TYPES = { topic: 2, broker: 4 } as const;
const SET = 0;
const DELETE = 1;
const APPEND = 2;
const SUBTRACT = 3;
const SOURCES = [
  'UNKNOWN',
  'DYNAMIC_TOPIC_CONFIG',
  'DYNAMIC_BROKER_CONFIG',
  'DYNAMIC_DEFAULT_BROKER_CONFIG',
  'STATIC_BROKER_CONFIG',
  'DEFAULT_CONFIG',
  'DYNAMIC_BROKER_LOGGER_CONFIG',
  'CLIENT_METRICS_CONFIG',
  'GROUP_CONFIG',
];

type Described = ConfigResource & { readonly names?: readonly string[] };
type DescribedResult = ResponseOf<typeof apis.describeConfigs>['results'][number];

export function describeConfigs(
  cluster: Cluster,
  resources: readonly Described[],
  options: RequestOptions,
): Promise<ConfigDescription[]> {
  return inRounds(cluster, resources, options, nameOf, (open, { timeoutMs }) =>
    Promise.all(
      open.map(async (resource): Promise<ItemOutcome<ConfigDescription>> => {
        const connection = await connectionFor(cluster, resource);
        const response = await connection.request(
          apis.describeConfigs,
          {
            resources: [
              {
                resourceType: RESOURCE_TYPES[resource.type],
                resourceName: resource.name,
                configurationKeys: resource.names === undefined ? null : [...resource.names],
              },
            ],
            includeSynonyms: true,
          },
          { timeoutMs },
        );
        const result = response.results[0];
        const errorCode = result?.errorCode ?? ErrorCode.UNKNOWN_SERVER_ERROR;
        if (result === undefined || errorCode !== ErrorCode.NONE) {
          const what = `${nameOf(resource)} cannot be described`;
          return { error: brokerError(errorCode, { what, message: result?.errorMessage }) };
        }
        return { result: description(resource, result) };
      }),
    ),
  );
}

export async function alterConfigs(
  cluster: Cluster,
  alterations: readonly ConfigAlteration[],
  options: RequestOptions & { readonly validateOnly?: boolean },
): Promise<void> {
  const nameOfItem = ({ resource }: ConfigAlteration): string => nameOf(resource);
  await inRounds(cluster, alterations, options, nameOfItem, (open, { deadline, timeoutMs }) =>
    Promise.all(
      open.map(async (alteration): Promise<ItemOutcome<null>> => {
        const { resource } = alteration;
        const connection =
          resource.type === 'broker'
            ? await connectionFor(cluster, resource)
            : await controllerConnection(cluster, deadline);
        const response = await connection.request(
          apis.incrementalAlterConfigs,
          {
            resources: [
              {
                resourceType: RESOURCE_TYPES[resource.type],
                resourceName: resource.name,
                configs: changes(alteration),
              },
            ],
            validateOnly: options.validateOnly === true,
          },
          { timeoutMs },
        );
        const result = response.responses[0];
        const errorCode = result?.errorCode ?? ErrorCode.UNKNOWN_SERVER_ERROR;
        if (errorCode === ErrorCode.NONE) return { result: null };
        const what = `${nameOf(resource)} was not altered`;
        return { error: brokerError(errorCode, { what, message: result?.errorMessage }) };
      }),
    ),
  );
}

function changes({ set = {}, append = {}, subtract = {} }: ConfigAlteration) {
  const list = (values: Readonly<Record<string, string | null>>, operation: number) =>
    Object.entries(values).map(([name, value]) => ({
      name,
      configOperation: value === null ? DELETE : operation,
      value,
    }));
  return [...list(set, SET), ...list(append, APPEND), ...list(subtract, SUBTRACT)];
}

/** A broker tells and takes its own configuration only. */
async function connectionFor(cluster: Cluster, { type, name }: ConfigResource): Promise<BrokerConnection> {
  const brokerId = Number(name);
  if (type !== 'broker' || name === '') return cluster.anyConnection();
  if (!cluster.metadata.brokers.has(brokerId)) {
    const { ports, requestTimeoutMs } = cluster.settings;
    await cluster.refresh({ deadline: ports.clock.monotonic() + requestTimeoutMs });
  }
  return cluster.controlConnection(brokerId);
}

function nameOf({ type, name }: ConfigResource): string {
  return `${type} ${name}`;
}

function description(resource: ConfigResource, result: DescribedResult): ConfigDescription {
  const sourceName = (source: number): string => SOURCES[source] ?? 'UNKNOWN';
  return {
    resource: { type: resource.type, name: resource.name },
    entries: result.configs.map((config) => ({
      name: config.name,
      value: config.value,
      source: sourceName(config.configSource),
      readOnly: config.readOnly,
      sensitive: config.isSensitive,
      synonyms: config.synonyms.map(({ name, value, source }) => ({
        name,
        value,
        source: sourceName(source),
      })),
    })),
  };
}
