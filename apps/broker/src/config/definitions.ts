/**
 * Every broker config that is known, under Kafka's name and with Kafka's default, by the groups people look for
 * them in. Keys of Kafka's that a one-loop broker has no use for stand in `no-effect.ts`.
 */
import { groupDefinitions } from './group-definitions.ts';
import { logDefinitions } from './log-definitions.ts';
import { networkDefinitions } from './network-definitions.ts';
import { nodeDefinitions } from './node-definitions.ts';
import { quorumDefinitions } from './quorum-definitions.ts';
import { replicationDefinitions } from './replication-definitions.ts';
import type { ConfigDefinition } from './value-types.ts';

export const brokerDefinitions = {
  ...nodeDefinitions,
  ...quorumDefinitions,
  ...networkDefinitions,
  ...logDefinitions,
  ...replicationDefinitions,
  ...groupDefinitions,
} as const;

export type BrokerConfigName = keyof typeof brokerDefinitions;

type ValueOf<Definition> = Definition extends ConfigDefinition<infer Value> ? Value : never;

export type BrokerConfigValues = {
  readonly [Name in BrokerConfigName]: ValueOf<(typeof brokerDefinitions)[Name]>;
};
