/**
 * A partition on the broker that leads it: what its followers hold, its in-sync replicas, its high watermark, and the
 * requests that wait for these.
 *
 *     elected            followers are unknown, the epoch begins at the log end            R21
 *     metadata           newer replicas, ISR and epochs replace what was pending           R14, R21
 *     follower-fetched   a report: lag, then joining, then the high watermark              R6, R10, R12
 *     lag-check          followers behind for too long are proposed to leave               R11
 *     isr-answered       a proposal is confirmed, taken back, left pending or repeated     R13, R15
 *     log-end-advanced   the leader's own end moved                                        R7
 *     log-start-raised, brokers-changed, configured    what else the bounds depend on      R8, R17, R27
 *     await-*, wait-expired                            requests that wait                  R16 to R18
 *     resigned           whoever waits is answered                                         R29
 *
 * After every event the high watermark is raised as far as it may be, and waits that can end, end (R19).
 *
 * Promises: one event in, effects out; the same events at the same moments on the same log give the same effects.
 * Expects of the caller: `elected` is the first event, given when nothing of a time as follower is being written any
 * more, so that the log's end stands; `resigned` is the last; effects are carried out before the next event;
 * monotonic time does not fall; batches are appended with `leaderEpoch`, and `appendError` is asked before.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { ClusterView, PartitionMetadata } from '../cluster-view.ts';
import { lostReplicas, UNKNOWN_BROKER_EPOCH } from '../cluster-view.ts';
import type { CurrentLeader, FetchLook, FetchVerdict } from '../fetch-verdict.ts';
import { InSyncReplicas, type IsrState } from '../isr/in-sync-replicas.ts';
import type { IsrProposal, IsrVerdict } from '../isr/isr-proposal.ts';
import { logLine } from '../log-line.ts';
import type { Moment } from '../moment.ts';
import type { PartitionIdentity } from '../partition-identity.ts';
import { type ReplicaLog, UNKNOWN_OFFSET } from '../replica-log.ts';
import { wakeFetches } from '../waiting-fetches.ts';
import { checkLeaderFetch } from './fetch-check.ts';
import type { FollowerState } from './follower-state.ts';
import { Followers } from './followers.ts';
import { leaderHighWatermark } from './high-watermark.ts';
import {
  boundsOfHighWatermark,
  laggards,
  type LeaderPosition,
  lowestLogStart,
  mayJoin,
} from './isr-membership.ts';
import { counted, type LeaderEffect } from './leader-effects.ts';
import type { FollowerFetched, LeaderConfig, LeaderEvent } from './leader-events.ts';
import { isrUpdated, proposalRefused, shrinkingIsr } from './leader-log-lines.ts';
import { OffsetWaits } from './offset-waits.ts';

export interface PartitionLeaderOptions {
  readonly brokerId: number;
  readonly identity: PartitionIdentity;
  readonly log: ReplicaLog;
  readonly cluster: ClusterView;
  readonly config: LeaderConfig;
}

export class PartitionLeader {
  readonly #brokerId: number;
  readonly #log: ReplicaLog;
  readonly #cluster: ClusterView;
  readonly #isr: InSyncReplicas;
  readonly #followers: Followers;
  readonly #replicationWaits = new OffsetWaits();
  readonly #deletionWaits = new OffsetWaits();
  #config: LeaderConfig;
  #replicas: readonly number[];
  #lost: readonly number[];
  #leaderEpoch: number;
  #epochStartOffset: number;
  #highWatermark: number;
  #hasResigned = false;

  constructor(options: PartitionLeaderOptions, metadata: PartitionMetadata, moment: Moment) {
    const { brokerId, identity, log, cluster, config } = options;
    this.#brokerId = brokerId;
    this.#log = log;
    this.#cluster = cluster;
    this.#config = config;
    this.#isr = new InSyncReplicas(identity.topicId, identity.partition, metadata);
    this.#replicas = metadata.replicas;
    this.#lost = lostReplicas(metadata);
    this.#followers = new Followers(brokerId);
    this.#followers.assign(metadata, moment.monotonic);
    this.#leaderEpoch = metadata.leaderEpoch;
    this.#epochStartOffset = log.logEndOffset;
    this.#highWatermark = log.highWatermark;
  }

  /** Every batch is appended with it (R22). */
  get leaderEpoch(): number {
    return this.#leaderEpoch;
  }

  get partitionEpoch(): number {
    return this.#isr.partitionEpoch;
  }

  get highWatermark(): number {
    return this.#highWatermark;
  }

  get replicas(): readonly number[] {
    return this.#replicas;
  }

  /** What the controller confirmed. */
  get isr(): readonly number[] {
    return this.#isr.committed;
  }

  get maximalIsr(): readonly number[] {
    return this.#isr.maximal;
  }

  get isrState(): IsrState {
    return this.#isr.state;
  }

  get followers(): Iterable<FollowerState> {
    return this.#followers;
  }

  get isUnderReplicated(): boolean {
    return this.#isr.committed.length < this.#replicas.length;
  }

  get isUnderMinIsr(): boolean {
    return this.#isr.committed.length < this.#effectiveMinIsr;
  }

  get waitCount(): number {
    return this.#replicationWaits.count + this.#deletionWaits.count;
  }

  /** R17: why nothing may be written with these acks; 0 if it may. */
  appendError(acks: number): number {
    if (this.#hasResigned) return ErrorCode.NOT_LEADER_OR_FOLLOWER;
    return acks === -1 && this.isUnderMinIsr ? ErrorCode.NOT_ENOUGH_REPLICAS : ErrorCode.NONE;
  }

  /**
   * How a wait for this offset would end if it began now: an error code, 0 for done; null: it would have to wait. Saves
   * the way through `await-replication` where nothing is to be waited for.
   */
  replicationOutcome(requiredOffset: number): number | null {
    if (this.#hasResigned) return ErrorCode.NOT_LEADER_OR_FOLLOWER;
    return requiredOffset <= this.#highWatermark ? this.#reachedError() : null;
  }

  /** What to answer to a fetch; for a follower's, if it says `read`, `follower-fetched` is to follow. */
  checkFetch(look: FetchLook): FetchVerdict {
    const leader: CurrentLeader = { leaderId: this.#brokerId, leaderEpoch: this.#leaderEpoch };
    return checkLeaderFetch(look, {
      log: this.#log,
      leader,
      cluster: this.#cluster,
      follower: (brokerId) => this.#followers.get(brokerId),
    });
  }

  step(event: LeaderEvent, moment: Moment): readonly LeaderEffect[] {
    const effects: LeaderEffect[] = [];
    if (this.#hasResigned) {
      this.#refuseAfterwards(event, effects);
      return effects;
    }
    this.#take(event, moment, effects);
    if (!this.#hasResigned) this.#settle(moment, effects);
    return effects;
  }

  #take(event: LeaderEvent, moment: Moment, effects: LeaderEffect[]): void {
    switch (event.type) {
      case 'elected':
        this.#beginEpoch(effects);
        this.#confirmRecovery(effects);
        return;
      case 'metadata':
        this.#config = event.config ?? this.#config;
        this.#applyMetadata(event.metadata, moment, effects);
        this.#confirmRecovery(effects);
        return;
      case 'configured':
        this.#config = event.config;
        return;
      case 'log-end-advanced':
        effects.push(wakeFetches('log-end'));
        return;
      case 'follower-fetched':
        this.#noteFetch(event, moment, effects);
        return;
      case 'lag-check':
        this.#dropLaggards(moment, effects);
        this.#confirmRecovery(effects);
        return;
      case 'isr-answered':
        this.#settleProposal(event.proposal, event.verdict, effects);
        return;
      case 'await-replication':
        this.#replicationWaits.add(event);
        return;
      case 'await-deletion':
        this.#deletionWaits.add(event);
        return;
      case 'wait-expired':
        this.#expire(event.token, effects);
        return;
      case 'resigned':
        this.#resign(effects);
        return;
      case 'brokers-changed':
        this.#confirmRecovery(effects);
        return;
      case 'log-start-raised':
        return;
    }
  }

  #beginEpoch(effects: LeaderEffect[]): void {
    effects.push(
      { type: 'assign-leader-epoch', epoch: this.#leaderEpoch, startOffset: this.#epochStartOffset },
      wakeFetches('all'),
    );
  }

  /** Again, if it was refused while this broker was fenced. */
  #confirmRecovery(effects: LeaderEffect[]): void {
    this.#propose(this.#isr.confirmRecovery(this.#leaderEpoch, this.#epochOf), effects);
  }

  #applyMetadata(metadata: PartitionMetadata, moment: Moment, effects: LeaderEffect[]): void {
    // An equal epoch says what an answer to a proposal has said before; what was proposed since stays pending.
    if (metadata.partitionEpoch <= this.#isr.partitionEpoch) return;
    const hasEpochRisen = metadata.leaderEpoch > this.#leaderEpoch;
    this.#replicas = metadata.replicas;
    this.#lost = lostReplicas(metadata);
    this.#followers.assign(metadata, moment.monotonic);
    this.#replaceIsr(metadata, effects);
    if (!hasEpochRisen) return;
    const endOffset = this.#log.logEndOffset;
    this.#leaderEpoch = metadata.leaderEpoch;
    this.#epochStartOffset = endOffset;
    this.#followers.epochRose(metadata.isr, endOffset, moment.monotonic);
    this.#beginEpoch(effects);
  }

  #replaceIsr(metadata: PartitionMetadata, effects: LeaderEffect[]): void {
    const { isr } = metadata;
    const before = this.#isr.replace(metadata);
    if (before.kind !== 'committed') {
      effects.push({ type: 'withdraw-isr', proposal: before.proposal });
      // The metadata may well say what was proposed, sooner than the answer does.
      const proposed = before.proposal.isr.map((member) => member.brokerId);
      if (isSameSet(proposed, isr)) effects.push(...counted(before.kind));
    }
    const known = before.kind === 'committed' ? before : before.lastCommitted;
    if (!isSameSet(known.isr, isr)) this.#tellIsr(effects);
  }

  #noteFetch(event: FollowerFetched, moment: Moment, effects: LeaderEffect[]): void {
    if (event.look === 'again') return;
    const endOffset = this.#log.logEndOffset;
    const follower = this.#followers.noteFetch(event.replicaId, event, endOffset, moment.monotonic);
    if (follower === undefined) return;
    if (!this.#isr.committed.includes(event.replicaId) && mayJoin(follower, this.#position(moment))) {
      this.#propose(this.#isr.expand(event.replicaId, this.#leaderEpoch, this.#epochOf), effects);
    }
  }

  #dropLaggards(moment: Moment, effects: LeaderEffect[]): void {
    const from = this.#isr.committed;
    const position = this.#position(moment);
    const outOfSync = laggards(this.#followers, from, position);
    if (outOfSync.length === 0) return;
    const leaving = outOfSync.map((follower) => follower.brokerId);
    const proposal = this.#isr.shrink(leaving, this.#leaderEpoch, this.#epochOf);
    if (proposal === null) return;
    effects.push(logLine('info', shrinkingIsr(from, outOfSync, position, moment)));
    this.#propose(proposal, effects);
  }

  #position({ monotonic }: Moment): LeaderPosition {
    return {
      cluster: this.#cluster,
      lost: this.#lost,
      highWatermark: this.#highWatermark,
      logEndOffset: this.#log.logEndOffset,
      epochStartOffset: this.#epochStartOffset,
      nowMs: monotonic,
      lagTimeMaxMs: this.#config.replicaLagTimeMaxMs,
    };
  }

  readonly #epochOf = (brokerId: number): number =>
    brokerId === this.#brokerId
      ? this.#cluster.brokerEpoch
      : (this.#followers.get(brokerId)?.brokerEpoch ?? UNKNOWN_BROKER_EPOCH);

  #propose(proposal: IsrProposal | null, effects: LeaderEffect[]): void {
    if (proposal !== null) effects.push({ type: 'propose-isr', proposal });
  }

  #settleProposal(proposal: IsrProposal, verdict: IsrVerdict, effects: LeaderEffect[]): void {
    const settled = this.#isr.settle(proposal, verdict);
    switch (settled.kind) {
      case 'ignored':
        return;
      case 'committed':
        this.#tellIsr(effects);
        effects.push(...counted(settled.was));
        return;
      case 'proposed-again':
        this.#propose(settled.proposal, effects);
        return;
      case 'taken-back':
      case 'left-pending':
        effects.push(logLine('info', proposalRefused(settled.errorCode, settled.kind)), {
          type: 'count',
          metric: 'FailedIsrUpdatesPerSec',
        });
        return;
    }
  }

  #tellIsr(effects: LeaderEffect[]): void {
    effects.push(
      logLine('info', isrUpdated(this.#isr.committed, this.#isr.partitionEpoch, this.isUnderMinIsr)),
    );
  }

  get #effectiveMinIsr(): number {
    return Math.min(this.#config.minInsyncReplicas, this.#replicas.length);
  }

  /** Raises the high watermark as far as it may be, and ends the waits that can end. */
  #settle(moment: Moment, effects: LeaderEffect[]): void {
    const reached = leaderHighWatermark({
      highWatermark: this.#highWatermark,
      logEndOffset: this.#log.logEndOffset,
      heldBackBy: boundsOfHighWatermark(this.#followers, this.#isr.maximal, this.#position(moment)),
      isUnderMinIsr: this.isUnderMinIsr,
    });
    if (reached !== this.#highWatermark) {
      this.#highWatermark = reached;
      effects.push({ type: 'update-high-watermark', highWatermark: reached }, wakeFetches('high-watermark'));
    }
    this.#endWaits(effects);
  }

  /** R17: of a produce whose offset the high watermark has reached. */
  #reachedError(): number {
    const isEnough = this.#isr.maximal.length >= this.#effectiveMinIsr;
    return isEnough ? ErrorCode.NONE : ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND;
  }

  #endWaits(effects: LeaderEffect[]): void {
    if (this.#replicationWaits.count > 0) {
      for (const { token } of this.#replicationWaits.takeReached(this.#highWatermark)) {
        effects.push(ended(token, this.#reachedError()));
      }
    }
    if (this.#deletionWaits.count === 0) return;
    const lowWatermark = lowestLogStart(this.#log.logStartOffset, this.#followers, this.#cluster);
    for (const { token } of this.#deletionWaits.takeReached(lowWatermark)) {
      effects.push(ended(token, ErrorCode.NONE, lowWatermark));
    }
  }

  #expire(token: number, effects: LeaderEffect[]): void {
    const wait = this.#replicationWaits.take(token) ?? this.#deletionWaits.take(token);
    if (wait !== undefined) effects.push(ended(token, ErrorCode.REQUEST_TIMED_OUT));
  }

  #resign(effects: LeaderEffect[]): void {
    this.#hasResigned = true;
    for (const { token } of [...this.#replicationWaits.takeAll(), ...this.#deletionWaits.takeAll()]) {
      effects.push(ended(token, ErrorCode.NOT_LEADER_OR_FOLLOWER));
    }
    const proposal = this.#isr.pendingProposal;
    if (proposal !== null) effects.push({ type: 'withdraw-isr', proposal });
    effects.push(wakeFetches('all'));
  }

  #refuseAfterwards(event: LeaderEvent, effects: LeaderEffect[]): void {
    if (event.type === 'await-replication' || event.type === 'await-deletion') {
      effects.push(ended(event.token, ErrorCode.NOT_LEADER_OR_FOLLOWER));
    }
  }
}

function ended(token: number, errorCode: number, lowWatermark: number = UNKNOWN_OFFSET): LeaderEffect {
  return { type: 'end-wait', token, errorCode, lowWatermark };
}

function isSameSet(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((id) => right.includes(id));
}
