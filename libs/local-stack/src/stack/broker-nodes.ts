/** The brokers of a stack: each is broker and controller. */
import { combinedNodes } from '../cluster/node-plans.ts';
import { type Cluster, startCluster } from '../cluster/start-cluster.ts';
import type { StackPorts } from './stack-types.ts';

export interface BrokerNodesOptions {
  readonly dataDirectory: string;
  readonly count: number;
  readonly ports: StackPorts | undefined;
  readonly properties: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

export function startBrokers(options: BrokerNodesOptions): Promise<Cluster> {
  const { count, ports, properties, dataDirectory, signal } = options;
  return startCluster({
    dataDirectory,
    nodes: combinedNodes(count),
    ...(properties === undefined ? {} : { properties }),
    ...(ports?.brokers === undefined ? {} : { ports: ports.brokers }),
    signal,
  });
}
