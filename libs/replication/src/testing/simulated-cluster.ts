/**
 * Brokers, a controller and the messages between them, on virtual time.
 *
 *     const cluster = new SimulatedCluster({ replicaLagTimeMaxMs: 5000 });
 *     cluster.begin();
 *     cluster.brokerOf(3).process.stop();
 *     cluster.clock.advance(12_000);
 */
import { ManualClock } from '@seatlog/runtime/testing';
import type { FetchRequest } from '../follower/fetch-request.ts';
import type { FetchedPartition } from '../follower/follower-events.ts';
import type { FetchResponse } from '../follower/replica-fetcher.ts';
import type { AlterPartitionRequest, AlterPartitionResponse } from '../isr/alter-partition-channel.ts';
import type { ProduceOutcome } from '../produce/pending-produce.ts';
import { ControllerStandIn, type SimulatedImage } from './controller-stand-in.ts';
import { SimulatedBroker } from './simulated-broker.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { SimulatedProcess } from './simulated-process.ts';
import {
  CONTROLLER_ID,
  DEFAULT_SIMULATED_SETTINGS,
  type SimulatedSettings,
  TOPIC_ID,
} from './simulated-settings.ts';

/** A produce that was sent. `outcome` is undefined until it is answered. */
export interface Produced {
  readonly words: readonly string[];
  readonly acks: number;
  readonly sentAtMs: number;
  outcome: ProduceOutcome | undefined;
  answeredAtMs: number;
}

const REQUEST_TIMEOUT_MS = 30_000;

export class SimulatedCluster {
  readonly settings: SimulatedSettings;
  readonly clock = new ManualClock();
  readonly network = new SimulatedNetwork(this.clock);
  readonly controller: ControllerStandIn;
  readonly brokers: readonly SimulatedBroker[];
  readonly #lastHeard = new Map<number, number>();
  readonly #metadataUntil = new Map<number, number>();

  constructor(settings: Partial<SimulatedSettings> = {}) {
    this.settings = { ...DEFAULT_SIMULATED_SETTINGS, ...settings };
    const { replicas, minInsyncReplicas } = this.settings;
    this.controller = new ControllerStandIn(TOPIC_ID, replicas, minInsyncReplicas, (image) =>
      this.#published(image),
    );
    this.brokers = replicas.map((id) => new SimulatedBroker(id, this));
    for (const broker of this.brokers) this.network.join(broker.id, broker.process);
    const controllerProcess = new SimulatedProcess(this.clock);
    controllerProcess.start();
    this.network.join(CONTROLLER_ID, controllerProcess);
  }

  /** All brokers up and live, the topic created, its followers caught up. */
  begin(): void {
    for (const broker of this.brokers) broker.start();
    this.clock.advance(500);
    this.controller.create();
    this.clock.advance(1000);
  }

  brokerOf(id: number): SimulatedBroker {
    const broker = this.brokers.find((other) => other.id === id);
    if (broker === undefined) throw new Error(`there is no broker ${id}`);
    return broker;
  }

  get leader(): SimulatedBroker | undefined {
    return this.brokers.find((broker) => broker.id === this.controller.image.partition.leader);
  }

  /** To the leader that the metadata names; a client that nobody answers goes on waiting. */
  produce(acks: number, words: readonly string[], timeoutMs: number = REQUEST_TIMEOUT_MS): Produced {
    const sentAtMs = this.clock.monotonic();
    const produced: Produced = { words, acks, sentAtMs, outcome: undefined, answeredAtMs: -1 };
    const { leader } = this;
    if (leader === undefined) return produced;
    const arrive = leader.process.bound(() =>
      leader.produces.come({
        acks,
        timeoutMs,
        words,
        done: (outcome) => {
          produced.outcome = outcome ?? undefined;
          produced.answeredAtMs = this.clock.monotonic();
        },
      }),
    );
    this.clock.schedule(1, arrive);
    return produced;
  }

  /** What a consumer from the beginning sees. */
  consume(): string[] {
    const { leader } = this;
    return leader === undefined ? [] : leader.log.words(0, leader.log.highWatermark);
  }

  fetch(
    from: number,
    to: number,
    request: FetchRequest,
    answered: (response: FetchResponse) => void,
    failed: (reason: string) => void,
  ): void {
    const wanted = request.topics[0]?.partitions[0];
    if (wanted === undefined) throw new Error('a fetch without a partition');
    const serve = (respond: (answer: FetchedPartition) => void): void => {
      this.brokerOf(to).fetches.come({
        look: {
          replicaId: request.replicaState?.replicaId ?? -1,
          brokerEpoch: request.replicaState?.replicaEpoch ?? -1,
          currentLeaderEpoch: wanted.currentLeaderEpoch ?? -1,
          fetchOffset: wanted.fetchOffset,
          lastFetchedEpoch: wanted.lastFetchedEpoch ?? -1,
          logStartOffset: wanted.logStartOffset ?? -1,
          isReadCommitted: false,
          mayReadFromFollower: false,
        },
        maxBytes: wanted.partitionMaxBytes,
        maxWaitMs: request.maxWaitMs,
        respond,
      });
    };
    const wrap = (answer: FetchedPartition): void =>
      answered({
        throttleTimeMs: 0,
        errorCode: 0,
        sessionId: 0,
        responses: [{ topic: '', topicId: TOPIC_ID, partitions: [answer] }],
        nodeEndpoints: [],
      });
    this.network.call({ from, to, timeoutMs: this.settings.requestTimeoutMs, serve, answered: wrap, failed });
  }

  alterPartition(
    from: number,
    request: AlterPartitionRequest,
    answered: (response: AlterPartitionResponse) => void,
    failed: (reason: string) => void,
  ): void {
    this.network.call({
      from,
      to: CONTROLLER_ID,
      timeoutMs: this.settings.requestTimeoutMs,
      serve: (respond) => respond(this.controller.alterPartition(request)),
      answered,
      failed,
    });
  }

  /** A heartbeat came to the controller. */
  heard(brokerId: number, epoch: number, isCaughtUp: boolean): void {
    const broker = this.controller.image.brokers.get(brokerId);
    if (broker?.epoch !== epoch) return;
    const now = this.clock.monotonic();
    this.#lastHeard.set(brokerId, now);
    if (isCaughtUp) this.controller.unfence(brokerId, epoch);
    this.clock.schedule(this.settings.sessionTimeoutMs, () => {
      const isSilent = this.#lastHeard.get(brokerId) === now;
      if (isSilent && this.controller.image.brokers.get(brokerId)?.epoch === epoch) {
        this.controller.fence(brokerId);
      }
    });
  }

  #published(image: SimulatedImage): void {
    for (const broker of this.brokers) {
      const now = this.clock.monotonic();
      const earliest = this.#metadataUntil.get(broker.id) ?? 0;
      const at = Math.max(earliest, now + this.settings.metadataMs());
      this.#metadataUntil.set(broker.id, at);
      const arrive = broker.process.bound(() => broker.imageArrived(image));
      this.clock.schedule(at - now, arrive);
    }
  }
}
