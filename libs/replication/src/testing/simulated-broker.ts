/**
 * One broker with one replica: a disk that outlives the process, and in the process the pure machines with their effects
 * carried out. This is the whole of what a caller of the library has to do.
 */
import type { ClusterView, KnownBroker } from '../cluster-view.ts';
import type { FetcherEffect } from '../follower/fetcher-effects.ts';
import type { FollowerEvent } from '../follower/follower-events.ts';
import { ReplicaFetchers } from '../follower/replica-fetchers.ts';
import { AlterPartitionChannel, type ChannelEffect } from '../isr/alter-partition-channel.ts';
import type { Moment } from '../moment.ts';
import {
  type OutsideLeaderEvent,
  PartitionReplica,
  type ReplicaEffect,
  type ReplicaEvent,
} from '../partition-replica.ts';
import type { SimulatedImage } from './controller-stand-in.ts';
import { MemoryLog } from './memory-log.ts';
import { ParkedFetches } from './parked-fetches.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { SimulatedProduces } from './simulated-produces.ts';
import { CONTROLLER_ID, TOPIC_ID } from './simulated-settings.ts';

type FollowerNews = Exclude<FollowerEvent, { type: 'follow' }>;

export class SimulatedBroker implements ClusterView {
  readonly id: number;
  readonly process: SimulatedProcess;
  /** On disk. */
  readonly log = new MemoryLog();
  checkpointedHighWatermark = 0;
  cleanStopEpoch = -1;
  /** All that it ever logged. */
  readonly lines: string[] = [];
  readonly counted = new Map<string, number>();
  fetches: ParkedFetches;
  produces: SimulatedProduces;
  replica: PartitionReplica;
  fetchers: ReplicaFetchers;
  channel: AlterPartitionChannel;
  brokerEpoch = -1;
  readonly #cluster: SimulatedCluster;
  #image: SimulatedImage | null = null;
  #writesUntil = 0;

  constructor(id: number, cluster: SimulatedCluster) {
    this.id = id;
    this.#cluster = cluster;
    this.process = new SimulatedProcess(cluster.clock);
    [this.replica, this.fetchers, this.channel] = this.#machines();
    this.fetches = new ParkedFetches(this);
    this.produces = new SimulatedProduces(this);
  }

  broker(brokerId: number): KnownBroker | undefined {
    return this.#image?.brokers.get(brokerId);
  }

  get moment(): Moment {
    const { clock } = this.#cluster;
    return { now: clock.now(), monotonic: clock.monotonic() };
  }

  get isLeading(): boolean {
    return this.process.state !== 'dead' && this.replica.role === 'leading';
  }

  /** A process begins on what is on disk. */
  start(): void {
    const { settings } = this.#cluster;
    this.process.start();
    this.log.dropQueued();
    this.log.updateHighWatermark(this.checkpointedHighWatermark);
    [this.replica, this.fetchers, this.channel] = this.#machines();
    this.fetches = new ParkedFetches(this);
    this.produces = new SimulatedProduces(this);
    this.#image = null;
    this.#writesUntil = 0;
    this.brokerEpoch = -1;
    this.#register(this.cleanStopEpoch);
    this.cleanStopEpoch = -1;
    this.process.every(settings.heartbeatIntervalMs, () => this.#heartbeat());
    this.process.every(settings.replicaLagTimeMaxMs / 2, () => this.tellLeader({ type: 'lag-check' }));
    this.process.every(settings.checkpointIntervalMs, () => this.#checkpoint());
  }

  /** SIGTERM: leadership moves, then the log is closed well. */
  terminate(): void {
    this.process.bound(() => this.#askToStop())();
  }

  kill(): void {
    this.process.kill();
    this.#cluster.network.disconnect(this.id);
  }

  imageArrived(image: SimulatedImage): void {
    const before = this.#image;
    this.#image = image;
    if (image.minInsyncReplicas !== before?.minInsyncReplicas) {
      this.step({ type: 'configured', config: this.#leaderConfig(image.minInsyncReplicas) });
    }
    if (image.brokers !== before?.brokers) this.tellLeader({ type: 'brokers-changed' });
    if (image.partition.leaderEpoch >= 0 && image.partition !== before?.partition) {
      this.step({ type: 'metadata', metadata: image.partition });
    }
  }

  /** Writes are done in the order in which they were asked for. */
  write(action: () => void): void {
    const now = this.#cluster.clock.monotonic();
    this.#writesUntil = Math.max(this.#writesUntil, now + this.#cluster.settings.writeMs());
    this.process.schedule(this.#writesUntil - now, action);
  }

  tellLeader(event: OutsideLeaderEvent): void {
    this.step({ type: 'leader-event', event });
  }

  step(event: ReplicaEvent): void {
    this.carryOut(this.replica.step(event, this.moment));
  }

  carryOut(effects: readonly ReplicaEffect[]): void {
    for (const effect of effects) this.#carryOutOne(effect);
  }

  #machines(): [PartitionReplica, ReplicaFetchers, AlterPartitionChannel] {
    const { settings } = this.#cluster;
    const replica = new PartitionReplica({
      brokerId: this.id,
      identity: { topic: settings.topic, topicId: TOPIC_ID, partition: 0 },
      log: this.log,
      cluster: this,
      config: this.#leaderConfig(settings.minInsyncReplicas),
      fetchBackoffMs: settings.fetchBackoffMs,
    });
    const fetchers = new ReplicaFetchers({
      brokerId: this.id,
      cluster: this,
      numReplicaFetchers: 1,
      settings: { waitMaxMs: settings.fetchWaitMaxMs, minBytes: 1, maxBytes: 300, responseMaxBytes: 3000 },
    });
    return [replica, fetchers, new AlterPartitionChannel(this.id, this)];
  }

  #leaderConfig(minInsyncReplicas: number): { minInsyncReplicas: number; replicaLagTimeMaxMs: number } {
    return { minInsyncReplicas, replicaLagTimeMaxMs: this.#cluster.settings.replicaLagTimeMaxMs };
  }

  #carryOutOne(effect: ReplicaEffect): void {
    switch (effect.type) {
      case 'assign-leader-epoch':
        this.log.assignLeaderEpoch(effect.epoch, effect.startOffset);
        return;
      case 'update-high-watermark':
        this.log.updateHighWatermark(effect.highWatermark);
        return;
      case 'raise-log-start':
        this.log.raiseLogStart(effect.logStartOffset);
        return;
      case 'append':
        this.write(() => {
          const outcome = this.log.appendAsFollower(effect.records) ? 'done' : 'retry';
          this.#tellFollower({ type: 'appended', outcome });
        });
        return;
      case 'truncate':
        this.#truncate(() => this.log.truncateTo(effect.offset));
        return;
      case 'restart-log':
        this.#truncate(() => this.log.restartAt(effect.offset));
        return;
      case 'ask-leader-offsets':
        this.#askOffsets(effect.leaderId, effect.askId);
        return;
      case 'propose-isr':
        this.#carryOutChannel(this.channel.step({ type: 'submit', proposal: effect.proposal }));
        return;
      case 'withdraw-isr':
        this.#carryOutChannel(this.channel.step({ type: 'withdraw', proposal: effect.proposal }));
        return;
      case 'fetch-state-changed': {
        const { follower } = this.replica;
        if (follower !== null)
          this.#carryOutFetchers(this.fetchers.step({ type: effect.type, follower }, this.moment));
        return;
      }
      case 'follow':
      case 'unfollow':
        this.#carryOutFetchers(
          this.fetchers.step({ type: effect.type, follower: effect.follower }, this.moment),
        );
        return;
      case 'end-wait':
        this.produces.waitEnded(effect.token, effect.errorCode);
        return;
      case 'wake-fetches':
        // After the event, as any request that comes in: what it does must not mix with what is being carried out.
        this.process.schedule(0, () => this.fetches.wake(effect.whose));
        return;
      case 'count':
        this.counted.set(effect.metric, (this.counted.get(effect.metric) ?? 0) + 1);
        return;
      case 'log':
        this.lines.push(effect.message);
        return;
      case 'role':
    }
  }

  #carryOutChannel(effects: readonly ChannelEffect[]): void {
    for (const effect of effects) {
      switch (effect.type) {
        case 'send':
          this.#cluster.alterPartition(
            this.id,
            effect.request,
            (response) => this.#tellChannel({ type: 'answered', requestId: effect.requestId, response }),
            (reason) => this.#tellChannel({ type: 'failed', requestId: effect.requestId, reason }),
          );
          break;
        case 'arm-retry':
          this.process.schedule(effect.delayMs, () => this.#tellChannel({ type: 'retry-due' }));
          break;
        case 'answer':
          this.tellLeader({ type: 'isr-answered', proposal: effect.proposal, verdict: effect.verdict });
          break;
        case 'log':
          this.lines.push(effect.message);
      }
    }
  }

  #tellChannel(event: Parameters<AlterPartitionChannel['step']>[0]): void {
    this.#carryOutChannel(this.channel.step(event));
  }

  #carryOutFetchers(effects: readonly FetcherEffect[]): void {
    for (const effect of effects) {
      switch (effect.type) {
        case 'send-fetch':
          this.#cluster.fetch(
            this.id,
            effect.fetcher.leaderId,
            effect.request,
            (response) =>
              this.#tellFetchers({ type: 'fetch-answered', requestId: effect.requestId, response }),
            (reason) => this.#tellFetchers({ type: 'fetch-failed', requestId: effect.requestId, reason }),
          );
          break;
        case 'arm-timer':
          this.process.schedule(effect.delayMs, () =>
            this.#tellFetchers({ type: 'timer-fired', fetcher: effect.fetcher }),
          );
          break;
        case 'follower':
          this.#carryOutOne(effect.effect);
          break;
        case 'fetcher-log':
          this.lines.push(effect.line.message);
          break;
        case 'close-fetcher':
      }
    }
  }

  #tellFetchers(event: Parameters<ReplicaFetchers['step']>[0]): void {
    this.#carryOutFetchers(this.fetchers.step(event, this.moment));
  }

  #tellFollower(event: FollowerNews): void {
    this.step({ type: 'follower-event', event });
  }

  #truncate(cut: () => void): void {
    this.write(() => {
      cut();
      this.#tellFollower({ type: 'truncated', outcome: 'done' });
    });
  }

  #checkpoint(): void {
    this.checkpointedHighWatermark = this.log.highWatermark;
  }

  #askOffsets(leaderId: number, askId: number): void {
    this.#cluster.network.call<readonly [number, number] | null>({
      from: this.id,
      to: leaderId,
      timeoutMs: this.#cluster.settings.requestTimeoutMs,
      serve: (respond) => {
        const leader = this.#cluster.brokerOf(leaderId);
        const { logStartOffset, logEndOffset } = leader.log;
        respond(leader.isLeading ? [logStartOffset, logEndOffset] : null);
      },
      answered: (offsets) => {
        if (offsets === null) this.#tellFollower({ type: 'leader-offsets-failed', askId });
        else {
          const [logStartOffset, logEndOffset] = offsets;
          this.#tellFollower({ type: 'leader-offsets', askId, logStartOffset, logEndOffset });
        }
      },
      failed: () => this.#tellFollower({ type: 'leader-offsets-failed', askId }),
    });
  }

  #register(previousBrokerEpoch: number): void {
    this.#callController(
      (controller) => controller.register(this.id, previousBrokerEpoch),
      (epoch) => {
        this.brokerEpoch = epoch;
        this.#heartbeat();
      },
      () => this.process.schedule(500, () => this.#register(previousBrokerEpoch)),
    );
  }

  #askToStop(): void {
    this.#callController(
      (controller) => controller.beginControlledShutdown(this.id, this.brokerEpoch),
      () => {
        this.step({ type: 'stopped' });
        this.#checkpoint();
        this.cleanStopEpoch = this.brokerEpoch;
        this.kill();
      },
      () => this.#askToStop(),
    );
  }

  #heartbeat(): void {
    if (this.brokerEpoch === -1) return;
    const isCaughtUp = (this.#image?.version ?? -1) >= this.brokerEpoch;
    this.#callController(
      () => this.#cluster.heard(this.id, this.brokerEpoch, isCaughtUp),
      () => {},
    );
    if (!isCaughtUp) this.process.schedule(100, () => this.#heartbeat());
  }

  #callController<Answer>(
    ask: (controller: SimulatedCluster['controller']) => Answer,
    answered: (answer: Answer) => void,
    failed: () => void = () => {},
  ): void {
    this.#cluster.network.call<Answer>({
      from: this.id,
      to: CONTROLLER_ID,
      timeoutMs: this.#cluster.settings.requestTimeoutMs,
      serve: (respond) => respond(ask(this.#cluster.controller)),
      answered,
      failed,
    });
  }
}
