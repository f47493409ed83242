/**
 * Nodes of one cluster in the test's own process: whole nodes, with disks and a network in memory, on one clock that
 * moves only while something is waited for. A run is the same each time.
 */
import { type Api, apis, ErrorCode, type RequestOf, type ResponseOf } from '@seatlog/kafka-protocol';
import {
  ManualClock,
  ManualTurns,
  MemoryFileSystem,
  MemoryNetwork,
  SeededRandom,
} from '@seatlog/runtime/testing';
import { startBroker } from '../broker.ts';
import { loadConfig } from '../config/load.ts';
import { startController } from '../controller-node.ts';
import { createLogger } from '../logger.ts';
import type { NodeOptions, RunningNode } from '../node-options.ts';
import type { PeerChannel, PeerOutcome } from '../peers/peer-channel.ts';
import { peerChannel } from '../peers/peer-connections.ts';
import type { MetadataQuorum } from '../quorum/metadata-quorum.ts';
import { NetworkCuts } from './network-cuts.ts';
import { StoppablePorts } from './stoppable-ports.ts';

/** Virtual time that anything waited for may take. */
const DEADLINE_MS = 60_000;
const STEP_MS = 5;
/** Turns of the process's loop in which promises of the nodes go on, per step. */
const QUIET_TURNS = 3;

export interface MemoryClusterOptions {
  readonly seed?: number;
  /** The nodes with the controller role. */
  readonly voters: readonly number[];
  /** For all nodes. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface MemoryNode {
  readonly id: number;
  readonly files: MemoryFileSystem;
  /** Null while it is not started, or starting. */
  running: RunningNode | null;
  readonly logLines: Record<string, unknown>[];
  readonly fatal: Error[];
  /** What the process that runs has to do with the world; null before the first start. */
  process: StoppablePorts | null;
}

export type NodeRole = 'broker' | 'controller' | 'broker,controller';

export class MemoryCluster implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly turns = new ManualTurns();
  readonly network = new MemoryNetwork(this.turns);
  /** Directions between nodes that are cut; nothing at first. */
  readonly cuts = new NetworkCuts();
  readonly #nodes = new Map<number, MemoryNode>();
  readonly #options: MemoryClusterOptions;
  readonly #random: SeededRandom;
  readonly #client: PeerChannel;

  constructor(options: MemoryClusterOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed ?? 1);
    const { network, clock } = this;
    this.#client = peerChannel({
      name: 'client',
      clientId: 'client',
      network,
      clock,
      timers: clock,
      log: createLogger(clock, 'error', () => {}),
    });
  }

  node(id: number): MemoryNode {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new Error(`node ${id} was never started`);
    return node;
  }

  /** All that were ever started. */
  get nodes(): readonly MemoryNode[] {
    return [...this.#nodes.values()];
  }

  get running(): readonly MemoryNode[] {
    return this.nodes.filter(({ running }) => running !== null);
  }

  quorum(id: number): MetadataQuorum {
    const { running } = this.node(id);
    if (running === null) throw new Error(`node ${id} does not run`);
    return running.quorum;
  }

  /** Starts the nodes together, on the disks that they had, and waits until all have started. */
  async start(ids: readonly number[], role: NodeRole = 'broker,controller'): Promise<void> {
    await this.wait(Promise.all(ids.map((id) => this.begin(id, role))));
  }

  /** Starts a node without waiting for it. */
  async begin(id: number, role: NodeRole = 'broker,controller', startSignal?: AbortSignal): Promise<void> {
    const known = this.#nodes.get(id);
    const node: MemoryNode = known ?? {
      id,
      files: new MemoryFileSystem({ random: new SeededRandom(this.#random.uint32()) }),
      running: null,
      logLines: [],
      fatal: [],
      process: null,
    };
    this.#nodes.set(id, node);
    const options = {
      ...this.#nodeOptions(node, role),
      ...(startSignal === undefined ? {} : { startSignal }),
    };
    node.running = role === 'controller' ? await startController(options) : await startBroker(options);
  }

  /** The process is gone and what it wrote stays; or the power is, and what was not synced may be lost, or torn. */
  kill(id: number, kind: 'process' | 'power' = 'process'): void {
    const node = this.node(id);
    node.files.crash({ kind });
    node.running?.abandon();
    node.process?.end();
    node.running = null;
  }

  /** SIGSTOP. */
  freeze(id: number): void {
    this.node(id).process?.stop();
  }

  /** SIGCONT. */
  thaw(id: number): void {
    this.node(id).process?.goOn();
  }

  async stop(id: number): Promise<void> {
    const node = this.node(id);
    await this.wait(node.running?.stop() ?? Promise.resolve());
    node.running = null;
  }

  /** Lets time go by until the condition holds. */
  async until(condition: () => boolean, what: string): Promise<void> {
    const end = this.clock.monotonic() + DEADLINE_MS;
    for (;;) {
      await this.#settle();
      if (condition()) return;
      if (this.clock.monotonic() > end) throw new Error(`not within ${DEADLINE_MS} virtual ms: ${what}`);
      this.clock.advance(STEP_MS);
    }
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.clock.monotonic() + milliseconds;
    await this.until(() => this.clock.monotonic() >= end, 'time goes by');
  }

  async wait<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    promise.then(settled, settled);
    await this.until(() => isSettled, 'a promise is settled');
    return promise;
  }

  /** A client's request to a broker; throws if there is no answer. */
  ask<A extends Api<unknown, unknown, never, never>>(
    id: number,
    api: A,
    version: number,
    body: RequestOf<A>,
  ): Promise<ResponseOf<A>> {
    return this.wait(this.send(id, api, version, body));
  }

  /** The same, answered while time goes by for something else. */
  async send<A extends Api<unknown, unknown, never, never>>(
    id: number,
    api: A,
    version: number,
    body: RequestOf<A>,
  ): Promise<ResponseOf<A>> {
    const outcome = await new Promise<PeerOutcome<unknown>>((resolve) => {
      const peer = { id, host: 'memory', port: clientPort(id) };
      this.#client.send(peer, api, version, body as never, { timeoutMs: 30_000 }, resolve);
    });
    if (outcome.kind === 'failed') throw new Error(`${api.name} to node ${id}: ${outcome.reason}`);
    // The answer was decoded by the api's own codec.
    return outcome.response as ResponseOf<A>;
  }

  async createTopic(
    id: number,
    name: string,
    partitions: number,
    replicas: number,
    on?: number,
  ): Promise<number> {
    const assignments =
      on === undefined
        ? []
        : Array.from({ length: partitions }, (_, partitionIndex) => ({ partitionIndex, brokerIds: [on] }));
    const isAssigned = assignments.length > 0;
    const response = await this.ask(id, apis.createTopics, 7, {
      topics: [
        {
          name,
          numPartitions: isAssigned ? -1 : partitions,
          replicationFactor: isAssigned ? -1 : replicas,
          assignments,
          configs: [],
        },
      ],
      timeoutMs: 20_000,
      validateOnly: false,
    });
    return response.topics[0]?.errorCode ?? ErrorCode.UNKNOWN_SERVER_ERROR;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    for (const { running } of this.#nodes.values()) running?.abandon();
    await this.#settle();
  }

  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      while (this.turns.pending > 0) {
        this.turns.end();
        await Promise.resolve();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #nodeOptions(node: MemoryNode, role: NodeRole): NodeOptions {
    const { clock, turns, network } = this;
    const { id, files } = node;
    const isController = role !== 'broker';
    const listeners = [
      ...(role === 'controller' ? [] : [`PLAINTEXT://127.0.0.1:${clientPort(id)}`]),
      ...(isController ? [`CONTROLLER://127.0.0.1:${controllerPort(id)}`] : []),
    ];
    const overrides = {
      'process.roles': role,
      'node.id': String(id),
      listeners: listeners.join(','),
      ...(isController ? { 'controller.listener.names': 'CONTROLLER' } : {}),
      'controller.quorum.voters': this.#options.voters
        .map((voter) => `${voter}@127.0.0.1:${controllerPort(voter)}`)
        .join(','),
      'cluster.id': 'wlRg8jBZQhqo0Y-qbWmJZA',
      'log.dir': '/logs',
      ...this.#options.settings,
    };
    const process = new StoppablePorts({
      fileSystem: files,
      clock,
      timers: clock,
      turns,
      random: new SeededRandom(this.#random.uint32()),
      network: this.cuts.networkOf(id, network, nodeAt),
    });
    node.process = process;
    return {
      config: loadConfig({ overrides: new Map(Object.entries(overrides)) }).config,
      log: createLogger(clock, 'debug', (line) => {
        node.logLines.push(JSON.parse(line) as Record<string, unknown>);
      }),
      ports: process.ports,
      onFatal: (error) => node.fatal.push(error),
    };
  }
}

const CLIENT_PORTS = 19_000;
const CONTROLLER_PORTS = 9000;

function clientPort(id: number): number {
  return CLIENT_PORTS + id;
}

function controllerPort(id: number): number {
  return CONTROLLER_PORTS + id;
}

function nodeAt(port: number): number {
  return port - (port >= CLIENT_PORTS ? CLIENT_PORTS : CONTROLLER_PORTS);
}
