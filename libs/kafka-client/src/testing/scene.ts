/** A client on a scripted cluster in virtual time. */
import { createClient, type KafkaClient } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { ScriptedCluster } from './scripted-cluster.ts';
import { VirtualWorld } from './virtual-world.ts';

export interface Scene {
  readonly world: VirtualWorld;
  readonly cluster: ScriptedCluster;
  readonly client: KafkaClient;
}

export function scene(
  options: Partial<ClientOptions> & { readonly brokerCount?: number; readonly seed?: number } = {},
): Scene {
  const { brokerCount = 1, seed = 1, ...clientOptions } = options;
  const world = new VirtualWorld(seed);
  const cluster = new ScriptedCluster(world, brokerCount);
  const ports = { clock: world, timers: world, turns: world, random: world, connector: cluster.connector };
  return { world, cluster, client: createClient({ brokers: 'bootstrap:9092', ...clientOptions, ports }) };
}
