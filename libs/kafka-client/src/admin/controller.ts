/** A connection to the controller, or to the broker that forwards to it. */
import type { Cluster } from '../cluster/cluster.ts';
import type { BrokerConnection } from '../network/broker-connection.ts';

export async function controllerConnection(cluster: Cluster, deadline: number): Promise<BrokerConnection> {
  if (!cluster.metadata.brokers.has(cluster.metadata.controllerId)) await cluster.refresh({ deadline });
  const { brokers, controllerId } = cluster.metadata;
  // Brokers of a quorum forward what only the controller may do.
  return brokers.has(controllerId) ? cluster.controlConnection(controllerId) : cluster.anyConnection();
}
