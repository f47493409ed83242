/**
 * Makes the configuration out of its sources, weakest first: defaults, properties file, `KAFKA_*` variables,
 * overrides. Unknown keys give a warning with the nearest known name; bad values and broken relations are refused
 * with the key's name (`ConfigError`). The result is frozen.
 */
import {
  type BrokerConfig,
  type ConfigEntry,
  ConfigSource,
  ConfigTypeCode,
  shownSynonyms,
} from './broker-config.ts';
import { ConfigError } from './config-error.ts';
import { type BrokerConfigName, type BrokerConfigValues, brokerDefinitions } from './definitions.ts';
import { nearestName } from './nearest-name.ts';
import { hasNoEffect } from './no-effect.ts';
import { checkRelations } from './relations.ts';

export interface ConfigSources {
  readonly file?: ReadonlyMap<string, string>;
  readonly environment?: ReadonlyMap<string, string>;
  readonly overrides?: ReadonlyMap<string, string>;
}

export interface LoadedConfig {
  readonly config: BrokerConfig;
  /** Sentences for the log. */
  readonly warnings: readonly string[];
}

const configNames = Object.keys(brokerDefinitions) as readonly BrokerConfigName[];

export function loadConfig(sources: ConfigSources): LoadedConfig {
  const given = new Map<string, string>();
  for (const source of [sources.file, sources.environment, sources.overrides]) {
    for (const [name, text] of source ?? []) given.set(name, text);
  }
  const warnings = warnOfUnknown(given);
  deriveListeners(given);
  const values: Record<string, unknown> = {};
  for (const name of configNames) values[name] = valueOf(name, given.get(name));
  // Each value was parsed by the definition of its own name.
  const typed = Object.freeze(values) as BrokerConfigValues;
  checkRelations(typed);
  return { config: freezeConfig(typed, given), warnings };
}

function valueOf(name: BrokerConfigName, text: string | undefined): unknown {
  const definition = brokerDefinitions[name];
  if (text === undefined || (text === '' && definition.defaultText === null)) return definition.defaultValue;
  const parsed = definition.parse(text);
  if ('problem' in parsed) throw new ConfigError(name, parsed.problem);
  return parsed.value;
}

function warnOfUnknown(given: ReadonlyMap<string, string>): string[] {
  const warnings: string[] = [];
  for (const name of given.keys()) {
    if (Object.hasOwn(brokerDefinitions, name) || hasNoEffect(name)) continue;
    const nearest = nearestName(name, configNames);
    warnings.push(
      `Unknown config ${name} is ignored.${nearest === null ? '' : ` The nearest known name is ${nearest}.`}`,
    );
  }
  return warnings;
}

/** As in Kafka's Docker images: advertised listeners alone give listeners on every interface. */
function deriveListeners(given: Map<string, string>): void {
  const advertised = given.get('advertised.listeners');
  if (advertised === undefined || advertised === '' || given.has('listeners')) return;
  given.set('listeners', advertised.replace(/:\/\/(\[[^\]]*\]|[^:,]*):/g, '://0.0.0.0:'));
}

function freezeConfig(values: BrokerConfigValues, given: ReadonlyMap<string, string>): BrokerConfig {
  const entries = Object.freeze(configNames.map((name) => describe(name, given)));
  return Object.freeze({ values, given: (name: string) => given.get(name), describe: () => entries });
}

function describe(name: BrokerConfigName, given: ReadonlyMap<string, string>): ConfigEntry {
  const definition = brokerDefinitions[name];
  const isSensitive = definition.type === 'password';
  const shown = (text: string | null): string | null => (isSensitive ? null : text);
  // A config that has stand-ins lists them after itself, those that are given before those that are defaults.
  const chain: readonly BrokerConfigName[] = [name, ...definition.synonyms.filter(isKnown)];
  const synonyms = [
    ...chain.flatMap((candidate) => {
      const text = given.get(candidate);
      return text === undefined
        ? []
        : [{ name: candidate, value: shown(text), source: ConfigSource.STATIC_BROKER }];
    }),
    ...chain.flatMap((candidate) => {
      const text = brokerDefinitions[candidate].defaultText;
      return text === null ? [] : [{ name: candidate, value: shown(text), source: ConfigSource.DEFAULT }];
    }),
  ];
  const own = given.get(name);
  const source = own === undefined ? ConfigSource.DEFAULT : ConfigSource.STATIC_BROKER;
  return {
    name,
    value: shown(own ?? definition.defaultText),
    readOnly: true,
    source,
    isDefault: own === undefined,
    isSensitive,
    type: ConfigTypeCode[definition.type],
    documentation: definition.documentation,
    synonyms: shownSynonyms(name, synonyms),
  };
}

function isKnown(name: string): name is BrokerConfigName {
  return Object.hasOwn(brokerDefinitions, name);
}
