/**
 * Brokers and controllers in one test, on one clock: the real lifecycles, channels and controllers; what is committed
 * reaches every node at once, unless it is kept from it. Requests between nodes take no time, get lost, or come twice.
 */
import { type ClusterImage, createTopics, partitionOf } from '@seatlog/metadata-quorum';
import { ManualClock, SeededRandom } from '@seatlog/runtime/testing';
import { loadConfig } from '../../config/load.ts';
import { controllerSchema } from '../../config/controller-schema.ts';
import { ActiveControllerService } from '../../controller/active-controller-service.ts';
import { ControllerChannel } from '../../controller/controller-channel.ts';
import { LocalController } from '../../controller/local-controller.ts';
import { MemoryQuorum } from '../../controller/testing/memory-quorum.ts';
import { silentLogger } from '../../logger.ts';
import { createMetrics } from '../../metrics.ts';
import type { PeerChannel } from '../../peers/peer-channel.ts';
import type { ControllerServices } from '../../quorum/controller-services.ts';
import { BrokerLifecycle } from '../broker-lifecycle.ts';

const endpoint = { name: 'PLAINTEXT', host: 'localhost', port: 9092, securityProtocol: 0 };

interface Controller {
  readonly quorum: MemoryQuorum;
  readonly local: LocalController;
}

export interface TestBroker {
  readonly id: number;
  readonly quorum: MemoryQuorum;
  readonly lifecycle: BrokerLifecycle;
  epoch: number;
  /** SIGSTOP: nothing goes in or out, and what falls due meanwhile runs when it goes on. */
  isStopped: boolean;
  /** SIGCONT. */
  goOn(): void;
}

export class ClusterWorld {
  readonly clock = new ManualClock();
  readonly random = new SeededRandom(11);
  readonly controllers = new Map<number, Controller>();
  readonly brokers = new Map<number, TestBroker>();
  /** How often a request arrives. */
  deliveries = 1;
  /** Controllers that nobody reaches. */
  readonly unreachable = new Set<number>();
  readonly #config = loadConfig({}).config;
  readonly #schema = controllerSchema(this.#config);

  constructor(controllerIds: readonly number[] = [100]) {
    for (const id of controllerIds) this.#addController(id);
    this.lead(controllerIds[0] ?? -1);
  }

  get image(): ClusterImage {
    return [...this.controllers.values()].reduce<ClusterImage | null>(
      (latest, { quorum }) =>
        latest === null || quorum.image.lastOffset > latest.lastOffset ? quorum.image : latest,
      null,
    ) as ClusterImage;
  }

  lead(id: number): void {
    for (const { quorum } of this.controllers.values()) if (quorum.nodeId !== id) quorum.lead(id);
    this.controllers.get(id)?.quorum.lead(id);
    for (const { quorum } of this.brokers.values()) quorum.lead(id);
  }

  /** A process of a broker begins. */
  broker(id: number, previousBrokerEpoch: number | null = null): TestBroker {
    const quorum = new MemoryQuorum(id);
    quorum.voters = this.#voters();
    quorum.lead(this.#leaderId());
    quorum.take(this.image);
    const late: (() => void)[] = [];
    const broker: TestBroker = {
      id,
      quorum,
      epoch: -1,
      isStopped: false,
      goOn: () => {
        broker.isStopped = false;
        quorum.take(this.image);
        for (const action of late.splice(0)) action();
      },
      lifecycle: new BrokerLifecycle({
        quorum,
        channel: this.#channel(quorum, () => !broker.isStopped),
        config: this.#config,
        clock: this.clock,
        timers: {
          schedule: (delayMs, action) =>
            this.clock.schedule(delayMs, () => {
              if (broker.isStopped) late.push(action);
              else action();
            }),
        },
        random: this.random,
        log: silentLogger,
        directoryId: `AAAAAAAAAAAAAAAAAAAA${id}A`,
        previousBrokerEpoch,
      }),
    };
    this.brokers.set(id, broker);
    return broker;
  }

  /** Registers and unfences, as a start does. */
  async start(id: number, previousBrokerEpoch: number | null = null): Promise<TestBroker> {
    const broker = this.broker(id, previousBrokerEpoch);
    const registered = broker.lifecycle.register([endpoint]);
    await this.until(() => broker.lifecycle.brokerEpoch !== -1);
    broker.epoch = await registered;
    const unfenced = broker.lifecycle.unfence();
    await this.until(() => this.image.brokers.get(id)?.fenced === false);
    await unfenced;
    return broker;
  }

  register(broker: TestBroker): Promise<number> {
    return broker.lifecycle.register([endpoint]);
  }

  createTopic(name: string, replicationFactor: number): void {
    const topics = [{ name, numPartitions: 1, replicationFactor, assignments: [], configs: [] }];
    const context = {
      defaults: { numPartitions: 1, replicationFactor: 1 },
      schema: this.#schema,
      random: this.random,
    };
    this.controllers.get(this.#leaderId())?.quorum.change(
      (image) => createTopics(image, { topics, validateOnly: false }, context),
      () => {},
    );
  }

  partition(topic: string) {
    const partition = partitionOf(this.image, topic, 0);
    if (partition === undefined) throw new Error(`there is no ${topic}`);
    return partition;
  }

  isFenced(id: number): boolean | undefined {
    return this.image.brokers.get(id)?.fenced;
  }

  pass(milliseconds: number): void {
    this.clock.advance(milliseconds);
  }

  /** Lets time pass until the condition holds; fails after a minute of it. */
  async until(condition: () => boolean): Promise<void> {
    for (let passed = 0; passed < 60_000; passed += 50) {
      if (condition()) return;
      this.clock.advance(50);
      await Promise.resolve();
    }
    throw new Error('not within a minute');
  }

  #leaderId(): number {
    return [...this.controllers.values()][0]?.quorum.leader.id ?? -1;
  }

  #voters() {
    return [...this.controllers.keys()].map((id) => ({ id, host: `controller-${id}`, port: 9093 }));
  }

  #addController(id: number): void {
    const quorum = new MemoryQuorum(id);
    quorum.lead(-1);
    const options = {
      quorum,
      config: this.#config,
      schema: this.#schema,
      clock: this.clock,
      timers: this.clock,
      random: this.random,
      log: silentLogger,
      metrics: createMetrics(),
    };
    const controller = new ActiveControllerService(options);
    const topicCreation = {
      defaults: { numPartitions: 1, replicationFactor: 1 },
      schema: this.#schema,
      random: this.random,
    };
    // The handlers that brokers ask use no more than this.
    const services = {
      ...options,
      metadata: quorum,
      controller,
      topicCreation,
    } as unknown as ControllerServices;
    this.controllers.set(id, { quorum, local: new LocalController(services) });
    quorum.subscribe((image) => this.#committed(id, image));
  }

  #committed(by: number, image: ClusterImage): void {
    for (const { quorum } of this.controllers.values()) {
      if (quorum.nodeId !== by && quorum.image.lastOffset < image.lastOffset) quorum.take(image);
    }
    for (const { quorum, isStopped } of this.brokers.values()) if (!isStopped) quorum.take(image);
  }

  #channel(quorum: MemoryQuorum, isUp: () => boolean): ControllerChannel {
    const peers: PeerChannel = {
      send: (peer, api, version, body, { timeoutMs }, done) => {
        const controller = this.controllers.get(peer.id);
        if (controller === undefined || this.unreachable.has(peer.id) || !isUp()) {
          this.clock.schedule(timeoutMs, () => done({ kind: 'failed', reason: 'it was lost' }));
          return;
        }
        for (let count = 0; count < this.deliveries; count += 1) {
          this.clock.schedule(count, () => controller.local.ask(api, version, body, done));
        }
      },
      disconnect: () => {},
      close: () => {},
    };
    const { clock } = this;
    return new ControllerChannel({
      name: 'heartbeat',
      quorum,
      peers,
      local: null,
      clock,
      timers: clock,
      log: silentLogger,
    });
  }
}
