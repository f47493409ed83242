/**
 * A broker's process: the pure machines of one broker, and everything a caller of them has to do. It knows the metadata
 * from its own registration on: what was before speaks of a process that is no more.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { type ClusterImage, minInsyncReplicas } from '@seatlog/metadata-quorum';
import {
  AlterPartitionChannel,
  type AlterPartitionResponse,
  type ChannelEffect,
  type ChannelEvent,
  type ClusterView,
  type FetcherEffect,
  type FetchersEvent,
  type FetchResponse,
  type KnownBroker,
  type Moment,
  ReplicaFetchers,
} from '@seatlog/replication';
import type { SimulatedProcess } from '../process/simulated-process.ts';
import { TOPIC } from '../simulation-settings.ts';
import { simulationSchema } from '../controller/config-schema.ts';
import type { World } from '../world.ts';
import { FailedLogs } from './failed-logs.ts';
import { HostedPartition } from './hosted-partition.ts';
import { ParkedFetches } from './parked-fetches.ts';
import { Produces } from './produces.ts';
import type { SimulatedBroker } from './simulated-broker.ts';

export class BrokerRun implements ClusterView {
  readonly owner: SimulatedBroker;
  readonly process: SimulatedProcess;
  readonly world: World;
  /** By index. */
  readonly partitions = new Map<number, HostedPartition>();
  readonly fetches: ParkedFetches;
  readonly produces: Produces;
  readonly fetchers: ReplicaFetchers;
  readonly channel: AlterPartitionChannel;
  readonly failedLogs: FailedLogs;
  brokerEpoch = -1;
  image: ClusterImage | null = null;
  /** The newest that came, taken in or not. */
  #seen: ClusterImage | null = null;
  #isStopping = false;
  #isBeatPending = false;
  #isStopped = false;

  constructor(broker: SimulatedBroker, world: World) {
    this.owner = broker;
    this.process = broker.process;
    this.world = world;
    this.fetches = new ParkedFetches(this);
    this.produces = new Produces(this);
    const { settings } = world;
    this.fetchers = new ReplicaFetchers({
      brokerId: broker.id,
      cluster: this,
      numReplicaFetchers: 1,
      settings: {
        waitMaxMs: settings.fetchWaitMaxMs,
        minBytes: 1,
        maxBytes: settings.fetchMaxBytes,
        responseMaxBytes: settings.fetchMaxBytes * settings.partitions,
      },
    });
    this.channel = new AlterPartitionChannel(broker.id, this);
    this.failedLogs = new FailedLogs(this);
  }

  get moment(): Moment {
    return this.process.moment;
  }

  broker(id: number): KnownBroker | undefined {
    return this.image?.brokers.get(id);
  }

  begin(previousBrokerEpoch: number): void {
    const { settings, plane } = this.world;
    plane.watch(this.process, (image) => this.#imageArrived(image));
    this.#register(previousBrokerEpoch);
    this.process.every(settings.heartbeatIntervalMs, 'heartbeat due', () => this.#heartbeat());
    this.process.every(settings.replicaLagTimeMaxMs / 2, 'lag check', () => {
      for (const hosted of this.partitions.values()) hosted.tellLeader({ type: 'lag-check' });
    });
    this.process.every(settings.checkpointIntervalMs, 'checkpoint', () => this.owner.disk.checkpoint());
    this.process.every(settings.writeBackIntervalMs, 'write back', () => this.owner.disk.writeBack());
  }

  /** SIGTERM: leadership moves, then the logs are closed well. */
  stop(): void {
    this.#isStopping = true;
    this.#heartbeat();
  }

  tell(text: () => string): void {
    const { queue } = this.world;
    if (queue.trace.isWritten) queue.trace.tell(queue.now, this.owner.id, text);
  }

  tellChannel(event: ChannelEvent): void {
    for (const effect of this.channel.step(event)) this.#carryOutChannel(effect);
  }

  tellFetchers(event: FetchersEvent): void {
    for (const effect of this.fetchers.step(event, this.moment)) this.#carryOutFetchers(effect);
  }

  #carryOutChannel(effect: ChannelEffect): void {
    switch (effect.type) {
      case 'send': {
        const { requestId, request } = effect;
        this.tell(() => `proposes ${JSON.stringify(request.topics)}`);
        this.world.plane.call<AlterPartitionResponse>({
          label: 'alter partition',
          from: this.owner.id,
          serve: (service, respond) => service.alterPartition(request, respond),
          answered: (response) => this.tellChannel({ type: 'answered', requestId, response }),
          failed: (reason) => this.tellChannel({ type: 'failed', requestId, reason }),
          takesLateAnswers: true,
        });
        return;
      }
      case 'arm-retry':
        this.process.schedule(effect.delayMs, 'alter partition again', () =>
          this.tellChannel({ type: 'retry-due' }),
        );
        return;
      case 'answer': {
        const { proposal, verdict } = effect;
        this.partitions.get(proposal.partition)?.tellLeader({ type: 'isr-answered', proposal, verdict });
        return;
      }
      case 'log':
        this.tell(() => effect.message);
    }
  }

  #carryOutFetchers(effect: FetcherEffect): void {
    switch (effect.type) {
      case 'send-fetch': {
        const { requestId, request, fetcher } = effect;
        const { settings, network, brokers, rotOnTheWay } = this.world;
        network.call<FetchResponse>({
          label: 'fetch',
          from: this.owner.id,
          to: fetcher.leaderId,
          timeoutMs: settings.fetchWaitMaxMs + settings.requestTimeoutMs,
          serve: (respond) => brokers[fetcher.leaderId - 1]?.run?.fetches.comeFromFollower(request, respond),
          answered: (sent) => {
            const response = rotOnTheWay.spoiled(sent);
            this.tellFetchers({ type: 'fetch-answered', requestId, response });
          },
          failed: (reason) => this.tellFetchers({ type: 'fetch-failed', requestId, reason }),
          takesLateAnswers: true,
        });
        return;
      }
      case 'arm-timer':
        this.process.schedule(effect.delayMs, 'fetcher due', () =>
          this.tellFetchers({ type: 'timer-fired', fetcher: effect.fetcher }),
        );
        return;
      case 'follower': {
        const hosted = this.partitions.get(effect.follower.identity.partition);
        hosted?.carryOutOne(effect.effect);
        if (hosted !== undefined) this.world.witness.look(hosted);
        return;
      }
      case 'fetcher-log':
        this.tell(() => effect.line.message);
        return;
      case 'close-fetcher':
    }
  }

  #imageArrived(image: ClusterImage): void {
    this.#seen = image;
    if (this.brokerEpoch === -1 || image.lastOffset < this.brokerEpoch) return;
    if (image.brokers.get(this.owner.id)?.epoch !== this.brokerEpoch) return;
    if (this.#isStopped) return;
    const before = this.image;
    this.image = image;
    if (before?.brokers !== image.brokers) {
      for (const hosted of this.partitions.values()) hosted.tellLeader({ type: 'brokers-changed' });
    }
    const topic = image.topics.get(TOPIC);
    if (topic === undefined) return;
    const least = minInsyncReplicas(image, simulationSchema(this.world.settings), TOPIC);
    const config = {
      minInsyncReplicas: least,
      replicaLagTimeMaxMs: this.world.settings.replicaLagTimeMaxMs,
    };
    const known = before?.topics.get(TOPIC);
    for (const partition of topic.partitions) {
      if (!partition.replicas.includes(this.owner.id)) {
        this.#dropPartition(partition.index);
        continue;
      }
      let hosted = this.partitions.get(partition.index);
      if (hosted === undefined) {
        hosted = new HostedPartition(partition.index, topic.id, least, this);
        this.partitions.set(partition.index, hosted);
      }
      if (known?.partitions[partition.index] !== partition) {
        hosted.step({ type: 'metadata', metadata: partition, config });
        hosted.lookedUp();
      } else if (before?.configs !== image.configs) hosted.step({ type: 'configured', config });
    }
  }

  /** It was moved away: what is left of it here is of no use to anybody. */
  #dropPartition(index: number): void {
    const hosted = this.partitions.get(index);
    if (hosted !== undefined) this.failedLogs.forget(hosted);
    hosted?.step({ type: 'stopped' });
    this.partitions.delete(index);
    if (this.owner.disk.knownLog(index) !== undefined) this.owner.disk.remove(index);
    this.world.witness.partitionDropped(index, this.owner.id);
  }

  #register(previousBrokerEpoch: number): void {
    const registration = {
      brokerId: this.owner.id,
      // In the form of a uuid.
      incarnationId: `broker-${this.owner.id}-process-${this.process.incarnation}`.padEnd(22, 'A'),
      previousBrokerEpoch,
    };
    const again = (): void => {
      this.process.schedule(this.world.settings.fetchBackoffMs * 2, 'register again', () =>
        this.#register(previousBrokerEpoch),
      );
    };
    this.world.plane.call<{ readonly errorCode: number; readonly brokerEpoch: number }>({
      label: 'register',
      from: this.owner.id,
      serve: (service, respond) => service.register(registration, respond),
      answered: ({ errorCode, brokerEpoch }) => {
        if (errorCode !== ErrorCode.NONE) {
          again();
          return;
        }
        this.brokerEpoch = brokerEpoch;
        this.tell(() => `is registered in epoch ${brokerEpoch}`);
        if (this.#seen !== null) this.#imageArrived(this.#seen);
        this.#heartbeat();
      },
      failed: again,
    });
  }

  #heartbeat(): void {
    if (this.brokerEpoch === -1 || this.#isBeatPending) return;
    this.#isBeatPending = true;
    const beat = {
      brokerId: this.owner.id,
      brokerEpoch: this.brokerEpoch,
      // Unfenced only when it has taken in what its registration changed.
      metadataOffset: this.image?.lastOffset ?? -1,
      wantShutDown: this.#isStopping,
    };
    const isCaughtUp = beat.metadataOffset >= this.brokerEpoch;
    this.world.plane.call<{ readonly errorCode: number; readonly shouldShutDown: boolean }>({
      label: 'heartbeat',
      from: this.owner.id,
      serve: (service, respond) => service.heartbeat(beat, respond),
      answered: ({ errorCode, shouldShutDown }) => {
        this.#isBeatPending = false;
        if (errorCode === ErrorCode.STALE_BROKER_EPOCH && beat.brokerEpoch === this.brokerEpoch) {
          // A registration of an earlier process came after this one's own.
          this.brokerEpoch = -1;
          this.#register(-1);
        } else if (shouldShutDown && this.#isStopping) this.#stopNow();
        else if (!isCaughtUp) this.process.schedule(20, 'heartbeat soon', () => this.#heartbeat());
      },
      failed: () => {
        this.#isBeatPending = false;
        if (this.#isStopping) this.#heartbeat();
      },
    });
  }

  #stopNow(): void {
    this.#isStopped = true;
    for (const hosted of this.partitions.values()) hosted.step({ type: 'stopped' });
    this.owner.endCleanly(this.brokerEpoch);
  }
}
