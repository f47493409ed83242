/**
 * One broker's replicas with all that they need: a disk in memory that outlives the process, a log directory, sockets in
 * memory, the handlers that replication goes through. Its image comes from a `MemoryController`.
 */
import type { LogDirectory } from '@seatlog/commit-log';
import type { ClusterImage } from '@seatlog/metadata-quorum';
import type { Cancel, Clock, Timers, Turns } from '@seatlog/runtime';
import {
  type ManualTurns,
  type MemoryFileSystem,
  type MemoryNetwork,
  SeededRandom,
} from '@seatlog/runtime/testing';
import { openNodeDirectory } from '../../broker-directory.ts';
import type { BrokerConfig } from '../../config/broker-config.ts';
import { deleteRecords } from '../../handlers/21-delete-records.ts';
import { fetch } from '../../handlers/01-fetch.ts';
import { listOffsets } from '../../handlers/02-list-offsets.ts';
import { offsetForLeaderEpoch } from '../../handlers/23-offset-for-leader-epoch.ts';
import { produce } from '../../handlers/00-produce.ts';
import { createLogger, type Logger } from '../../logger.ts';
import { type BrokerMetrics, createMetrics } from '../../metrics.ts';
import { serverLimits } from '../../network/server-limits.ts';
import { SocketServer } from '../../network/socket-server.ts';
import { Router } from '../../router.ts';
import type { BrokerServices } from '../../services.ts';
import { ImageApplication } from '../image-application.ts';
import type { LocalPartition } from '../local-partition.ts';
import { LocalReplicas } from '../local-replicas.ts';
import type { BrokerAddress, MemoryController } from './memory-controller.ts';

const HANDLERS = [produce, fetch, listOffsets, deleteRecords, offsetForLeaderEpoch];

export interface ReplicatedBrokerOptions {
  readonly address: BrokerAddress;
  readonly config: BrokerConfig;
  readonly controller: MemoryController;
  readonly network: MemoryNetwork;
  readonly clock: Clock & Timers;
  readonly turns: ManualTurns;
  readonly disk: MemoryFileSystem;
  readonly previousBrokerEpoch: number;
  /** The epoch of a registration that goes on: the process was stopped for a while, and nobody noticed. */
  readonly keptEpoch?: number;
}

export class ReplicatedBroker {
  readonly lines: string[] = [];
  readonly metrics: BrokerMetrics = createMetrics();
  readonly replicas: LocalReplicas;
  readonly directory: LogDirectory;
  brokerEpoch = -1;
  image: ClusterImage;
  readonly #options: ReplicatedBrokerOptions;
  readonly #log: Logger;
  readonly #application: ImageApplication;
  readonly #server: SocketServer;
  #unsubscribe: Cancel = () => {};
  #isDead = false;

  constructor(options: ReplicatedBrokerOptions) {
    this.#options = options;
    const { config, controller, network, clock, disk, address } = options;
    this.image = controller.image;
    this.#log = createLogger(clock, 'info', (line) =>
      this.lines.push((JSON.parse(line) as { msg: string }).msg),
    );
    const log = this.#log;
    const { timers, turns, metrics } = { ...this.#mortal(), metrics: this.metrics };
    this.replicas = new LocalReplicas({ config, clock, timers, network, log, metrics });
    const random = new SeededRandom(address.id);
    const ports = { fileSystem: disk, clock, timers, turns, random, network };
    this.directory = openNodeDirectory(config, ports, this.replicas, log);
    this.#application = new ImageApplication({
      nodeId: address.id,
      directory: this.directory,
      replicas: this.replicas,
      config,
      clock,
      log,
    });
    this.#server = this.#socketServer(timers);
  }

  async start(): Promise<void> {
    const { controller, address, turns, previousBrokerEpoch, keptEpoch } = this.#options;
    const loaded = this.#application.load(controller.image);
    turns.endAll();
    await loaded;
    await this.#server.listen();
    this.#server.serve();
    this.brokerEpoch = keptEpoch ?? controller.register(address, previousBrokerEpoch);
    this.replicas.begin({
      metadata: this.#metadata(),
      controller: controller.requestsOf((action) => turns.defer(() => this.#ifAlive(action))),
      brokerEpoch: () => this.brokerEpoch,
    });
    this.#unsubscribe = controller.subscribe((image) =>
      turns.defer(() => this.#ifAlive(() => this.#apply(image))),
    );
    turns.defer(() => this.#ifAlive(() => this.#apply(controller.image)));
    if (keptEpoch === undefined) controller.unfence(address.id);
  }

  /** SIGKILL. */
  kill(): void {
    this.#isDead = true;
    this.#unsubscribe();
    this.#server.stopAccepting();
    this.#server.closeAll();
    this.replicas.stop();
    this.#options.disk.crash({ kind: 'process' });
  }

  /** SIGTERM: leaderships move, then the logs are closed well. */
  terminate(): void {
    this.#options.controller.beginShutdown(this.#options.address.id);
  }

  close(): void {
    this.replicas.stop();
    this.directory.close({ brokerEpoch: this.brokerEpoch }, () => {});
    this.#isDead = true;
    this.#unsubscribe();
    this.#server.stopAccepting();
    this.#server.closeAll();
  }

  partition(topic: string, index = 0): LocalPartition {
    const partition = this.replicas.partition(topic, index);
    if (partition === undefined)
      throw new Error(`broker ${this.#options.address.id} has no ${topic}-${index}`);
    return partition;
  }

  #apply(image: ClusterImage): void {
    if (image.lastOffset < this.image.lastOffset || this.brokerEpoch === -1) return;
    this.image = image;
    this.#application.apply(image);
  }

  #ifAlive(action: () => void): void {
    if (!this.#isDead) action();
  }

  /** Timers and turns that end with the process. */
  #mortal(): { readonly timers: Timers; readonly turns: Turns } {
    const { clock, turns } = this.#options;
    return {
      timers: { schedule: (delayMs, action) => clock.schedule(delayMs, () => this.#ifAlive(action)) },
      turns: { defer: (action) => turns.defer(() => this.#ifAlive(action)) },
    };
  }

  #metadata(): BrokerServices['metadata'] {
    const image = (): ClusterImage => this.image;
    // Handlers and replicas look at nothing but the image.
    return {
      get image() {
        return image();
      },
    } as BrokerServices['metadata'];
  }

  #socketServer(timers: Timers): SocketServer {
    const { config, clock, network, address } = this.#options;
    const metrics = this.metrics;
    const log = this.#log;
    // The handlers of replication use no more of a broker than this.
    const services: Partial<BrokerServices> = {
      config,
      clock,
      timers,
      log,
      metrics,
      replicas: this.replicas,
      metadata: this.#metadata(),
      unsentBytes: () => this.#server.unsentBytes,
    };
    return new SocketServer({
      listeners: [{ name: 'PLAINTEXT', host: '', port: address.port }],
      limits: serverLimits(config.values),
      clock,
      timers,
      log,
      metrics,
      processor: new Router(HANDLERS, services as BrokerServices),
      network,
    });
  }
}
