/**
 * One local replica at its edge: `PartitionReplica` decides, and what it decides is done here to the log, the fetchers,
 * the proposals, and to those who wait.
 *
 * Each event is given with all effects of the one before it carried out (`EffectOrder`). The high watermark moves by
 * effects alone.
 */
import type { AppendCompletion, AppendResult, LogRead, PartitionLog } from '@seatlog/commit-log';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { isInSyncBesideOthers, isLost, type PartitionImage } from '@seatlog/metadata-quorum';
import {
  CONSUMER,
  type FetchLook,
  type FetchVerdict,
  type FollowerEffect,
  type OutsideLeaderEvent,
  PartitionReplica,
  type ReplicaEffect,
  type ReplicaEvent,
  type WaitingFetches,
} from '@seatlog/replication';
import { logConfigOf } from '../config/log-config.ts';
import type { TopicConfig } from '../config/topic-config.ts';
import { ClientBatchRules } from './append-check.ts';
import { appendFetched, cutLog, raiseLogStart } from './follower-writes.ts';
import type { Partition, PartitionReadOptions, ReadBound, ReplicationDescription } from './partition.ts';
import type { PartitionSurroundings } from './partition-surroundings.ts';
import { describeReplica } from './replica-description.ts';
import type { PlacedReplica } from './replica-directories.ts';
import { PartitionWaits, type WaitEnd } from './partition-waits.ts';
import { WaitingReads } from './waiting-reads.ts';

const NOT_LEADING = -1;
/** A consumer's fetch is no report, and nothing is remembered of its time. */
const NO_MOMENT = { now: 0, monotonic: 0 };

export class LocalPartition implements Partition, PlacedReplica {
  readonly topic: string;
  readonly index: number;
  readonly topicId: string;
  readonly log: PartitionLog;
  readonly waitingReads = new WaitingReads();
  readonly #surroundings: PartitionSurroundings;
  readonly #replica: PartitionReplica;
  readonly #waits = new PartitionWaits();
  #config: TopicConfig;
  #clientBatchRules: ClientBatchRules;
  #metadata: PartitionImage | null = null;
  /** Since the log last took an append. */
  #hasFailed = false;
  /** The leader epoch that was told last, while this replica leads. */
  #toldEpoch = NOT_LEADING;

  constructor(topicId: string, log: PartitionLog, config: TopicConfig, surroundings: PartitionSurroundings) {
    const { nodeId, cluster, fetchBackoffMs } = surroundings;
    this.topic = log.topic;
    this.index = log.partition;
    this.topicId = topicId;
    this.log = log;
    this.#config = config;
    this.#clientBatchRules = new ClientBatchRules(config);
    this.#surroundings = surroundings;
    this.#replica = new PartitionReplica({
      brokerId: nodeId,
      identity: { topic: this.topic, topicId, partition: this.index },
      log,
      cluster,
      config: this.#leaderConfig(),
      fetchBackoffMs,
    });
  }

  get config(): TopicConfig {
    return this.#config;
  }

  get clientBatchRules(): ClientBatchRules {
    if (this.#clientBatchRules.config !== this.#config)
      this.#clientBatchRules = new ClientBatchRules(this.#config);
    return this.#clientBatchRules;
  }

  get isLeader(): boolean {
    return this.#replica.leader !== null;
  }

  get leaderId(): number {
    return this.#replica.leaderId;
  }

  get leaderEpoch(): number {
    return this.#replica.leaderEpoch;
  }

  get partitionEpoch(): number {
    return this.#replica.leader?.partitionEpoch ?? this.#metadata?.partitionEpoch ?? -1;
  }

  get replicas(): readonly number[] {
    return this.#metadata?.replicas ?? [];
  }

  /** What the controller confirmed, as far as is known here. */
  get isr(): readonly number[] {
    return this.#replica.leader?.isr ?? this.#metadata?.isr ?? [];
  }

  get isUnderMinIsr(): boolean {
    return this.#replica.leader?.isUnderMinIsr ?? false;
  }

  get logStartOffset(): number {
    return this.log.logStartOffset;
  }

  get logEndOffset(): number {
    return this.log.logEndOffset;
  }

  get highWatermark(): number {
    return this.log.highWatermark;
  }

  get lastStableOffset(): number {
    return this.log.lastStableOffset;
  }

  lookAtFetch(look: FetchLook, when: 'first' | 'again'): FetchVerdict {
    const moment = look.replicaId === CONSUMER ? NO_MOMENT : this.#moment();
    const { verdict, effects } = this.#replica.lookAtFetch(look, when, moment);
    if (effects.length > 0) this.#surroundings.order.run(() => this.#carryOutAll(effects));
    return verdict;
  }

  read(offset: number, options: PartitionReadOptions): LogRead {
    return this.log.read(offset, {
      maxBytes: options.maxBytes,
      upperBound: this.boundOf(options.bound),
      ...(options.minOneBatch === undefined ? {} : { minOneBatch: options.minOneBatch }),
    });
  }

  boundOf(bound: ReadBound): number {
    if (bound === 'log-end') return this.log.logEndOffset;
    return bound === 'high-watermark' ? this.log.highWatermark : this.log.lastStableOffset;
  }

  describeReplication(): ReplicationDescription {
    return describeReplica(this.#replica, this.#moment());
  }

  /** Why nothing may be appended for a client now; 0 if it may. */
  appendError(acks: number): number {
    return this.#replica.appendError(acks);
  }

  /** As the leader, in its epoch; `appendError` is asked before. */
  append(batch: Uint8Array, origin: 'client' | 'broker', done: AppendCompletion): AppendResult {
    return this.log.append(batch, this.leaderEpoch, done, { origin });
  }

  /** How `awaitReplication` would end if it began now: an error code, 0 for done; null: it would have to wait. */
  replicationOutcome(requiredOffset: number): number | null {
    const { leader } = this.#replica;
    return leader === null ? ErrorCode.NOT_LEADER_OR_FOLLOWER : leader.replicationOutcome(requiredOffset);
  }

  /** `end` is called once, later: when the high watermark has reached the offset, or cannot here any more. */
  awaitReplication(requiredOffset: number, end: WaitEnd): number {
    const token = this.#waits.add(end);
    this.tellLeader({ type: 'await-replication', token, requiredOffset });
    return token;
  }

  /** The same for the log starts of all live replicas. */
  awaitDeletion(requiredOffset: number, end: WaitEnd): number {
    const token = this.#waits.add(end);
    this.tellLeader({ type: 'await-deletion', token, requiredOffset });
    return token;
  }

  isWaiting(token: number): boolean {
    return this.#waits.has(token);
  }

  expireWait(token: number): void {
    this.tellLeader({ type: 'wait-expired', token });
  }

  /** Takes what the metadata says of this partition, with the topic's config in the same metadata. */
  applied(image: PartitionImage, config: TopicConfig = this.#config): void {
    if (image.partitionEpoch >= (this.#metadata?.partitionEpoch ?? -1)) this.#metadata = image;
    this.#config = config;
    this.#step({ type: 'metadata', metadata: image, config: this.#leaderConfig() });
    if (this.isMarkedLost) this.log.distrust();
    if (this.isFailing || this.isMarkedLost) this.#surroundings.directories.lookAt(this);
  }

  reconfigured(config: TopicConfig): void {
    this.#config = config;
    this.log.updateConfig(logConfigOf(config));
    this.#step({ type: 'configured', config: this.#leaderConfig() });
  }

  tellLeader(event: OutsideLeaderEvent): void {
    this.#step({ type: 'leader-event', event });
  }

  /** The log's event: more can be read, for an append went well. */
  logEndAdvanced(): void {
    if (this.#hasFailed) {
      this.#hasFailed = false;
      this.#surroundings.directories.lookAt(this);
    }
    this.tellLeader({ type: 'log-end-advanced' });
  }

  get isFailing(): boolean {
    return this.#hasFailed || this.isFenced;
  }

  get isFenced(): boolean {
    return this.log.failure !== null;
  }

  get isInSync(): boolean {
    return this.#metadata !== null && isInSyncBesideOthers(this.#metadata, this.#surroundings.nodeId);
  }

  get isMarkedLost(): boolean {
    return this.#metadata !== null && isLost(this.#metadata, this.#surroundings.nodeId);
  }

  /** The log's event: it takes no more, for now or for good. */
  logFailed(): void {
    this.#hasFailed = true;
    this.#surroundings.directories.lookAt(this);
  }

  probeRoom(done: () => void): void {
    this.log.probeRoom((error) => {
      if (error === null) this.#hasFailed = false;
      done();
    });
  }

  /** An append came to nothing: whoever is elected waits for the log to stand. */
  writeFailed(): void {
    this.tellLeader({ type: 'log-end-advanced' });
  }

  logStartRaised(): void {
    this.waitingReads.partitionChanged();
    this.tellLeader({ type: 'log-start-raised' });
  }

  /** The replica serves no more: it was deleted, or the broker stops. Whoever waits is answered. */
  stop(): void {
    this.#step({ type: 'stopped' });
  }

  /** What the fetchers give back of an answer that they took. */
  carryOutFollower(effect: FollowerEffect): void {
    this.#carryOut(effect);
  }

  #step(event: ReplicaEvent): void {
    this.#surroundings.order.run(() => this.#carryOutAll(this.#replica.step(event, this.#moment())));
  }

  #carryOutAll(effects: readonly ReplicaEffect[]): void {
    for (const effect of effects) this.#carryOut(effect);
    this.#tellLeadership();
  }

  #carryOut(effect: ReplicaEffect): void {
    const { order, fetchers, proposals, metrics } = this.#surroundings;
    switch (effect.type) {
      case 'assign-leader-epoch':
        this.log.assignLeaderEpoch(effect.epoch, effect.startOffset);
        return;
      case 'update-high-watermark':
        this.log.updateHighWatermark(effect.highWatermark);
        return;
      case 'raise-log-start':
        raiseLogStart(this.log, effect.logStartOffset, this.#surroundings.log);
        return;
      case 'append':
        appendFetched(this.log, effect.records, (outcome) =>
          order.later(() => this.#step({ type: 'follower-event', event: { type: 'appended', outcome } })),
        );
        return;
      case 'truncate':
      case 'restart-log':
        cutLog(this.log, effect, (outcome) =>
          order.later(() => this.#step({ type: 'follower-event', event: { type: 'truncated', outcome } })),
        );
        return;
      case 'ask-leader-offsets':
        this.#askLeaderOffsets(effect.leaderId, effect.askId);
        return;
      case 'propose-isr':
        proposals.step({ type: 'submit', proposal: effect.proposal });
        return;
      case 'withdraw-isr':
        proposals.step({ type: 'withdraw', proposal: effect.proposal });
        return;
      case 'follow':
      case 'unfollow':
        fetchers.noteFollower(effect.type, effect.follower, this);
        return;
      case 'fetch-state-changed': {
        const { follower } = this.#replica;
        if (follower !== null) fetchers.noteFollower(effect.type, follower, this);
        return;
      }
      case 'end-wait': {
        const end = this.#waits.take(effect.token);
        if (end !== undefined) order.later(() => end(effect.errorCode, effect.lowWatermark));
        return;
      }
      case 'wake-fetches':
        if (this.waitingReads.count > 0) order.later(() => this.#wake(effect.whose));
        return;
      case 'count':
        if (effect.metric === 'IsrShrinksPerSec') metrics.isrShrinks += 1;
        else if (effect.metric === 'IsrExpandsPerSec') metrics.isrExpands += 1;
        else metrics.failedIsrUpdates += 1;
        return;
      case 'log':
        this.#surroundings.log[effect.level](effect.message, { topic: this.topic, partition: this.index });
        return;
      case 'role':
    }
  }

  #wake(whose: WaitingFetches): void {
    if (whose === 'log-end') this.waitingReads.logEndAdvanced();
    else if (whose === 'high-watermark') this.waitingReads.highWatermarkRaised();
    else this.waitingReads.partitionChanged();
  }

  #askLeaderOffsets(leaderId: number, askId: number): void {
    const { fetchers, order } = this.#surroundings;
    const { follower } = this.#replica;
    if (follower === null) return;
    fetchers.askLeaderOffsets(follower, leaderId, (offsets) =>
      order.later(() =>
        this.#step({
          type: 'follower-event',
          event:
            offsets === null
              ? { type: 'leader-offsets-failed', askId }
              : { type: 'leader-offsets', askId, ...offsets },
        }),
      ),
    );
  }

  /** Once the replica is what it became. */
  #tellLeadership(): void {
    const epoch = this.#replica.leader?.leaderEpoch ?? NOT_LEADING;
    if (epoch === this.#toldEpoch) return;
    this.#toldEpoch = epoch;
    const { order, leadershipChanged } = this.#surroundings;
    const change = {
      kind: epoch === NOT_LEADING ? ('resigned' as const) : ('elected' as const),
      topic: this.topic,
      partition: this.index,
      leaderEpoch: this.leaderEpoch,
    };
    order.later(() => leadershipChanged(change));
  }

  #leaderConfig() {
    const { replicaLagTimeMaxMs } = this.#surroundings;
    return { minInsyncReplicas: this.#config['min.insync.replicas'], replicaLagTimeMaxMs };
  }

  #moment() {
    const { clock } = this.#surroundings;
    return { now: clock.now(), monotonic: clock.monotonic() };
  }
}
