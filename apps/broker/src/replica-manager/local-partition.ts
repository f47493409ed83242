/**
 * One local replica: its log, its part in the cluster's metadata, and who waits on it.
 *
 * The high watermark moves only here: `logEndAdvanced` (the log's own event) and `applied` (metadata) raise it by the
 * rules of `leader-high-watermark.ts` and then complete what waited for it.
 */
import type { LogRead, PartitionLog } from '@seatlog/commit-log';
import { NO_LEADER, type PartitionImage } from '@seatlog/metadata-quorum';
import type { Timers } from '@seatlog/runtime';
import { logConfigOf } from '../config/log-config.ts';
import type { TopicConfig } from '../config/topic-config.ts';
import { leaderHighWatermark } from './leader-high-watermark.ts';
import type { Partition, PartitionReadOptions, ReadBound } from './partition.ts';
import { WaitingAppends } from './waiting-appends.ts';
import { WaitingReads } from './waiting-reads.ts';

/** What a change of metadata did to the replica's leadership. */
export type LeadershipStep = 'elected' | 'resigned' | 'unchanged';

export class LocalPartition implements Partition {
  readonly topic: string;
  readonly index: number;
  readonly topicId: string;
  readonly log: PartitionLog;
  readonly waitingAppends: WaitingAppends;
  readonly waitingReads = new WaitingReads();
  readonly #nodeId: number;
  #config: TopicConfig;
  #leaderId = NO_LEADER;
  #leaderEpoch = -1;
  #partitionEpoch = -1;
  #replicas: readonly number[] = [];
  #isr: readonly number[] = [];
  #isStopped = false;

  constructor(topicId: string, log: PartitionLog, config: TopicConfig, nodeId: number, timers: Timers) {
    this.topic = log.topic;
    this.index = log.partition;
    this.topicId = topicId;
    this.log = log;
    this.#config = config;
    this.#nodeId = nodeId;
    this.waitingAppends = new WaitingAppends(timers);
  }

  get config(): TopicConfig {
    return this.#config;
  }

  get isLeader(): boolean {
    return this.#leaderId === this.#nodeId && !this.#isStopped;
  }

  get leaderId(): number {
    return this.#leaderId;
  }

  get leaderEpoch(): number {
    return this.#leaderEpoch;
  }

  get partitionEpoch(): number {
    return this.#partitionEpoch;
  }

  get replicas(): readonly number[] {
    return this.#replicas;
  }

  get isr(): readonly number[] {
    return this.#isr;
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

  get isUnderMinIsr(): boolean {
    return this.#isr.length < this.#config['min.insync.replicas'];
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

  /** Takes what the metadata says of this partition. */
  applied(image: PartitionImage): LeadershipStep {
    if (image.leaderEpoch < this.#leaderEpoch || image.partitionEpoch < this.#partitionEpoch)
      return 'unchanged';
    const wasLeader = this.isLeader;
    const isNewEpoch = image.leaderEpoch > this.#leaderEpoch;
    this.#leaderId = image.leader;
    this.#leaderEpoch = image.leaderEpoch;
    this.#partitionEpoch = image.partitionEpoch;
    this.#replicas = image.replicas;
    this.#isr = image.isr;
    if (!this.isLeader) {
      if (!wasLeader) return 'unchanged';
      this.#endLeadership();
      return 'resigned';
    }
    if (isNewEpoch) this.log.assignLeaderEpoch(this.#leaderEpoch, this.log.nextAppendOffset);
    this.#raiseHighWatermark();
    if (!isNewEpoch && wasLeader) return 'unchanged';
    this.waitingReads.partitionChanged();
    return 'elected';
  }

  reconfigured(config: TopicConfig): void {
    this.#config = config;
    this.log.updateConfig(logConfigOf(config));
    // A lower min.insync.replicas may free the high watermark.
    if (this.isLeader) this.#raiseHighWatermark();
  }

  /** The log's event: more can be read. */
  logEndAdvanced(): void {
    this.waitingReads.logEndAdvanced();
    if (this.isLeader) this.#raiseHighWatermark();
  }

  logStartRaised(): void {
    this.waitingReads.partitionChanged();
  }

  /** The replica serves no more: it was deleted, or the broker stops. Whoever waits is answered. */
  stop(): void {
    this.#isStopped = true;
    this.#endLeadership();
  }

  #endLeadership(): void {
    this.waitingAppends.leadershipLost();
    this.waitingReads.partitionChanged();
  }

  #raiseHighWatermark(): void {
    const before = this.log.highWatermark;
    const after = leaderHighWatermark({
      highWatermark: before,
      // The leader is the one replica whose log end offset this broker knows.
      logEndOffsets: this.#isr.map((id) => (id === this.#nodeId ? this.log.logEndOffset : before)),
      replicaCount: this.#replicas.length,
      minInsyncReplicas: this.#config['min.insync.replicas'],
    });
    if (after <= before) return;
    this.log.updateHighWatermark(after);
    this.waitingAppends.highWatermarkRaised(after);
    this.waitingReads.highWatermarkRaised();
  }
}
