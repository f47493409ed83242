/**
 * The two topic configs that the controller itself obeys. A topic's own value wins, then the cluster-wide dynamic
 * one, then what the schema gives (the node's own file, or Kafka's default).
 */
import type { ClusterImage } from '../image/cluster-image.ts';
import { configsOf, ResourceType } from '../image/cluster-image.ts';
import type { ConfigSchema } from './config-schema.ts';

export function minInsyncReplicas(image: ClusterImage, schema: ConfigSchema, topic: string): number {
  const value = Number(setting(image, schema, topic, 'min.insync.replicas'));
  return Number.isInteger(value) && value >= 1 ? value : 1;
}

export function uncleanLeaderElection(image: ClusterImage, schema: ConfigSchema, topic: string): boolean {
  return setting(image, schema, topic, 'unclean.leader.election.enable') === 'true';
}

function setting(image: ClusterImage, schema: ConfigSchema, topic: string, name: string): string | null {
  return (
    configsOf(image, ResourceType.TOPIC, topic).get(name) ??
    configsOf(image, ResourceType.BROKER, '').get(name) ??
    schema.defaultValue(ResourceType.TOPIC, name)
  );
}
