/**
 * The broker's configuration: one frozen object, parsed once at start. Values stand under Kafka's names with the
 * types of `definitions.ts`: `config.values['num.partitions']` is a number.
 */
import type { BrokerConfigValues } from './definitions.ts';

/** Kafka's codes of where a value came from (DescribeConfigs). */
export const ConfigSource = {
  DYNAMIC_TOPIC: 1,
  DYNAMIC_BROKER: 2,
  DYNAMIC_DEFAULT_BROKER: 3,
  STATIC_BROKER: 4,
  DEFAULT: 5,
} as const;

/** Kafka's codes of value types (DescribeConfigs). */
export const ConfigTypeCode = {
  boolean: 1,
  string: 2,
  int: 3,
  short: 4,
  long: 5,
  double: 6,
  list: 7,
  password: 9,
} as const;

export interface ConfigSynonym {
  readonly name: string;
  /** As text; null when sensitive or unset. */
  readonly value: string | null;
  readonly source: number;
}

/**
 * What DescribeConfigs lists of the `synonyms` that stand behind `name`, the one in force first: all from that name on, as
 * Kafka has it. What stands in for a config that is unset (log.retention.hours for log.retention.ms) is not shown.
 */
export function shownSynonyms(name: string, synonyms: readonly ConfigSynonym[]): readonly ConfigSynonym[] {
  const own = synonyms.findIndex((synonym) => synonym.name === name);
  return own === -1 ? [] : synonyms.slice(own);
}

/** One config as DescribeConfigs shows it. `synonyms` begins with the one in force, and is empty where it is unset. */
export interface ConfigEntry {
  readonly name: string;
  readonly value: string | null;
  readonly readOnly: boolean;
  readonly source: number;
  readonly isDefault: boolean;
  readonly isSensitive: boolean;
  readonly type: number;
  readonly documentation: string;
  readonly synonyms: readonly ConfigSynonym[];
}

export interface BrokerConfig {
  readonly values: BrokerConfigValues;
  /** The text given for a key in file, environment or override; undefined where the default is in force. */
  given(name: string): string | undefined;
  /** All broker configs, for DescribeConfigs of this broker. */
  describe(): readonly ConfigEntry[];
}
