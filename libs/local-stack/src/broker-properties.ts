/** The properties file of a broker in a local stack. Pure. What is not written here keeps Kafka's default. */

export interface BrokerPlan {
  readonly nodeId: number;
  readonly ports: { readonly kafka: number; readonly controller: number; readonly http: number };
  readonly voters: string;
  readonly logDirectory: string;
}

const MOST_REPLICAS = 3;

export function brokerProperties(plan: BrokerPlan): Readonly<Record<string, string>> {
  const { kafka, controller, http } = plan.ports;
  const replicas = Math.min(MOST_REPLICAS, plan.voters.split(',').length);
  return {
    'process.roles': 'broker,controller',
    'node.id': String(plan.nodeId),
    listeners: `PLAINTEXT://127.0.0.1:${kafka},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${kafka}`,
    'controller.listener.names': 'CONTROLLER',
    'controller.quorum.voters': plan.voters,
    'log.dirs': plan.logDirectory,
    'seatlog.http.listener': `127.0.0.1:${http}`,
    'offsets.topic.replication.factor': String(replicas),
    'default.replication.factor': String(replicas),
    'min.insync.replicas': String(Math.max(1, replicas - 1)),
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
