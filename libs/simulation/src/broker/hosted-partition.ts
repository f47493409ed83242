/** One replica of a partition in a broker's process: the pure machine, its log, and its effects carried out. */
import { isInSyncBesideOthers, isLost } from '@seatlog/metadata-quorum';
import {
  type FollowerEvent,
  type OutsideLeaderEvent,
  PartitionReplica,
  type ReplicaEffect,
  type ReplicaEvent,
  type ReportedReplica,
} from '@seatlog/replication';
import type { BrokerLog } from '../disk/log-store.ts';
import { TOPIC } from '../simulation-settings.ts';
import type { BrokerRun } from './broker-run.ts';

type FollowerNews = Exclude<FollowerEvent, { type: 'follow' }>;

export class HostedPartition implements ReportedReplica {
  readonly index: number;
  readonly topicId: string;
  readonly run: BrokerRun;
  readonly log: BrokerLog;
  readonly replica: PartitionReplica;
  /** Since the log last took an append. */
  #hasFailed = false;

  constructor(index: number, topicId: string, minInsyncReplicas: number, run: BrokerRun) {
    this.index = index;
    this.topicId = topicId;
    this.run = run;
    this.log = run.owner.disk.log(index);
    this.log.failed = () => this.#logFailed();
    const { settings } = run.world;
    this.replica = new PartitionReplica({
      brokerId: run.owner.id,
      identity: { topic: TOPIC, topicId, partition: index },
      log: this.log,
      cluster: run,
      config: { minInsyncReplicas, replicaLagTimeMaxMs: settings.replicaLagTimeMaxMs },
      fetchBackoffMs: settings.fetchBackoffMs,
    });
  }

  get isFailing(): boolean {
    return this.#hasFailed || this.isFenced;
  }

  get isFenced(): boolean {
    return this.log.failure !== null;
  }

  get isInSync(): boolean {
    const metadata = this.#metadata;
    return metadata !== undefined && isInSyncBesideOthers(metadata, this.run.owner.id);
  }

  get isMarkedLost(): boolean {
    const metadata = this.#metadata;
    return metadata !== undefined && isLost(metadata, this.run.owner.id);
  }

  get #metadata() {
    return this.run.image?.topics.get(TOPIC)?.partitions[this.index];
  }

  /** The metadata says something else of it. */
  lookedUp(): void {
    if (this.isMarkedLost) this.log.distrust();
    if (this.isFailing || this.isMarkedLost) this.run.failedLogs.lookAt(this);
  }

  probeRoom(done: () => void): void {
    this.log.probeRoom((hasRoom) => {
      if (hasRoom) this.#hasFailed = false;
      done();
    });
  }

  /** An append went well. */
  noteAppended(): void {
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    this.run.failedLogs.lookAt(this);
  }

  #logFailed(): void {
    this.run.tell(() => `partition ${this.index} takes no appends`);
    this.#hasFailed = true;
    this.run.failedLogs.lookAt(this);
  }

  tellLeader(event: OutsideLeaderEvent): void {
    this.step({ type: 'leader-event', event });
  }

  step(event: ReplicaEvent): void {
    // It was moved away meanwhile: what its log still tells is for nobody.
    if (this.run.partitions.get(this.index) !== this) return;
    this.carryOut(this.replica.step(event, this.run.moment));
  }

  carryOut(effects: readonly ReplicaEffect[]): void {
    for (const effect of effects) this.carryOutOne(effect);
    this.run.world.witness.look(this);
  }

  carryOutOne(effect: ReplicaEffect): void {
    const { log, run } = this;
    switch (effect.type) {
      case 'assign-leader-epoch':
        log.assignLeaderEpoch(effect.epoch, effect.startOffset);
        return;
      case 'update-high-watermark':
        log.updateHighWatermark(effect.highWatermark);
        return;
      case 'raise-log-start':
        log.raiseLogStart(effect.logStartOffset);
        return;
      case 'append':
        log.appendAsFollower(effect.records, (outcome) => {
          if (outcome === 'done') this.noteAppended();
          this.#tellFollower({ type: 'appended', outcome });
        });
        return;
      case 'truncate':
        log.truncateTo(effect.offset, (outcome) => this.#tellFollower({ type: 'truncated', outcome }));
        return;
      case 'restart-log':
        run.world.witness.logRestarted(this.index);
        log.restartAt(effect.offset, (outcome) => this.#tellFollower({ type: 'truncated', outcome }));
        return;
      case 'ask-leader-offsets':
        this.#askOffsets(effect.leaderId, effect.askId);
        return;
      case 'propose-isr':
        run.tellChannel({ type: 'submit', proposal: effect.proposal });
        return;
      case 'withdraw-isr':
        run.tellChannel({ type: 'withdraw', proposal: effect.proposal });
        return;
      case 'fetch-state-changed': {
        const { follower } = this.replica;
        if (follower !== null) run.tellFetchers({ type: effect.type, follower });
        return;
      }
      case 'follow':
      case 'unfollow':
        run.tellFetchers({ type: effect.type, follower: effect.follower });
        return;
      case 'end-wait':
        run.produces.waitEnded(effect.token, effect.errorCode);
        return;
      case 'wake-fetches':
        // After the event, as any request that comes in: what it does must not mix with what is being carried out.
        if (run.fetches.isWaiting(this.index, effect.whose)) {
          run.process.schedule(0, 'wake fetches', () => run.fetches.wake(this.index, effect.whose));
        }
        return;
      case 'count':
        run.world.witness.counted(effect.metric);
        return;
      case 'log':
        run.tell(() => `partition ${this.index}: ${effect.message}`);
        return;
      case 'role':
        run.tell(() => `partition ${this.index} is ${effect.role} in epoch ${this.replica.leaderEpoch}`);
        run.world.witness.roleChanged(this, effect.role);
    }
  }

  #tellFollower(event: FollowerNews): void {
    this.step({ type: 'follower-event', event });
  }

  #askOffsets(leaderId: number, askId: number): void {
    const { world, owner } = this.run;
    world.network.call<readonly [number, number] | null>({
      label: 'list offsets',
      from: owner.id,
      to: leaderId,
      timeoutMs: world.settings.requestTimeoutMs,
      serve: (respond) => {
        const asked = world.brokers.find(({ id }) => id === leaderId)?.run?.partitions.get(this.index);
        const isLeading = asked?.replica.role === 'leading';
        respond(isLeading ? [asked.log.logStartOffset, asked.log.logEndOffset] : null);
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
}
