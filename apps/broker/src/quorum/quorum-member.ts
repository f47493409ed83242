/**
 * What every node does for the metadata quorum, whatever its roles: follow the log or vote on it, and, with the controller
 * role, serve the other nodes on a listener and be the active controller when it leads.
 *
 * `start` binds the listener and joins; it resolves when the sockets are bound. `stop` hands leadership on.
 */
import type { LogDirectory } from '@seatlog/commit-log';
import {
  type CreateTopicsContext,
  DEFAULT_QUORUM_LIMITS,
  DEFAULT_QUORUM_TIMING,
  type QuorumSettings,
} from '@seatlog/metadata-quorum';
import type { BrokerPorts } from '../broker-ports.ts';
import type { BrokerConfig } from '../config/broker-config.ts';
import { nodeRoles } from '../config/node-roles.ts';
import { ActiveControllerService } from '../controller/active-controller-service.ts';
import { ControllerChannel } from '../controller/controller-channel.ts';
import { controllerHandlers } from '../controller/handlers/index.ts';
import { LocalController } from '../controller/local-controller.ts';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';
import { serverLimits } from '../network/server-limits.ts';
import { type BoundListener, SocketServer } from '../network/socket-server.ts';
import { peerChannel } from '../peers/peer-connections.ts';
import { Router } from '../router.ts';
import type { ControllerServices } from './controller-services.ts';
import { quorumHandlers } from './handlers/index.ts';
import { QuorumNode } from './quorum-node.ts';

/** How long answers in process may take to leave when the node stops. */
const DRAIN_MS = 1000;
const UNNAMED_LISTENER = 'CONTROLLER';

export interface QuorumMemberOptions {
  readonly config: BrokerConfig;
  readonly ports: BrokerPorts;
  readonly directory: LogDirectory;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
  readonly topicCreation: CreateTopicsContext;
  readonly connectionsWithinDescriptors?: number;
  readonly fatal: (error: Error) => void;
}

export class QuorumMember {
  readonly quorum: QuorumNode;
  readonly #options: QuorumMemberOptions;
  readonly #controller: ActiveControllerService | null = null;
  readonly #local: LocalController | null = null;
  readonly #server: SocketServer | null = null;

  constructor(options: QuorumMemberOptions) {
    this.#options = options;
    const { config, ports, directory, log, metrics, topicCreation, fatal } = options;
    const { values } = config;
    const settings = quorumSettings(config, directory);
    this.quorum = new QuorumNode({
      ...ports,
      settings,
      directory,
      log,
      segmentBytes: values['metadata.log.segment.bytes'],
      snapshots: {
        maxBytes: values['metadata.log.max.record.bytes.between.snapshots'],
        maxIntervalMs: values['metadata.log.max.snapshot.interval.ms'],
      },
      fatal,
    });
    const { isController, controllerListeners } = nodeRoles(values);
    if (!isController) return;
    const { schema } = topicCreation;
    this.#controller = new ActiveControllerService({
      ...ports,
      quorum: this.quorum,
      config,
      schema,
      log,
      metrics,
    });
    const handlers = [...quorumHandlers, ...controllerHandlers];
    const services: ControllerServices = {
      ...ports,
      config,
      log,
      metrics,
      metadata: this.quorum,
      quorum: this.quorum.requests,
      controller: this.#controller,
      topicCreation,
      handlers,
    };
    this.#local = new LocalController(services);
    if (controllerListeners.length === 0) return;
    this.#server = new SocketServer({
      ...ports,
      listeners: controllerListeners,
      limits: serverLimits(values, options.connectionsWithinDescriptors),
      log,
      metrics,
      processor: new Router(handlers, services),
    });
  }

  get connections(): number {
    return this.#server?.connectionCount ?? 0;
  }

  /** A channel to the active controller with connections of its own. */
  controllerChannel(name: string): ControllerChannel {
    const { ports, log } = this.#options;
    const { quorum } = this;
    const clientId = `broker-${quorum.nodeId}-to-controller-${name}`;
    const peers = peerChannel({ ...ports, log, clientId, name: `controller, ${name}` });
    return new ControllerChannel({ ...ports, name, quorum, peers, local: this.#local, log });
  }

  async start(): Promise<readonly BoundListener[]> {
    const bound = (await this.#server?.listen()) ?? [];
    this.quorum.start();
    this.#server?.serve();
    return bound;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.quorum.stop(resolve));
    this.#controller?.stop();
    const server = this.#server;
    if (server === null) return;
    server.stopAccepting();
    await new Promise<void>((resolve) => server.drain(DRAIN_MS, resolve));
  }

  abandon(): void {
    this.#server?.stopAccepting();
    this.#server?.closeAll();
    this.quorum.abandon();
    this.#controller?.stop();
  }
}

function quorumSettings({ values }: BrokerConfig, directory: LogDirectory): QuorumSettings {
  const { nodeId, directoryId, clusterId } = directory;
  const { voters, controllerListeners } = nodeRoles(values);
  return {
    nodeId,
    directoryId,
    clusterId,
    // A node that is its own quorum is reached by nobody, and reaches nobody.
    voters: voters.length === 0 ? [{ id: nodeId, host: '', port: 0 }] : voters,
    listenerName: controllerListeners[0]?.name ?? UNNAMED_LISTENER,
    timing: {
      ...DEFAULT_QUORUM_TIMING,
      electionTimeoutMs: values['controller.quorum.election.timeout.ms'],
      electionBackoffMaxMs: values['controller.quorum.election.backoff.max.ms'],
      fetchTimeoutMs: values['controller.quorum.fetch.timeout.ms'],
      requestTimeoutMs: values['controller.quorum.request.timeout.ms'],
      retryBackoffMs: values['controller.quorum.retry.backoff.ms'],
    },
    limits: DEFAULT_QUORUM_LIMITS,
  };
}
