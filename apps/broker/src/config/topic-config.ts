/**
 * Topic configs: what a topic's own settings and the broker's defaults make together.
 *
 * `TopicConfig` is what the log and the handlers work with, under Kafka's topic config names. It is a value: a change
 * of a topic's settings makes another one, which takes effect at once.
 */
import {
  type BrokerConfig,
  type ConfigEntry,
  ConfigSource,
  type ConfigSynonym,
  ConfigTypeCode,
  shownSynonyms,
} from './broker-config.ts';
import { type BrokerConfigName, type BrokerConfigValues, brokerDefinitions } from './definitions.ts';
import type { ConfigDefinition } from './value-types.ts';

/** Which broker config gives each topic config its default; types and bounds are those of the broker config. */
const brokerNames = {
  'cleanup.policy': 'log.cleanup.policy',
  'compression.type': 'compression.type',
  'delete.retention.ms': 'log.cleaner.delete.retention.ms',
  'file.delete.delay.ms': 'log.segment.delete.delay.ms',
  'flush.messages': 'log.flush.interval.messages',
  'flush.ms': 'log.flush.interval.ms',
  'index.interval.bytes': 'log.index.interval.bytes',
  'max.compaction.lag.ms': 'log.cleaner.max.compaction.lag.ms',
  'max.message.bytes': 'message.max.bytes',
  'message.timestamp.after.max.ms': 'log.message.timestamp.after.max.ms',
  'message.timestamp.before.max.ms': 'log.message.timestamp.before.max.ms',
  'message.timestamp.type': 'log.message.timestamp.type',
  'min.cleanable.dirty.ratio': 'log.cleaner.min.cleanable.ratio',
  'min.compaction.lag.ms': 'log.cleaner.min.compaction.lag.ms',
  'min.insync.replicas': 'min.insync.replicas',
  preallocate: 'log.preallocate',
  'retention.bytes': 'log.retention.bytes',
  'retention.ms': 'log.retention.ms',
  'segment.bytes': 'log.segment.bytes',
  'segment.index.bytes': 'log.index.size.max.bytes',
  'segment.jitter.ms': 'log.roll.jitter.ms',
  'segment.ms': 'log.roll.ms',
  'unclean.leader.election.enable': 'unclean.leader.election.enable',
} as const satisfies Record<string, BrokerConfigName>;

export type TopicConfigName = keyof typeof brokerNames;

/** Values under topic config names. Configs that a broker may leave unset are resolved through their synonyms. */
export type TopicConfig = {
  readonly [Name in TopicConfigName]: NonNullable<BrokerConfigValues[(typeof brokerNames)[Name]]>;
};

/** Names and values as the metadata log stores them. */
export type TopicConfigOverrides = ReadonlyMap<string, string>;

const topicConfigNames = Object.keys(brokerNames) as readonly TopicConfigName[];

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Broker configs in another unit than the topic config that they stand behind, and the factor to its unit. */
const unitFactor: Readonly<Partial<Record<BrokerConfigName, number>>> = {
  'log.roll.hours': HOUR_MS,
  'log.roll.jitter.hours': HOUR_MS,
  'log.retention.minutes': MINUTE_MS,
  'log.retention.hours': HOUR_MS,
};

function isTopicConfigName(name: string): name is TopicConfigName {
  return Object.hasOwn(brokerNames, name);
}

function isBrokerConfigName(name: string): name is BrokerConfigName {
  return Object.hasOwn(brokerDefinitions, name);
}

function definitionOf(name: TopicConfigName): ConfigDefinition<unknown> {
  return brokerDefinitions[brokerNames[name]];
}

/** The broker configs behind a topic config, strongest first. */
function brokerChain(name: TopicConfigName): readonly BrokerConfigName[] {
  const first = brokerNames[name];
  return [first, ...brokerDefinitions[first].synonyms.filter(isBrokerConfigName)];
}

/** The value of a broker config in the unit of its topic config; a negative one means "no bound" in every unit. */
function inTopicUnit(name: BrokerConfigName, value: unknown): unknown {
  const factor = unitFactor[name];
  if (factor === undefined || typeof value !== 'number' || value < 0) return value;
  return Math.min(value * factor, Number.MAX_SAFE_INTEGER);
}

function inheritedValue(broker: BrokerConfig, name: TopicConfigName): unknown {
  const chain = brokerChain(name);
  const given = chain.find((candidate) => broker.given(candidate) !== undefined);
  const source = given ?? chain.find((candidate) => broker.values[candidate] !== null);
  return source === undefined ? null : inTopicUnit(source, broker.values[source]);
}

export interface TopicConfigProblem {
  readonly name: string;
  /** A sentence for the one who set it. */
  readonly message: string;
}

/** The first setting that is unknown or has a bad value; null if all are good. */
export function checkTopicConfig(overrides: TopicConfigOverrides): TopicConfigProblem | null {
  for (const [name, text] of overrides) {
    if (!isTopicConfigName(name)) return { name, message: `Unknown topic config name: ${name}` };
    const parsed = definitionOf(name).parse(text);
    if ('problem' in parsed) {
      return { name, message: `Invalid value ${text} for configuration ${name}: ${parsed.problem}` };
    }
  }
  return null;
}

/**
 * The configs in force for a topic. Settings that do not pass `checkTopicConfig` are passed over in favour of the
 * broker's default: they can only come from a metadata log that another version wrote.
 */
export function topicConfigOf(broker: BrokerConfig, overrides: TopicConfigOverrides): TopicConfig {
  const values: Record<string, unknown> = {};
  for (const name of topicConfigNames) {
    const text = overrides.get(name);
    const parsed = text === undefined ? undefined : definitionOf(name).parse(text);
    values[name] = parsed && 'value' in parsed ? parsed.value : inheritedValue(broker, name);
  }
  // Each value came from the definition of its own name; the unset ones end in a synonym that has a default.
  return Object.freeze(values) as TopicConfig;
}

/** What stands behind a topic config in the broker, the one in force first. */
function inherited(broker: BrokerConfig, chain: readonly BrokerConfigName[]): readonly ConfigSynonym[] {
  const given = chain.flatMap((name) => {
    const value = broker.given(name);
    return value === undefined ? [] : [{ name, value, source: ConfigSource.STATIC_BROKER }];
  });
  const defaults = chain.flatMap((name) => {
    const value = brokerDefinitions[name].defaultText;
    return value === null ? [] : [{ name, value, source: ConfigSource.DEFAULT }];
  });
  return [...given, ...defaults];
}

/** The text of an inherited config in the topic's unit: hours and minutes become milliseconds. */
function inheritedText(broker: BrokerConfig, name: TopicConfigName, inForce: ConfigSynonym): string | null {
  if (!isBrokerConfigName(inForce.name) || unitFactor[inForce.name] === undefined) return inForce.value;
  return String(inheritedValue(broker, name));
}

/** All configs of a topic, for DescribeConfigs and for the answer of CreateTopics. */
export function describeTopicConfig(
  broker: BrokerConfig,
  overrides: TopicConfigOverrides,
): readonly ConfigEntry[] {
  return topicConfigNames.map((name) => {
    const own = overrides.get(name);
    const behind = inherited(broker, brokerChain(name));
    const synonyms = [
      ...(own === undefined ? [] : [{ name, value: own, source: ConfigSource.DYNAMIC_TOPIC }]),
      ...shownSynonyms(brokerNames[name], behind),
    ];
    const source = synonyms[0]?.source ?? ConfigSource.DEFAULT;
    const definition = definitionOf(name);
    return {
      name,
      value: own ?? (behind[0] === undefined ? null : inheritedText(broker, name, behind[0])),
      readOnly: false,
      source,
      isDefault: source === ConfigSource.DEFAULT,
      isSensitive: false,
      type: ConfigTypeCode[definition.type],
      documentation: definition.documentation,
      synonyms,
    };
  });
}

/** True for topic configs whose value is a list of words. */
export function isListConfig(name: string): boolean {
  return isTopicConfigName(name) && definitionOf(name).type === 'list';
}
