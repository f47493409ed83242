/**
 * A node with the broker role, in the process that starts it: `startBroker` for the command, for tests and for whoever
 * embeds it.
 *
 * Start: take the log directory, open the metadata log, bind the sockets and join the quorum; register with the active
 * controller, follow the metadata up to that registration, load and recover partitions in line with it, be unfenced, then
 * serve. Connections that come early wait. Leaderships of an earlier run are never applied: the registration took them
 * away. A start that fails holds nothing.
 *
 * Stop: leaderships go to other brokers, no more connections and requests, what is in process is answered, the quorum is
 * left once no other broker waits for its decision, logs are flushed, the clean-stop marker is written.
 */
import type { LogDirectory } from '@seatlog/commit-log';
import { liveBrokers } from '@seatlog/metadata-quorum';
import { advertisedListeners } from './advertised-listeners.ts';
import { closeDirectory, openNodeDirectory, requireWholeLogs } from './broker-directory.ts';
import { type BrokerPorts, nodePorts } from './broker-ports.ts';
import { nodeRoles } from './config/node-roles.ts';
import { AutomaticTopics } from './controller/automatic-topics.ts';
import type { ControllerChannel } from './controller/controller-channel.ts';
import { GroupCoordinator } from './groups/group-coordinator.ts';
import { handlerTable } from './handlers/index.ts';
import { brokerMetricsText } from './http/broker-metrics-text.ts';
import { brokerState } from './http/broker-state.ts';
import { listenHttp, type NodeHttp } from './http/node-http.ts';
import { processFigures } from './http/process-figures.ts';
import { BrokerLifecycle } from './lifecycle/broker-lifecycle.ts';
import { untilNobodyWaitsForLeave } from './lifecycle/last-vote.ts';
import { watchElections } from './metadata/unclean-elections.ts';
import { type BrokerMetrics, createMetrics } from './metrics.ts';
import { serverLimits } from './network/server-limits.ts';
import { SocketServer } from './network/socket-server.ts';
import {
  type HttpAddress,
  type NodeOptions,
  type NodeState,
  type RunningNode,
  unlessGivenUp,
} from './node-options.ts';
import type { DescribedQuorum } from './quorum/metadata-quorum.ts';
import { QuorumMember } from './quorum/quorum-member.ts';
import { ImageApplication, type LoadProgress } from './replica-manager/image-application.ts';
import { LocalReplicas } from './replica-manager/local-replicas.ts';
import { Router } from './router.ts';
import type { AdvertisedListener, BrokerServices } from './services.ts';
import { topicCreationContext } from './topic-creation.ts';

/** How long requests in process may take to be answered when the broker stops. */
const DRAIN_MS = 5000;
const PLAINTEXT = 0;

export type BrokerOptions = NodeOptions;

export interface RunningBroker extends RunningNode {
  readonly services: BrokerServices;
  /** `host:port` of the first listener, as clients want it. */
  readonly bootstrapServers: string;
}

export async function startBroker(options: BrokerOptions): Promise<RunningBroker> {
  const { config, log, ports = nodePorts } = options;
  const metrics = createMetrics();
  const replicas = new LocalReplicas({ ...ports, config, log, metrics });
  const directory = openNodeDirectory(config, ports, replicas, log);
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

class Broker implements RunningBroker {
  readonly services: BrokerServices;
  readonly #options: BrokerOptions;
  readonly #ports: BrokerPorts;
  readonly #directory: LogDirectory;
  readonly #member: QuorumMember;
  readonly #channels: readonly ControllerChannel[];
  readonly #lifecycle: BrokerLifecycle;
  readonly #replicas: LocalReplicas;
  readonly #application: ImageApplication;
  readonly #server: SocketServer;
  readonly #startedAt: number;
  readonly #failure = Promise.withResolvers<never>();
  #http: NodeHttp | null = null;
  #listeners: readonly AdvertisedListener[] = [];
  #state: NodeState = 'starting';
  #stopping: Promise<void> | null = null;

  constructor(
    options: BrokerOptions & { readonly ports: BrokerPorts },
    directory: LogDirectory,
    replicas: LocalReplicas,
    metrics: BrokerMetrics,
  ) {
    const { config, log, ports } = options;
    const { directoryId, previousBrokerEpoch } = directory;
    this.#options = options;
    this.#ports = ports;
    this.#directory = directory;
    this.#replicas = replicas;
    this.#startedAt = ports.clock.monotonic();
    const topicCreation = topicCreationContext(config, ports.random);
    this.#member = new QuorumMember({
      ...options,
      directory,
      metrics,
      topicCreation,
      fatal: (error) => {
        this.#failure.reject(error);
        options.onFatal?.(error);
      },
    });
    // A failure after the start is told to `onFatal` alone.
    this.#failure.promise.catch(() => {});
    const { quorum } = this.#member;
    const heartbeats = this.#member.controllerChannel('heartbeat');
    const proposals = this.#member.controllerChannel('alter-partition');
    const forwarding = this.#member.controllerChannel('forwarding');
    this.#channels = [heartbeats, proposals, forwarding];
    this.#lifecycle = new BrokerLifecycle({
      ...ports,
      quorum,
      channel: heartbeats,
      config,
      log,
      directoryId,
      previousBrokerEpoch,
    });
    const brokerEpoch = (): number => this.#lifecycle.brokerEpoch;
    replicas.begin({ metadata: quorum, controller: proposals, brokerEpoch });
    const { nodeId } = quorum;
    this.#application = new ImageApplication({ ...ports, nodeId, directory, replicas, config, log });
    watchElections(quorum, log, metrics);
    const foundation = {
      ...ports,
      config,
      log,
      metrics,
      metadata: quorum,
      replicas,
      topicCreation,
      controllerChannel: forwarding,
      automaticTopics: new AutomaticTopics({ ...ports, metadata: quorum, controllerChannel: forwarding }),
      handlers: handlerTable,
      unsentBytes: () => this.#server.unsentBytes,
      advertisedListeners: () => this.#listeners,
    };
    this.services = { ...foundation, groups: new GroupCoordinator(foundation) };
    this.#server = new SocketServer({
      ...ports,
      listeners: nodeRoles(config.values).clientListeners,
      limits: serverLimits(config.values, options.connectionsWithinDescriptors),
      log,
      metrics,
      processor: new Router(handlerTable, this.services, options.interceptor),
    });
  }

  get listeners(): readonly AdvertisedListener[] {
    return this.#listeners;
  }

  get http(): HttpAddress | null {
    return this.#http?.address ?? null;
  }

  get quorum(): DescribedQuorum {
    return this.#member.quorum;
  }

  /** -1 until the broker is registered. */
  get brokerEpoch(): number {
    return this.#lifecycle.brokerEpoch;
  }

  get bootstrapServers(): string {
    return this.#listeners
      .slice(0, 1)
      .map(({ host, port }) => `${host}:${port}`)
      .join('');
  }

  async start(): Promise<void> {
    const { config, log, startSignal } = this.#options;
    const controllerListeners = await this.#member.start();
    const bound = await this.#server.listen();
    const { network } = this.#ports;
    this.#listeners = await advertisedListeners(config.values, bound, () => network.hostname());
    this.#http = await listenHttp(config, this.#httpContents(), log);
    await unlessGivenUp(this.#join(), this.#failure.promise, startSignal);
    this.#server.serve();
    this.#state = 'running';
    log.info('Broker started', {
      nodeId: this.#member.quorum.nodeId,
      clusterId: this.#member.quorum.clusterId,
      logDirectory: this.#directory.path,
      cleanStart: this.#directory.cleanStart,
      brokerEpoch: this.brokerEpoch,
      listeners: [...this.#listeners, ...controllerListeners].map(
        ({ name, host, port }) => `${name}://${host}:${port}`,
      ),
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
    this.#leaveCluster();
    this.#member.abandon();
  }

  async #stop(): Promise<void> {
    const { log } = this.#options;
    const { quorum } = this.#member;
    this.#state = 'stopping';
    log.info('Broker stops', { nodeId: quorum.nodeId });
    // A broker that is alone with its controller has nobody to hand its leaderships to, and nobody to tell.
    const isAlone = quorum.term !== null && liveBrokers(quorum.image).length <= 1;
    if (!isAlone) await this.#lifecycle.beginControlledShutdown();
    this.#server.stopAccepting();
    const drained = new Promise<void>((resolve) => this.#server.drain(DRAIN_MS, resolve));
    this.services.groups.stop();
    this.#replicas.endWaitingReads();
    await Promise.all([drained, untilNobodyWaitsForLeave(quorum, this.#ports.timers)]);
    this.#replicas.stop();
    this.#leaveCluster();
    await this.#member.stop();
    this.#http?.close();
    await closeDirectory(this.#directory, this.brokerEpoch, log);
    this.#state = 'stopped';
    log.info('Broker stopped', { nodeId: quorum.nodeId });
  }

  #leaveCluster(): void {
    this.#lifecycle.stop();
    for (const channel of this.#channels) channel.close();
  }

  /** From the registration to the moment at which the controller lets this broker lead. */
  async #join(): Promise<void> {
    const endpoints = this.#listeners.map((listener) => ({ ...listener, securityProtocol: PLAINTEXT }));
    const brokerEpoch = await this.#lifecycle.register(endpoints);
    await this.#registrationSeen(brokerEpoch);
    const { quorum } = this.#member;
    await this.#application.load(quorum.image);
    requireWholeLogs(this.#directory);
    quorum.attach(this.#application.apply);
    this.services.groups.start();
    await this.#lifecycle.unfence();
  }

  /** Resolves when the image holds the registration, and so none of what this broker led in an earlier run. */
  #registrationSeen(brokerEpoch: number): Promise<void> {
    const { quorum } = this.#member;
    const isSeen = (): boolean => quorum.image.brokers.get(quorum.nodeId)?.epoch === brokerEpoch;
    return new Promise((resolve) => {
      if (isSeen()) return resolve();
      const unsubscribe = quorum.subscribe(() => {
        if (!isSeen()) return;
        unsubscribe();
        resolve();
      });
    });
  }

  #httpContents() {
    const { quorum } = this.#member;
    return {
      health: () => ({
        ready: this.#state === 'running' && this.#isUnfenced(),
        state: this.#state,
        ...this.#loading(),
      }),
      metrics: () => brokerMetricsText(this.services, quorum, this.#figures()),
      state: () =>
        brokerState(this.services, quorum, {
          state: this.#state,
          brokerEpoch: this.brokerEpoch,
          fenced: !this.#isUnfenced(),
          ...this.#loading(),
        }),
    };
  }

  #loading(): { readonly loading?: LoadProgress } {
    const { progress } = this.#application;
    return progress === null ? {} : { loading: progress };
  }

  #isUnfenced(): boolean {
    const { quorum } = this.#member;
    const registration = quorum.image.brokers.get(quorum.nodeId);
    return registration?.epoch === this.brokerEpoch && !registration.fenced;
  }

  #figures() {
    const connections = this.#server.connectionCount + this.#member.connections;
    return processFigures(this.#ports.clock.monotonic() - this.#startedAt, connections);
  }
}
