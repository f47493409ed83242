/**
 * A cluster of nodes as child processes. All ports are settled before the first node starts, because each must name all the
 * others; a cluster that is started again on its folder comes up with the data that it had.
 *
 * Promises: all nodes serve when the promise resolves; if one fails or the signal fires, what had started is stopped first.
 * `proxied` puts a fault proxy before every listener: the others, and clients, reach a node through it alone.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort, portOrFree } from '../free-port.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { FaultProxy } from '../network/fault-proxy.ts';
import { NetworkFaults, nodeEndpoint } from '../network/network-faults.ts';
import { type BrokerServer, startBroker } from '../start-broker.ts';
import { together } from '../stack/together.ts';
import { clusterIdIn } from './cluster-id.ts';
import { isBroker, isController, type NodePlan } from './node-plans.ts';
import { type NodeState, readNodeState } from './node-state.ts';

export interface ClusterOptions {
  readonly dataDirectory: string;
  readonly nodes: readonly NodePlan[];
  /** Of all nodes, over what is generated. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly proxied?: boolean;
  /** Of the brokers, for clients, in the order of `nodes`; null, or none, is a free one. */
  readonly ports?: readonly (number | null)[];
  readonly signal?: AbortSignal;
}

/** `broker-1` where it is a broker, else `controller-100`. */
export interface ClusterNode {
  readonly nodeId: number;
  readonly name: string;
  readonly plan: NodePlan;
  /** For BROKERS; null where it is no broker. */
  readonly address: string | null;
  readonly httpUrl: string;
  readonly logDirectory: string;
  readonly process: ManagedProcess;
  /** Rejects while the node is down or stopped. */
  state(): Promise<NodeState>;
  partitionFolder(topic: string, partition: number): string;
  /** All that the node has said, through all its starts. */
  said(): string;
}

export interface Cluster extends AsyncDisposable {
  /** Null where a node alone made its own. */
  readonly clusterId: string | null;
  readonly nodes: readonly ClusterNode[];
  /** `host:port,...` of all brokers. */
  readonly bootstrap: string;
  /** What goes wrong between them; without `proxied` nothing does. */
  readonly faults: NetworkFaults;
  node(nodeId: number): ClusterNode;
  /** Brokers that are nothing else first, so that a controller lets them go in order. */
  stop(): Promise<void>;
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const dataDirectory = resolve(options.dataDirectory);
  const addressed = await addressedNodes(options);
  const faults = new NetworkFaults();
  const proxies: FaultProxy[] = [];
  const servers: BrokerServer[] = [];
  const stop = async (): Promise<void> => {
    await stopInOrder(servers, options.nodes);
    await Promise.all(proxies.map((proxy) => proxy.close()));
  };
  try {
    for (const node of addressed) proxies.push(...(await proxiesOf(node, faults)));
    await startAll(addressed, { ...options, dataDirectory }, servers);
  } catch (error) {
    await stop();
    throw error;
  }
  return clusterOf(servers, options.nodes, { clusterId: clusterIdOf(options), faults, stop });
}

/** A node that is its own quorum makes an id for itself, as it did before there were others. */
function clusterIdOf({ nodes, dataDirectory }: ClusterOptions): string | null {
  return nodes.length === 1 ? null : clusterIdIn(resolve(dataDirectory));
}

interface AddressedNode {
  readonly plan: NodePlan;
  readonly ports: { readonly kafka: number; readonly controller: number; readonly http: number };
  /** What the others connect to: the same, or proxies. */
  readonly reached: { readonly kafka: number; readonly controller: number };
}

async function addressedNodes(options: ClusterOptions): Promise<readonly AddressedNode[]> {
  const brokers = options.nodes.filter(isBroker);
  const addressed: AddressedNode[] = [];
  for (const plan of options.nodes) {
    const wanted = options.ports?.[brokers.indexOf(plan)] ?? undefined;
    const reached = { kafka: await portOrFree(wanted, nameOf(plan)), controller: await freePort() };
    const http = await freePort();
    const own =
      options.proxied === true ? { kafka: await freePort(), controller: await freePort() } : reached;
    addressed.push({ plan, ports: { ...own, http }, reached });
  }
  return addressed;
}

async function proxiesOf(
  { plan, ports, reached }: AddressedNode,
  faults: NetworkFaults,
): Promise<readonly FaultProxy[]> {
  const endpoint = nodeEndpoint(plan.nodeId);
  const proxied = (['kafka', 'controller'] as const).filter((which) => ports[which] !== reached[which]);
  return Promise.all(
    proxied.map((which) =>
      FaultProxy.listen({ port: reached[which], targetPort: ports[which], endpoint, faults }),
    ),
  );
}

async function startAll(
  addressed: readonly AddressedNode[],
  options: ClusterOptions,
  servers: BrokerServer[],
): Promise<void> {
  const { dataDirectory, properties, signal } = options;
  const clusterId = clusterIdOf(options);
  const voters = addressed
    .filter(({ plan }) => isController(plan))
    .map(({ plan, reached }) => `${plan.nodeId}@127.0.0.1:${reached.controller}`)
    .join(',');
  const oneFailed = new AbortController();
  const signals = [oneFailed.signal, ...(signal === undefined ? [] : [signal])];
  const brokers = addressed.filter(({ plan }) => isBroker(plan)).length;
  await together(
    addressed.map(async ({ plan, ports, reached }) => {
      const server = await startBroker({
        dataDirectory,
        nodeId: plan.nodeId,
        name: nameOf(plan),
        roles: plan.roles,
        voters,
        brokers,
        ports,
        advertisedPort: reached.kafka,
        ...(clusterId === null ? {} : { clusterId }),
        properties: { ...properties, ...plan.properties },
        signal: AbortSignal.any(signals),
      });
      servers.push(server);
    }),
    (error) => oneFailed.abort(error),
  );
}

function nameOf(plan: NodePlan): string {
  return isBroker(plan) ? `broker-${plan.nodeId}` : `controller-${plan.nodeId}`;
}

async function stopInOrder(servers: readonly BrokerServer[], plans: readonly NodePlan[]): Promise<void> {
  const votes = (server: BrokerServer): boolean =>
    plans.some((plan) => plan.nodeId === server.nodeId && isController(plan));
  await Promise.all(servers.filter((server) => !votes(server)).map((server) => server.stop()));
  await Promise.all(servers.filter(votes).map((server) => server.stop()));
}

function clusterOf(
  servers: readonly BrokerServer[],
  plans: readonly NodePlan[],
  rest: Pick<Cluster, 'clusterId' | 'faults' | 'stop'>,
): Cluster {
  const nodes = plans.flatMap((plan) => {
    const server = servers.find(({ nodeId }) => nodeId === plan.nodeId);
    return server === undefined ? [] : [nodeOf(plan, server)];
  });
  const node = (nodeId: number): ClusterNode => {
    const found = nodes.find((one) => one.nodeId === nodeId);
    if (found === undefined) throw new Error(`There is no node ${nodeId} in this cluster.`);
    return found;
  };
  const bootstrap = nodes.flatMap(({ address }) => address ?? []).join(',');
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= rest.stop());
  return { ...rest, nodes, bootstrap, node, stop, [Symbol.asyncDispose]: stop };
}

function nodeOf(plan: NodePlan, server: BrokerServer): ClusterNode {
  const { nodeId, httpUrl, logDirectory, process } = server;
  return {
    nodeId,
    plan,
    name: process.name,
    address: isBroker(plan) ? server.address : null,
    httpUrl,
    logDirectory,
    process,
    state: () => readNodeState(httpUrl),
    partitionFolder: (topic, partition) => join(logDirectory, `${topic}-${partition}`),
    said: () => readFileSync(process.logFile, 'utf8'),
  };
}
