/**
 * One replica of a partition on this broker, through its changes of role:
 *
 *     idle, following ──metadata: this broker leads──▶ electing ──once its log end stands──▶ leading
 *     idle, leading, electing ──metadata: another leads, or none──▶ following
 *     following ──metadata: another leader or epoch──▶ following, anew
 *     leading ──metadata: still this one──▶ leading; electing, if it did not lead all the time or was writing
 *     any ──stopped──▶ idle
 *
 * A log end stands when nothing is being written, or the log takes no more: such a leader serves readers.
 *
 * Leaders' and followers' events are passed on to who is there for them; an event for a role that it no longer has is
 * dropped, but a wait is always ended. Promises and expectations are those of `PartitionLeader` and `PartitionFollower`;
 * metadata may come again or late, and counts if its epochs are newer.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { type ClusterView, NO_LEADER, type PartitionMetadata } from './cluster-view.ts';
import { CONSUMER, type FetchLook, type FetchVerdict, refused } from './fetch-verdict.ts';
import { checkFollowerFetch } from './follower/consumer-fetch-check.ts';
import type { FollowerEffect } from './follower/follower-effects.ts';
import type { FollowerEvent } from './follower/follower-events.ts';
import { PartitionFollower } from './follower/partition-follower.ts';
import type { LeaderEffect } from './leader/leader-effects.ts';
import type { LeaderConfig, LeaderEvent } from './leader/leader-events.ts';
import { PartitionLeader } from './leader/partition-leader.ts';
import type { Moment } from './moment.ts';
import type { PartitionIdentity } from './partition-identity.ts';
import { type ReplicaLog, UNKNOWN_OFFSET } from './replica-log.ts';

/** What the caller tells a leader; the rest a replica tells it itself. */
export type OutsideLeaderEvent = Exclude<
  LeaderEvent,
  { readonly type: 'elected' | 'resigned' | 'metadata' | 'follower-fetched' }
>;

export type ReplicaEvent =
  /**
   * `config`: the topic's, where the same metadata changes it. A leader then takes both as one: an ISR goes with the
   * minimum that the controller held it to.
   */
  | { readonly type: 'metadata'; readonly metadata: PartitionMetadata; readonly config?: LeaderConfig }
  | { readonly type: 'leader-event'; readonly event: OutsideLeaderEvent }
  | { readonly type: 'follower-event'; readonly event: Exclude<FollowerEvent, { type: 'follow' }> }
  | { readonly type: 'configured'; readonly config: LeaderConfig }
  /** The partition is deleted or moved away, or the broker stops. */
  | { readonly type: 'stopped' };

/**
 * `follow` and `unfollow` are for the broker's `ReplicaFetchers`. `role` tells of the change when it is made: before the
 * effects that make a leader, after those that end one. While a replica is `electing`, any event makes it look again
 * whether its log stands; the caller gives `log-end-advanced` when a write ends, well or not.
 */
export type ReplicaEffect =
  | LeaderEffect
  | FollowerEffect
  | { readonly type: 'follow' | 'unfollow'; readonly follower: PartitionFollower }
  | { readonly type: 'role'; readonly role: ReplicaRole };

export type ReplicaRole = 'idle' | 'leading' | 'electing' | 'following';

type RoleState =
  | { readonly role: 'idle' }
  | { readonly role: 'leading'; readonly leader: PartitionLeader }
  | { readonly role: 'electing'; readonly follower: PartitionFollower | null }
  | { readonly role: 'following'; readonly follower: PartitionFollower };

export interface PartitionReplicaOptions {
  readonly brokerId: number;
  readonly identity: PartitionIdentity;
  readonly log: ReplicaLog;
  readonly cluster: ClusterView;
  readonly config: LeaderConfig;
  readonly fetchBackoffMs: number;
}

export class PartitionReplica {
  readonly #options: PartitionReplicaOptions;
  #config: LeaderConfig;
  #state: RoleState = { role: 'idle' };
  #metadata: PartitionMetadata | null = null;

  constructor(options: PartitionReplicaOptions) {
    this.#options = options;
    this.#config = options.config;
  }

  get role(): ReplicaRole {
    return this.#state.role;
  }

  get leader(): PartitionLeader | null {
    return this.#state.role === 'leading' ? this.#state.leader : null;
  }

  get follower(): PartitionFollower | null {
    return this.#state.role === 'following' || this.#state.role === 'electing' ? this.#state.follower : null;
  }

  get leaderId(): number {
    return this.#metadata?.leader ?? NO_LEADER;
  }

  get leaderEpoch(): number {
    return this.#metadata?.leaderEpoch ?? -1;
  }

  /** Why nothing may be appended for a client now; 0 if it may. */
  appendError(acks: number): number {
    return this.leader?.appendError(acks) ?? ErrorCode.NOT_LEADER_OR_FOLLOWER;
  }

  /**
   * One look at one partition of a fetch: what to answer, and what follows from it where it is the report of a follower.
   * A fetch is looked at when it comes, and `again` when it was parked. Carry the effects out, then read.
   */
  lookAtFetch(
    look: FetchLook,
    when: 'first' | 'again',
    moment: Moment,
  ): { readonly verdict: FetchVerdict; readonly effects: readonly ReplicaEffect[] } {
    const verdict = this.#check(look);
    const effects: ReplicaEffect[] = [];
    if (verdict.kind === 'read' && look.replicaId !== CONSUMER) {
      const { replicaId, brokerEpoch, fetchOffset, logStartOffset } = look;
      const report = { replicaId, brokerEpoch, fetchOffset, logStartOffset, look: when };
      this.#tellLeader({ type: 'follower-fetched', ...report }, moment, effects);
    }
    return { verdict, effects };
  }

  #check(look: FetchLook): FetchVerdict {
    const state = this.#state;
    const leader = { leaderId: this.leaderId, leaderEpoch: this.leaderEpoch };
    switch (state.role) {
      case 'leading':
        return state.leader.checkFetch(look);
      case 'following':
        return checkFollowerFetch(look, this.#options.log, leader);
      case 'electing':
      case 'idle':
        return refused(ErrorCode.NOT_LEADER_OR_FOLLOWER, leader);
    }
  }

  step(event: ReplicaEvent, moment: Moment): readonly ReplicaEffect[] {
    const effects: ReplicaEffect[] = [];
    switch (event.type) {
      case 'metadata':
        this.#config = event.config ?? this.#config;
        this.#applyMetadata(event.metadata, moment, effects);
        break;
      case 'configured':
        this.#config = event.config;
        this.#tellLeader(event, moment, effects);
        break;
      case 'leader-event':
        if (!this.#isLeftToMetadata(event.event)) this.#tellLeader(event.event, moment, effects);
        break;
      case 'follower-event':
        this.#tellFollower(event.event, moment, effects);
        break;
      case 'stopped':
        this.#leave(moment, effects);
        if (this.#state.role !== 'idle') this.#enter({ role: 'idle' }, effects);
        break;
    }
    if (this.#state.role === 'electing') this.#electIfSettled(moment, effects);
    return effects;
  }

  #applyMetadata(metadata: PartitionMetadata, moment: Moment, effects: ReplicaEffect[]): void {
    const known = this.#metadata;
    if (known !== null && metadata.partitionEpoch < known.partitionEpoch) {
      this.#tellLeader({ type: 'configured', config: this.#config }, moment, effects);
      return;
    }
    this.#metadata = metadata;
    if (metadata.leader === this.#options.brokerId) this.#lead(metadata, moment, effects);
    else if (this.#state.role !== 'following' || isOtherLeadership(known, metadata)) {
      this.#follow(metadata, moment, effects);
    }
  }

  #lead(metadata: PartitionMetadata, moment: Moment, effects: ReplicaEffect[]): void {
    const state = this.#state;
    switch (state.role) {
      case 'leading':
        if (this.#mustBeginAnew(metadata.leaderEpoch, state.leader.leaderEpoch)) {
          this.#leave(moment, effects);
          this.#enter({ role: 'electing', follower: null }, effects);
          return;
        }
        effects.push(...state.leader.step({ type: 'metadata', metadata, config: this.#config }, moment));
        return;
      case 'following':
        this.#leave(moment, effects);
        this.#enter({ role: 'electing', follower: state.follower }, effects);
        return;
      case 'idle':
        this.#enter({ role: 'electing', follower: null }, effects);
        return;
      case 'electing':
    }
  }

  /** The epoch begins at the log end: that must stand, or what is being written would belong to two epochs. */
  #electIfSettled(moment: Moment, effects: ReplicaEffect[]): void {
    const metadata = this.#metadata;
    if (metadata === null || this.follower?.isWriting === true || !this.#isSettled) return;
    const leader = new PartitionLeader({ ...this.#options, config: this.#config }, metadata, moment);
    this.#enter({ role: 'leading', leader }, effects);
    effects.push(...leader.step({ type: 'elected' }, moment));
  }

  /**
   * Whether a leader that hears of a later epoch of its own is another leader than it was. Between epochs that do not
   * follow on each other another may have led, whose followers cut off what they had reported here. And what is being
   * written bears the earlier epoch: it would come to lie behind where the later one began.
   */
  #mustBeginAnew(leaderEpoch: number, present: number): boolean {
    return leaderEpoch > present + 1 || (leaderEpoch > present && !this.#isSettled);
  }

  /** Whether the log end stands. What a log that takes no more was writing never comes to count. */
  get #isSettled(): boolean {
    const { failure, nextAppendOffset, logEndOffset } = this.#options.log;
    return failure !== null || nextAppendOffset === logEndOffset;
  }

  #follow({ leader, leaderEpoch }: PartitionMetadata, moment: Moment, effects: ReplicaEffect[]): void {
    const follower = this.follower ?? new PartitionFollower(this.#options);
    if (this.#state.role === 'leading') this.#leave(moment, effects);
    if (this.#state.role !== 'following') this.#enter({ role: 'following', follower }, effects);
    const ofFollower = follower.step({ type: 'follow', leaderId: leader, leaderEpoch }, moment);
    // First to the right fetcher, so that none asks the former leader for it.
    effects.push({ type: 'follow', follower }, ...ofFollower);
  }

  /** Ends the role that it has. A follower that is left takes no answer to what it asked before. */
  #leave(moment: Moment, effects: ReplicaEffect[]): void {
    const state = this.#state;
    if (state.role === 'leading') effects.push(...state.leader.step({ type: 'resigned' }, moment));
    else if (state.role === 'following') {
      const { follower } = state;
      const nobody = { type: 'follow', leaderId: NO_LEADER, leaderEpoch: this.leaderEpoch } as const;
      effects.push(...follower.step(nobody, moment), { type: 'unfollow', follower });
    }
  }

  #enter(state: RoleState, effects: ReplicaEffect[]): void {
    this.#state = state;
    effects.push({ type: 'role', role: state.role });
  }

  /**
   * What the controller accepted it judged by a minimum that may not have come here yet: who is outside of an ISR that
   * it takes for too small stays an eligible leader. The metadata brings the ISR with that minimum, and till then the
   * proposal is pending: else what this ISR holds might be acknowledged by the minimum of before, and be lost with the
   * election of one that lacks it.
   */
  #isLeftToMetadata(event: OutsideLeaderEvent): boolean {
    return event.type === 'isr-answered' && event.verdict.kind === 'accepted';
  }

  #tellLeader(event: LeaderEvent, moment: Moment, effects: ReplicaEffect[]): void {
    const { leader } = this;
    if (leader !== null) effects.push(...leader.step(event, moment));
    else if (event.type === 'await-replication' || event.type === 'await-deletion') {
      const errorCode = ErrorCode.NOT_LEADER_OR_FOLLOWER;
      effects.push({ type: 'end-wait', token: event.token, errorCode, lowWatermark: UNKNOWN_OFFSET });
    }
  }

  #tellFollower(event: FollowerEvent, moment: Moment, effects: ReplicaEffect[]): void {
    const { follower } = this;
    if (follower === null) return;
    effects.push(...follower.step(event, moment));
  }
}

function isOtherLeadership(known: PartitionMetadata | null, metadata: PartitionMetadata): boolean {
  return known?.leader !== metadata.leader || known.leaderEpoch !== metadata.leaderEpoch;
}
