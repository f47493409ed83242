/**
 * A node with the controller role alone: a voter of the metadata quorum that serves no clients and holds no partitions.
 * It is ready once it knows who leads the quorum.
 */
import type { LogDirectory } from '@seatlog/commit-log';
import { closeDirectory, noProgress, openNodeDirectory } from './broker-directory.ts';
import { type BrokerPorts, nodePorts } from './broker-ports.ts';
import { controllerMetricsText } from './http/controller-metrics-text.ts';
import { listenHttp, type NodeHttp } from './http/node-http.ts';
import { processFigures } from './http/process-figures.ts';
import { controllerState } from './http/quorum-state.ts';
import { untilNobodyWaitsForLeave } from './lifecycle/last-vote.ts';
import { type BrokerMetrics, createMetrics } from './metrics.ts';
import type { BoundListener } from './network/socket-server.ts';
import type { HttpAddress, NodeOptions, NodeState, RunningNode } from './node-options.ts';
import type { DescribedQuorum } from './quorum/metadata-quorum.ts';
import { QuorumMember } from './quorum/quorum-member.ts';
import { watchElections } from './metadata/unclean-elections.ts';
import { topicCreationContext } from './topic-creation.ts';

/** The epoch of a node that is no broker. */
const NO_BROKER_EPOCH = -1;

export async function startController(options: NodeOptions): Promise<RunningNode> {
  const { config, log, ports = nodePorts } = options;
  const directory = openNodeDirectory(config, ports, noProgress, log);
  let controller: Controller | null = null;
  try {
    controller = new Controller({ ...options, ports }, directory);
    await controller.start();
    return controller;
  } catch (error) {
    controller?.abandon();
    await closeDirectory(directory, NO_BROKER_EPOCH, log);
    throw error;
  }
}

class Controller implements RunningNode {
  readonly listeners = [];
  readonly #options: NodeOptions;
  readonly #ports: BrokerPorts;
  readonly #directory: LogDirectory;
  readonly #metrics: BrokerMetrics = createMetrics();
  readonly #member: QuorumMember;
  readonly #startedAt: number;
  #bound: readonly BoundListener[] = [];
  #http: NodeHttp | null = null;
  #state: NodeState = 'starting';
  #stopping: Promise<void> | null = null;

  constructor(options: NodeOptions & { readonly ports: BrokerPorts }, directory: LogDirectory) {
    this.#options = options;
    this.#ports = options.ports;
    this.#directory = directory;
    this.#startedAt = options.ports.clock.monotonic();
    const { config, log, ports, onFatal } = options;
    this.#member = new QuorumMember({
      ...options,
      directory,
      metrics: this.#metrics,
      topicCreation: topicCreationContext(config, ports.random),
      fatal: (error) => onFatal?.(error),
    });
    watchElections(this.#member.quorum, log, this.#metrics);
  }

  get http(): HttpAddress | null {
    return this.#http?.address ?? null;
  }

  get quorum(): DescribedQuorum {
    return this.#member.quorum;
  }

  async start(): Promise<void> {
    const { config, log } = this.#options;
    const { quorum } = this.#member;
    this.#bound = await this.#member.start();
    const contents = {
      health: () => ({ ready: this.#state === 'running' && quorum.leader.id !== -1, state: this.#state }),
      metrics: () => controllerMetricsText(quorum, this.#metrics, this.#figures()),
      state: () => controllerState(quorum, this.#state, this.#bound),
    };
    this.#http = await listenHttp(config, contents, log);
    this.#state = 'running';
    log.info('Controller started', {
      nodeId: quorum.nodeId,
      clusterId: quorum.clusterId,
      logDirectory: this.#directory.path,
      listeners: this.#bound.map(({ name, host, port }) => `${name}://${host}:${port}`),
      ...(this.http === null ? {} : { http: `${this.http.host}:${this.http.port}` }),
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
    this.#member.abandon();
  }

  async #stop(): Promise<void> {
    const { log } = this.#options;
    const { nodeId } = this.#member.quorum;
    this.#state = 'stopping';
    log.info('Controller stops', { nodeId });
    await untilNobodyWaitsForLeave(this.#member.quorum, this.#ports.timers);
    await this.#member.stop();
    this.#http?.close();
    await closeDirectory(this.#directory, NO_BROKER_EPOCH, log);
    this.#state = 'stopped';
    log.info('Controller stopped', { nodeId });
  }

  #figures() {
    return processFigures(this.#ports.clock.monotonic() - this.#startedAt, this.#member.connections);
  }
}
