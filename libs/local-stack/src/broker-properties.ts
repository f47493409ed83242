/** The properties file of a node in a local stack. Pure. What is not written here keeps Kafka's default. */

export type NodeRole = 'broker' | 'controller';

export interface BrokerPlan {
  readonly nodeId: number;
  readonly ports: { readonly kafka: number; readonly controller: number; readonly http: number };
  /** Default both. */
  readonly roles?: readonly NodeRole[];
  readonly voters: string;
  /** Brokers of the cluster. Default: as many as voters. */
  readonly brokers?: number;
  /** The port that clients and other brokers are told to connect to. Default: the listener's own. */
  readonly advertisedPort?: number;
  /** All nodes of a cluster have the same. Default: one that a node alone makes for itself. */
  readonly clusterId?: string;
  readonly logDirectory: string;
}

const MOST_REPLICAS = 3;

export function brokerProperties(plan: BrokerPlan): Readonly<Record<string, string>> {
  const { kafka, controller, http } = plan.ports;
  const { roles = ['broker', 'controller'], advertisedPort = kafka, clusterId } = plan;
  const isBroker = roles.includes('broker');
  const isController = roles.includes('controller');
  const listeners = [
    ...(isBroker ? [`PLAINTEXT://127.0.0.1:${kafka}`] : []),
    ...(isController ? [`CONTROLLER://127.0.0.1:${controller}`] : []),
  ];
  const replicas = Math.min(MOST_REPLICAS, plan.brokers ?? plan.voters.split(',').length);
  return {
    'process.roles': roles.join(','),
    'node.id': String(plan.nodeId),
    ...(clusterId === undefined ? {} : { 'cluster.id': clusterId }),
    listeners: listeners.join(','),
    ...(isBroker ? { 'advertised.listeners': `PLAINTEXT://127.0.0.1:${advertisedPort}` } : {}),
    'controller.listener.names': 'CONTROLLER',
    'controller.quorum.voters': plan.voters,
    'log.dirs': plan.logDirectory,
    'seatlog.http.listener': `127.0.0.1:${http}`,
    'offsets.topic.replication.factor': String(replicas),
    'default.replication.factor': String(replicas),
    'min.insync.replicas': String(Math.max(1, replicas - 1)),
    // Where others can take over, they do so sooner than by default: whoever kills a broker here wants to see it.
    ...(replicas > 1 ? { 'broker.session.timeout.ms': '5000', 'broker.heartbeat.interval.ms': '1000' } : {}),
    // Topics are created on purpose; a misspelt name is an error and no topic.
    'auto.create.topics.enable': 'false',
    // A group of a local stack has all its members at once: nobody else is waited for.
    'group.initial.rebalance.delay.ms': '0',
  };
}

export function formatProperties(properties: Readonly<Record<string, string>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
