/** The brokers of a stack: all ports are settled before the first one starts, because each must name all the others. */
import { freePort, portOrFree } from '../free-port.ts';
import { type BrokerServer, startBroker } from '../start-broker.ts';
import type { StackPorts } from './stack-types.ts';
import { together } from './together.ts';

export interface BrokerNodesOptions {
  readonly dataDirectory: string;
  readonly count: number;
  readonly ports: StackPorts | undefined;
  readonly properties: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

export async function startBrokers(options: BrokerNodesOptions): Promise<readonly BrokerServer[]> {
  const { count, ports, properties, dataDirectory, signal } = options;
  const plans = await Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      nodeId: index + 1,
      kafka: await portOrFree(index === 0 ? ports?.broker : undefined, 'the first broker'),
      http: await portOrFree(index === 0 ? ports?.brokerHttp : undefined, "the first broker's HTTP"),
      controller: await freePort(),
    })),
  );
  const voters = plans.map((plan) => `${plan.nodeId}@127.0.0.1:${plan.controller}`).join(',');
  const oneFailed = new AbortController();
  const started: BrokerServer[] = [];
  try {
    await together(
      plans.map(async ({ nodeId, kafka, http, controller }) => {
        const broker = await startBroker({
          dataDirectory,
          nodeId,
          voters,
          ports: { kafka, http, controller },
          ...(properties === undefined ? {} : { properties }),
          signal: AbortSignal.any([signal, oneFailed.signal]),
        });
        started.push(broker);
      }),
      (error) => oneFailed.abort(error),
    );
  } catch (error) {
    await Promise.all(started.map((broker) => broker.stop()));
    throw error;
  }
  return started.toSorted((a, b) => a.nodeId - b.nodeId);
}
