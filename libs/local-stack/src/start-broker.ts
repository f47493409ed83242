/**
 * A broker node as a child process: `node apps/broker/src/main.ts` with a properties file of its own. The program is
 * found by its path; nothing of the broker is imported here.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brokerProperties, formatProperties, type NodeRole } from './broker-properties.ts';
import { childEnvironment } from './child-environment.ts';
import { waitUntil } from './deadline.ts';
import { portOrFree } from './free-port.ts';
import { answersOk } from './http-probe.ts';
import { ChildOfStack, type ManagedProcess } from './managed-process.ts';
import { endLeftovers } from './process-file.ts';
import { repositoryRoot } from './repository.ts';

/** Start includes recovery of the logs after a crash. */
export const BROKER_START_DEADLINE_MS = 60_000;

export interface BrokerPorts {
  readonly kafka?: number;
  readonly controller?: number;
  readonly http?: number;
}

export interface BrokerOptions {
  /** The log directory is `<dataDirectory>/<name>`, the properties file `<dataDirectory>/<name>.properties`. */
  readonly dataDirectory: string;
  /** Default 1. */
  readonly nodeId?: number;
  /** Default `broker-<nodeId>`. */
  readonly name?: string;
  readonly ports?: BrokerPorts;
  /** Default both. */
  readonly roles?: readonly NodeRole[];
  /** `controller.quorum.voters`. Default: this node alone. */
  readonly voters?: string;
  /** Brokers of the cluster. Default: as many as voters. */
  readonly brokers?: number;
  readonly clusterId?: string;
  /** The port of a proxy in front of the listener, where there is one. */
  readonly advertisedPort?: number;
  /** Override what is generated, by Kafka's names. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface BrokerServer extends AsyncDisposable {
  readonly nodeId: number;
  /** `host:port` for BROKERS, as it is advertised. */
  readonly address: string;
  readonly logDirectory: string;
  /** Of /healthz, /metrics, /state. */
  readonly httpUrl: string;
  readonly process: ManagedProcess;
  stop(): Promise<void>;
}

export async function startBroker(options: BrokerOptions): Promise<BrokerServer> {
  const { nodeId = 1 } = options;
  const dataDirectory = resolve(options.dataDirectory);
  const name = options.name ?? `broker-${nodeId}`;
  mkdirSync(dataDirectory, { recursive: true });
  await endLeftovers(dataDirectory, name);
  const kafka = await portOrFree(options.ports?.kafka, name);
  const controller = await portOrFree(options.ports?.controller, `${name}'s controller`);
  const http = await portOrFree(options.ports?.http, `${name}'s HTTP`);
  const file = join(dataDirectory, `${name}.properties`);
  const { roles, brokers, clusterId, advertisedPort } = options;
  const logDirectory = options.properties?.['log.dirs'] ?? join(dataDirectory, name);
  const properties = brokerProperties({
    nodeId,
    ports: { kafka, controller, http },
    voters: options.voters ?? `${nodeId}@127.0.0.1:${controller}`,
    logDirectory,
    ...(roles === undefined ? {} : { roles }),
    ...(brokers === undefined ? {} : { brokers }),
    ...(clusterId === undefined ? {} : { clusterId }),
    ...(advertisedPort === undefined ? {} : { advertisedPort }),
  });
  writeFileSync(file, formatProperties({ ...properties, ...options.properties }));
  const httpUrl = `http://127.0.0.1:${http}`;
  const child = new ChildOfStack({
    name,
    command: process.execPath,
    args: [join(repositoryRoot, 'apps/broker/src/main.ts'), '--config', file],
    environment: childEnvironment({}),
    dataDirectory,
    ready: (_, signal) => waitUntil(() => answersOk(`${httpUrl}/healthz`, signal), signal),
    readyWithinMs: BROKER_START_DEADLINE_MS,
  });
  await child.start(options.signal);
  const stop = async (): Promise<void> => void (await child.stop());
  return {
    nodeId,
    address: `127.0.0.1:${advertisedPort ?? kafka}`,
    logDirectory,
    httpUrl,
    process: child,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
