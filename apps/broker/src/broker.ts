/**
 * One broker, in the process that starts it: `startBroker` for the command, for tests and for whoever embeds it.
 *
 * Start: take the log directory, replay the metadata, load and recover partitions, bind the sockets, register and
 * become leader, then serve. Connections that come early wait. A start that fails holds nothing.
 *
 * Stop: no more connections and requests, what is in process is answered, logs are flushed, the clean-stop marker is
 * written.
 */
import type { LogDirectory } from '@seatlog/commit-log';
import { liveBrokers } from '@seatlog/metadata-quorum';
import { advertisedListeners } from './advertised-listeners.ts';
import { openBrokerDirectory } from './broker-directory.ts';
import { type BrokerPorts, nodePorts } from './broker-ports.ts';
import type { BrokerConfig } from './config/broker-config.ts';
import { controllerSchema } from './config/controller-schema.ts';
import { parseEndpoint } from './config/listener.ts';
import { nodeRoles } from './config/node-roles.ts';
import { groupService } from './groups/group-service.ts';
import { handlerTable } from './handlers/index.ts';
import { brokerMetricsText } from './http/broker-metrics-text.ts';
import { brokerState } from './http/broker-state.ts';
import { HttpEndpoints } from './http/http-endpoints.ts';
import type { Logger } from './logger.ts';
import { MetadataNode } from './metadata/metadata-node.ts';
import { type BrokerMetrics, createMetrics } from './metrics.ts';
import type { ServerLimits } from './network/socket-server.ts';
import { SocketServer } from './network/socket-server.ts';
import { ImageApplication } from './replica-manager/image-application.ts';
import { LocalReplicas } from './replica-manager/local-replicas.ts';
import type { RequestInterceptor } from './request-interceptor.ts';
import { Router } from './router.ts';
import type { AdvertisedListener, BrokerServices } from './services.ts';

/** How long requests in process may take to be answered when the broker stops. */
const DRAIN_MS = 5000;
const PLAINTEXT = 0;

export interface BrokerOptions {
  readonly config: BrokerConfig;
  readonly log: Logger;
  readonly ports?: BrokerPorts;
  /** What the limit of open files leaves for connections; no bound of its own if absent. */
  readonly connectionsWithinDescriptors?: number;
  /** Stands between the router and the handlers; for test kits. */
  readonly interceptor?: RequestInterceptor;
  /** The broker cannot go on, for instance because its metadata log is lost. Called once at most. */
  readonly onFatal?: (error: Error) => void;
}

export interface RunningBroker {
  readonly services: BrokerServices;
  readonly listeners: readonly AdvertisedListener[];
  /** `host:port` of the first listener, as clients want it. */
  readonly bootstrapServers: string;
  readonly http: { readonly host: string; readonly port: number } | null;
  stop(): Promise<void>;
  /** Lets go of the sockets at once, as if the process had died; the log directory stays as it is. For tests. */
  abandon(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startBroker(options: BrokerOptions): Promise<RunningBroker> {
  const { config, log, ports = nodePorts } = options;
  const metrics = createMetrics();
  const { clock, timers, network } = ports;
  const replicas = new LocalReplicas({ config, clock, timers, network, log, metrics });
  const directory = openBrokerDirectory(config, ports, replicas, log);
  let broker: Broker | null = null;
  try {
    broker = new Broker({ ...options, ports }, directory, replicas, metrics);
    await broker.start();
    return broker;
  } catch (error) {
    broker?.abandon();
    // What this leaves is true: all logs are recovered and closed, under the last epoch that was registered.
    const registered = broker?.brokerEpoch ?? -1;
    await closeDirectory(
      directory,
      registered === -1 ? (directory.previousBrokerEpoch ?? -1) : registered,
      log,
    );
    throw error;
  }
}

/** Without a word to the caller if it fails: then there is no clean-stop marker, and the next start recovers. */
function closeDirectory(directory: LogDirectory, brokerEpoch: number, log: Logger): Promise<void> {
  return new Promise((resolve) => {
    directory.close({ brokerEpoch }, (error) => {
      if (error !== null)
        log.warn('The logs could not be closed cleanly; the next start recovers them', { error });
      resolve();
    });
  });
}

type LifecycleState = 'starting' | 'running' | 'stopping' | 'stopped';

class Broker implements RunningBroker {
  readonly services: BrokerServices;
  readonly #options: BrokerOptions;
  readonly #ports: BrokerPorts;
  readonly #directory: LogDirectory;
  readonly #metadata: MetadataNode;
  readonly #replicas: LocalReplicas;
  readonly #application: ImageApplication;
  readonly #server: SocketServer;
  readonly #startedAt: number;
  #http: HttpEndpoints | null = null;
  #listeners: readonly AdvertisedListener[] = [];
  #state: LifecycleState = 'starting';
  #stopping: Promise<void> | null = null;
  http: { readonly host: string; readonly port: number } | null = null;

  constructor(
    options: BrokerOptions & { readonly ports: BrokerPorts },
    directory: LogDirectory,
    replicas: LocalReplicas,
    metrics: BrokerMetrics,
  ) {
    this.#options = options;
    this.#ports = options.ports;
    this.#directory = directory;
    this.#replicas = replicas;
    this.#startedAt = this.#ports.clock.monotonic();
    const { config, log } = options;
    const { clock, timers, turns, random, fileSystem } = this.#ports;
    const schema = controllerSchema(config);
    this.#metadata = new MetadataNode({
      directory,
      fileSystem,
      clock,
      random,
      log,
      metrics,
      schema,
      bytesBetweenSnapshots: config.values['metadata.log.max.record.bytes.between.snapshots'],
      fatal: (error) => options.onFatal?.(error),
    });
    replicas.begin({ metadata: this.#metadata, controller: null });
    this.#application = new ImageApplication({
      nodeId: this.#metadata.nodeId,
      directory,
      replicas,
      config,
      log,
    });
    const foundation = {
      config,
      clock,
      timers,
      turns,
      random,
      log,
      metrics,
      metadata: this.#metadata,
      replicas,
      topicCreation: {
        defaults: {
          numPartitions: config.values['num.partitions'],
          replicationFactor: config.values['default.replication.factor'],
        },
        schema,
        random,
      },
      handlers: handlerTable,
      unsentBytes: () => this.#server.unsentBytes,
      advertisedListeners: () => this.#listeners,
    };
    this.services = { ...foundation, groups: groupService(foundation) };
    this.#server = new SocketServer({
      listeners: nodeRoles(config.values).clientListeners,
      limits: serverLimits(config, options.connectionsWithinDescriptors),
      clock,
      timers,
      log,
      metrics,
      processor: new Router(handlerTable, this.services, options.interceptor),
      network: this.#ports.network,
    });
  }

  get listeners(): readonly AdvertisedListener[] {
    return this.#listeners;
  }

  /** -1 until the broker is registered. */
  get brokerEpoch(): number {
    return this.#metadata.brokerEpoch;
  }

  get bootstrapServers(): string {
    return this.#listeners
      .slice(0, 1)
      .map(({ host, port }) => `${host}:${port}`)
      .join('');
  }

  async start(): Promise<void> {
    const { config, log } = this.#options;
    this.#application.load(this.#metadata.image);
    const bound = await this.#server.listen();
    this.#listeners = advertisedListeners(config.values, bound, await this.#ports.network.hostname());
    await this.#register();
    this.services.groups.start();
    await this.#listenHttp();
    this.#server.serve();
    this.#state = 'running';
    log.info('Broker started', {
      nodeId: this.#metadata.nodeId,
      clusterId: this.#metadata.clusterId,
      logDirectory: this.#directory.path,
      cleanStart: this.#directory.cleanStart,
      brokerEpoch: this.#metadata.brokerEpoch,
      listeners: this.#listeners.map(({ name, host, port }) => `${name}://${host}:${port}`),
      ...(this.http === null ? {} : { http: `${this.http.host}:${this.http.port}` }),
      startMs: Math.round(this.#ports.clock.monotonic() - this.#startedAt),
    });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  abandon(): void {
    this.#state = 'stopped';
    this.#http?.close();
    this.#server.stopAccepting();
    this.#server.closeAll();
    this.#replicas.stop();
    this.#metadata.close();
  }

  async #stop(): Promise<void> {
    const { log } = this.#options;
    this.#state = 'stopping';
    log.info('Broker stops', { nodeId: this.#metadata.nodeId });
    if (liveBrokers(this.#metadata.image).length > 1) {
      await new Promise<void>((resolve) => this.#metadata.beginControlledShutdown(resolve));
    }
    this.#server.stopAccepting();
    const drained = new Promise<void>((resolve) => this.#server.drain(DRAIN_MS, resolve));
    this.services.groups.stop();
    this.#replicas.endWaitingReads();
    await drained;
    this.#replicas.stop();
    const brokerEpoch = this.#metadata.brokerEpoch;
    this.#metadata.close();
    this.#http?.close();
    await closeDirectory(this.#directory, brokerEpoch, log);
    this.#state = 'stopped';
    log.info('Broker stopped', { nodeId: this.#metadata.nodeId });
  }

  #register(): Promise<void> {
    const registration = {
      endpoints: this.#listeners.map(({ name, host, port }) => ({
        name,
        host,
        port,
        securityProtocol: PLAINTEXT,
      })),
      rack: this.#options.config.values['broker.rack'],
      apply: this.#application.apply,
    };
    return new Promise((resolve, reject) => {
      this.#metadata.start(registration, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  async #listenHttp(): Promise<void> {
    const text = this.#options.config.values['seatlog.http.listener'];
    if (text === '') return;
    this.#http = new HttpEndpoints(
      {
        isReady: () => this.#state === 'running',
        metrics: () => brokerMetricsText(this.services, this.#figures()),
        state: () => brokerState(this.services, this.#state),
      },
      this.#options.log,
    );
    this.http = await this.#http.listen(parseEndpoint('seatlog.http.listener', text));
  }

  #figures() {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return {
      residentBytes: rss,
      heapUsedBytes: heapUsed,
      cpuSeconds: (user + system) / 1e6,
      uptimeSeconds: (this.#ports.clock.monotonic() - this.#startedAt) / 1000,
      connections: this.#server.connectionCount,
    };
  }
}

function serverLimits({ values }: BrokerConfig, withinDescriptors = Number.MAX_SAFE_INTEGER): ServerLimits {
  return {
    maxFrameBytes: values['socket.request.max.bytes'],
    maxIdleMs: values['connections.max.idle.ms'],
    frameTimeoutMs: values['seatlog.frame.timeout.ms'],
    maxWaitingRequests: values['queued.max.requests'],
    maxRequestBytes: values['seatlog.connection.receive.buffer.bytes'],
    maxUnsentBytes: values['seatlog.connection.send.buffer.bytes'],
    maxConnections: Math.min(values['max.connections'], withinDescriptors),
    maxConnectionsPerHost: values['max.connections.per.ip'],
    backlog: values['socket.listen.backlog.size'],
  };
}
