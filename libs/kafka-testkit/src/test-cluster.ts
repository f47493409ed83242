/**
 * A cluster of one real broker. Its disk and its network are in memory and outlive it, so that it can end and start
 * again; its time is the process's or virtual.
 */
import { createLogger, type RunningBroker, silentLogger, startBroker } from '@seatlog/broker/embedded';
import { type ClientOptions, createClient } from '@seatlog/kafka-client';
import {
  type Clock,
  type Network,
  systemClock,
  systemTimers,
  systemTurns,
  type Timers,
  type Turns,
} from '@seatlog/runtime';
import { MemoryFileSystem, MemoryNetwork, SeededRandom } from '@seatlog/runtime/testing';
import { brokerSettings, LOOPBACK, MEMORY_HOST, MEMORY_PORT, NODE_ID } from './broker-settings.ts';
import { Lifespan } from './lifespan.ts';
import { type LoggedRecord, loggedRecords } from './logged-records.ts';
import { alsoOnSockets } from './loopback-network.ts';
import { type ApiName, type RequestAnswer, type RequestHook, RequestHooks } from './request-hooks.ts';
import type { ClusterBroker, RestartOptions, TestCluster, TestClusterOptions, TestTopic } from './types.ts';
import { VirtualTime } from './virtual-time.ts';

/** The client by which the cluster makes its own requests. */
const OWN_CLIENT = 'seatlog-testkit';
const DEFAULT_LIMIT_MS = 600_000;

/** Starts a broker in memory. Close it, or declare it with `await using`. */
export async function createTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const cluster = new EmbeddedCluster(options);
  try {
    await cluster.start();
    for (const topic of options.topics ?? []) await cluster.createTopic(topic);
    return cluster;
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

/** One run of the broker, from its start to its end. */
interface Life {
  readonly broker: RunningBroker;
  readonly lifespan: Lifespan;
}

class EmbeddedCluster implements TestCluster {
  readonly clientOptions: ClientOptions;
  readonly #options: TestClusterOptions;
  readonly #virtual: VirtualTime | null;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #turns: Turns;
  readonly #random: SeededRandom;
  readonly #disk: MemoryFileSystem;
  readonly #memory: MemoryNetwork;
  readonly #network: Network;
  readonly #hooks = new RequestHooks(OWN_CLIENT, (error) => this.#failures.push(error));
  /** What went wrong where nobody waited for it. */
  readonly #failures: unknown[] = [];
  readonly #host: string;
  /** 0 until a socket has taken one. */
  #port: number;
  #life: Life | null = null;
  #brokers: readonly ClusterBroker[] = [];

  constructor(options: TestClusterOptions) {
    const { clock = 'real', listen = false, seed = 1 } = options;
    this.#options = options;
    this.#virtual = clock === 'virtual' ? new VirtualTime() : null;
    this.#clock = this.#virtual?.clock ?? systemClock;
    this.#timers = this.#virtual?.clock ?? systemTimers;
    this.#turns = this.#virtual?.turns ?? systemTurns;
    this.#random = new SeededRandom(seed);
    this.#disk = new MemoryFileSystem({ random: this.#random });
    this.#memory = new MemoryNetwork(this.#turns);
    this.#network = listen ? alsoOnSockets(this.#memory) : this.#memory;
    this.#host = listen ? LOOPBACK : MEMORY_HOST;
    this.#port = listen ? 0 : MEMORY_PORT;
    const bootstrapServers = (): string => this.bootstrapServers;
    this.clientOptions = {
      get brokers() {
        return bootstrapServers();
      },
      ports: {
        clock: this.#clock,
        timers: this.#timers,
        turns: this.#turns,
        random: this.#random,
        connector: this.#memory,
      },
    };
  }

  get brokers(): readonly ClusterBroker[] {
    return this.#brokers;
  }

  get bootstrapServers(): string {
    return this.#brokers.map(({ address }) => address).join();
  }

  now(): number {
    return this.#clock.now();
  }

  async advance(milliseconds: number): Promise<void> {
    if (this.#virtual === null) {
      throw new Error("advance needs a cluster with clock: 'virtual'; the real clock moves by itself");
    }
    await this.#virtual.advance(milliseconds);
    this.#reportFailure();
  }

  async until<T>(promise: Promise<T>, { withinMs = DEFAULT_LIMIT_MS } = {}): Promise<T> {
    try {
      return await (this.#virtual === null ? promise : this.#virtual.until(promise, withinMs));
    } finally {
      this.#reportFailure();
    }
  }

  async createTopic(topic: string | TestTopic): Promise<void> {
    const { name, partitions = 1, configs = {} } = typeof topic === 'string' ? { name: topic } : topic;
    const client = createClient({ ...this.clientOptions, clientId: OWN_CLIENT });
    try {
      await this.until(client.admin().createTopics([{ name, partitions, replicationFactor: 1, configs }]));
    } finally {
      await client.close();
    }
  }

  records(topic: string): LoggedRecord[] {
    return loggedRecords(this.#running().broker.services.replicas, topic);
  }

  onRequest<Name extends ApiName>(api: Name, hook: RequestHook<Name> | RequestAnswer): () => void {
    return this.#hooks.add(api, hook);
  }

  async start(): Promise<void> {
    const { brokerConfig = {}, log } = this.#options;
    const config = brokerSettings(brokerConfig, { host: this.#host, port: this.#port });
    const lifespan = new Lifespan(this.#timers, this.#turns);
    const { timers, turns } = lifespan;
    const starting = startBroker({
      config,
      log:
        log === undefined ? silentLogger : createLogger(this.#clock, config.values['seatlog.log.level'], log),
      ports: {
        fileSystem: this.#disk,
        clock: this.#clock,
        timers,
        turns,
        random: this.#random,
        network: this.#network,
      },
      interceptor: this.#hooks.interceptor(NODE_ID, timers),
      onFatal: (error) => this.#failures.push(error),
    });
    const broker = await this.until(starting);
    this.#life = { broker, lifespan };
    this.#brokers = broker.listeners.map(({ host, port }) => ({
      nodeId: NODE_ID,
      host,
      port,
      address: `${host}:${port}`,
    }));
    this.#port = this.#brokers[0]?.port ?? this.#port;
  }

  async restart({ crash = false }: RestartOptions = {}): Promise<void> {
    const life = this.#running();
    if (crash === false) await this.#stop(life);
    else this.#crash(life, crash === 'process' ? 'process' : 'power');
    await this.start();
  }

  /** Waits for nothing: what the disk holds is of no interest any more. */
  close(): Promise<void> {
    if (this.#life !== null) this.#abandon(this.#life);
    return new Promise((resolve) => {
      this.#reportFailure();
      resolve();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #stop({ broker, lifespan }: Life): Promise<void> {
    this.#life = null;
    await this.until(broker.stop());
    lifespan.end();
  }

  #crash(life: Life, kind: 'process' | 'power'): void {
    this.#disk.crash({ kind, unsynced: 'lost' });
    this.#abandon(life);
  }

  #abandon({ broker, lifespan }: Life): void {
    this.#life = null;
    lifespan.end();
    broker.abandon();
  }

  #reportFailure(): void {
    if (this.#failures.length > 0) throw this.#failures.shift();
  }

  #running(): Life {
    if (this.#life === null) throw new Error('the cluster is closed');
    return this.#life;
  }
}
