/**
 * One member's life in a consumer group. Pure: events in, effects out; whoever runs it carries the effects out and comes
 * back with what came of them. All transitions are made here:
 *
 *     idle -> finding -> [revoking] -> joining -> (dealing ->) syncing -> [revoking] -> assigning -> stable
 *               ^                                                                                     |
 *               +------------------------ rebalance, coordinator gone, expelled ----------------------+
 *     any -> leaving -> left          any -> failed
 *
 * A stable member whose coordinator has gone looks for it and is stable again once it is found: only the group itself may
 * take a member out.
 *
 * Eager protocols give up everything before they join; cooperative ones keep what they hold, and after a round in which
 * they gave something up they join once more. Heartbeats go on in every state between two joins, so that slow callbacks do
 * not cost the session. What was lost (the group moved on without us) is given up before anything else.
 */
import { ErrorCode, errorByCode } from '@seatlog/kafka-protocol';
import { brokerError } from '../broker-error.ts';
import type { KafkaClientError } from '../errors.ts';
import type {
  JoinAnswer,
  MemberAnswer,
  MemberAssignment,
  MemberEffect,
  MemberSignal,
  MemberState,
} from './group-events.ts';
import { difference, samePartition } from './partition-sets.ts';
import type { TopicPartition } from './types.ts';

/** Errors after which the member joins again at once. */
const REJOIN: ReadonlySet<number> = new Set([
  ErrorCode.REBALANCE_IN_PROGRESS,
  ErrorCode.ILLEGAL_GENERATION,
  ErrorCode.UNKNOWN_MEMBER_ID,
]);
const COORDINATOR_GONE: ReadonlySet<number> = new Set([
  ErrorCode.COORDINATOR_NOT_AVAILABLE,
  ErrorCode.NOT_COORDINATOR,
]);
const NOBODY = '';

export class GroupMember {
  readonly #groupId: string;
  readonly #isStatic: boolean;
  readonly #cooperative: boolean;
  #state: MemberState = 'idle';
  #memberId = NOBODY;
  #generation = -1;
  #isLeader = false;
  #protocolName: string | null = null;
  #owned: readonly TopicPartition[] = [];
  /** What is being given up right now, and what follows then. */
  #revoking: readonly TopicPartition[] = [];
  #afterRevoking: 'rejoin' | 'assign' | 'leave' | 'wait' = 'rejoin';
  #assigned: readonly TopicPartition[] = [];
  #rejoinWanted = false;
  #lost = false;
  /** The search for the coordinator ends in 'stable', not in another join. */
  #resuming = false;
  #closeWanted = false;
  #failures = 0;

  constructor(options: {
    readonly groupId: string;
    readonly isStatic: boolean;
    readonly cooperative: boolean;
  }) {
    this.#groupId = options.groupId;
    this.#isStatic = options.isStatic;
    this.#cooperative = options.cooperative;
  }

  get state(): MemberState {
    return this.#state;
  }

  get memberId(): string {
    return this.#memberId;
  }

  get generation(): number {
    return this.#generation;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  get owned(): readonly TopicPartition[] {
    return this.#owned;
  }

  /** Whether a join is under way, at whose end there is another generation. */
  get isJoining(): boolean {
    return this.#state === 'joining' || this.#state === 'dealing' || this.#state === 'syncing';
  }

  /** Whether the coordinator must hear from this member now and then. */
  get hasSession(): boolean {
    return (
      this.#generation >= 0 &&
      (this.#state === 'stable' || this.#state === 'assigning' || this.#state === 'revoking')
    );
  }

  /** Something happened around the member. */
  step(event: MemberSignal): MemberEffect[] {
    if (this.#isOver) return [];
    switch (event.type) {
      case 'start':
        return this.#state === 'idle' ? this.#find() : [];
      case 'heartbeat due':
        return this.hasSession ? [{ type: 'heartbeat' }] : [];
      case 'fenced':
        return this.hasSession ? this.#groupSays(event.errorCode, 'a commit was refused') : [];
      case 'retry due':
        return this.#state === 'finding' ? [{ type: 'find coordinator' }] : [];
      case 'poll overdue':
        return this.#expel();
      case 'polled':
        return this.#state === 'expelled' ? this.#find() : [];
      case 'partitions changed':
        return this.#isLeader ? this.#wantRejoin() : [];
      case 'close':
        return this.#close();
    }
  }

  /** An effect was carried out; answers that come too late to matter are passed over. */
  answered(event: MemberAnswer): MemberEffect[] {
    if (this.#isOver) return [];
    switch (event.type) {
      case 'coordinator found':
        return this.#state === 'finding' ? this.#found() : [];
      case 'joined':
        return this.#state === 'joining' ? this.#joined(event.answer) : [];
      case 'dealt':
        return this.#state === 'dealing' ? this.#sync(event.assignments) : [];
      case 'synced':
        return this.#state === 'syncing' ? this.#synced(event.errorCode, event.partitions) : [];
      case 'revoked':
        return this.#state === 'revoking' ? this.#revoked() : [];
      case 'assigned':
        return this.#state === 'assigning' ? this.#settle() : [];
      case 'heartbeat answered':
        return this.hasSession ? this.#groupSays(event.errorCode, 'the heartbeat was refused') : [];
      case 'connection lost':
        return this.#connectionLost(event.error);
      case 'left':
        // A member that was expelled left on its way to somewhere else.
        return this.#state === 'leaving' ? this.#over() : [];
    }
  }

  get #isOver(): boolean {
    return this.#state === 'left' || this.#state === 'failed';
  }

  #find(): MemberEffect[] {
    this.#state = 'finding';
    return [{ type: 'find coordinator' }];
  }

  #found(): MemberEffect[] {
    if (!this.#resuming || this.#rejoinWanted || this.#lost) return this.#prepareJoin();
    this.#resuming = false;
    this.#failures = 0;
    this.#state = 'stable';
    return [{ type: 'heartbeat' }];
  }

  #resume(): MemberEffect[] {
    this.#resuming = true;
    return this.#find();
  }

  #prepareJoin(): MemberEffect[] {
    this.#resuming = false;
    if (this.#closeWanted) return this.#leave();
    if (this.#lost) {
      this.#lost = false;
      if (this.#owned.length > 0) return this.#revoke(this.#owned, true, 'rejoin');
    }
    if (!this.#cooperative && this.#owned.length > 0) return this.#revoke(this.#owned, false, 'rejoin');
    this.#rejoinWanted = false;
    this.#state = 'joining';
    return [{ type: 'join', memberId: this.#memberId, owned: this.#owned, generation: this.#generation }];
  }

  #joined(answer: JoinAnswer): MemberEffect[] {
    const { errorCode } = answer;
    if (errorCode === ErrorCode.MEMBER_ID_REQUIRED) {
      this.#memberId = answer.memberId;
      return this.#prepareJoin();
    }
    if (errorCode !== ErrorCode.NONE) return this.#joinRefused(errorCode, 'joining the group was refused');
    this.#failures = 0;
    this.#memberId = answer.memberId;
    this.#generation = answer.generationId;
    this.#isLeader = answer.leader === answer.memberId;
    this.#protocolName = answer.protocolName;
    if (!this.#isLeader || answer.skipAssignment) return this.#sync([]);
    this.#state = 'dealing';
    return [{ type: 'deal', protocolName: answer.protocolName ?? '', members: answer.members }];
  }

  #sync(assignments: readonly MemberAssignment[]): MemberEffect[] {
    this.#state = 'syncing';
    return [{ type: 'sync', protocolName: this.#protocolName ?? '', assignments }];
  }

  #synced(errorCode: number, partitions: readonly TopicPartition[]): MemberEffect[] {
    if (errorCode !== ErrorCode.NONE) return this.#joinRefused(errorCode, 'the assignment was refused');
    this.#assigned = partitions;
    const surplus = difference(this.#owned, partitions);
    return surplus.length > 0 ? this.#revoke(surplus, false, 'assign') : this.#assign();
  }

  #assign(): MemberEffect[] {
    const added = difference(this.#assigned, this.#owned);
    this.#owned = this.#assigned;
    this.#state = 'assigning';
    return [{ type: 'assign', partitions: added }];
  }

  /** The end of a round, or the start of the next. */
  #settle(): MemberEffect[] {
    if (this.#closeWanted) return this.#giveUpAndLeave();
    if (this.#rejoinWanted || this.#lost) return this.#prepareJoin();
    this.#state = 'stable';
    return [];
  }

  #revoke(
    partitions: readonly TopicPartition[],
    lost: boolean,
    then: 'rejoin' | 'assign' | 'leave' | 'wait',
  ): MemberEffect[] {
    this.#state = 'revoking';
    this.#revoking = partitions;
    this.#afterRevoking = then;
    return [{ type: 'revoke', partitions, lost }];
  }

  #revoked(): MemberEffect[] {
    this.#owned = difference(this.#owned, this.#revoking);
    this.#revoking = [];
    switch (this.#afterRevoking) {
      case 'assign':
        // What moved is free now: another round gives it to its next holder.
        this.#rejoinWanted = true;
        return this.#closeWanted ? this.#giveUpAndLeave() : this.#lost ? this.#prepareJoin() : this.#assign();
      case 'leave':
        return this.#leave();
      case 'wait':
        this.#state = 'expelled';
        return this.#closeWanted ? this.#over() : [];
      case 'rejoin':
        return this.#closeWanted ? this.#giveUpAndLeave() : this.#prepareJoin();
    }
  }

  /** What a heartbeat or a commit was answered while the member holds a session. */
  #groupSays(errorCode: number, what: string): MemberEffect[] {
    if (errorCode === ErrorCode.NONE) return [];
    if (errorCode === ErrorCode.REBALANCE_IN_PROGRESS) return this.#wantRejoin();
    if (errorCode === ErrorCode.ILLEGAL_GENERATION || errorCode === ErrorCode.UNKNOWN_MEMBER_ID) {
      this.#loseSession(errorCode);
      return this.#state === 'stable' ? this.#prepareJoin() : [];
    }
    if (COORDINATOR_GONE.has(errorCode)) return this.#state === 'stable' ? this.#resume() : [];
    if (errorByCode(errorCode).retriable) return [];
    return this.#fail(brokerError(errorCode, { what: `group ${this.#groupId}: ${what}` }));
  }

  #wantRejoin(): MemberEffect[] {
    if (this.#state === 'stable') return this.#prepareJoin();
    // The round, or the search for the coordinator, ends first; in all other states a join lies ahead anyway.
    if (this.#state === 'assigning' || this.#state === 'revoking' || this.#resuming)
      this.#rejoinWanted = true;
    return [];
  }

  #joinRefused(errorCode: number, what: string): MemberEffect[] {
    if (errorCode === ErrorCode.ILLEGAL_GENERATION || errorCode === ErrorCode.UNKNOWN_MEMBER_ID) {
      this.#loseSession(errorCode);
    }
    const askAgain = this.#state === 'joining' && errorCode === ErrorCode.REBALANCE_IN_PROGRESS;
    if (REJOIN.has(errorCode) && !askAgain) return this.#prepareJoin();
    const error = brokerError(errorCode, { what: `group ${this.#groupId}: ${what}` });
    if (askAgain || COORDINATOR_GONE.has(errorCode) || error.retriable) return this.#retryLater(error.code);
    return this.#fail(error);
  }

  /** The group does not count this member in any more: what it holds may be held by others. */
  #loseSession(errorCode: number): void {
    this.#generation = -1;
    this.#isLeader = false;
    this.#lost = true;
    if (errorCode === ErrorCode.UNKNOWN_MEMBER_ID) this.#memberId = NOBODY;
  }

  #connectionLost(error: KafkaClientError): MemberEffect[] {
    switch (this.#state) {
      case 'finding':
      case 'joining':
      case 'dealing':
      case 'syncing':
        return error.retriable ? this.#retryLater(error.code) : this.#fail(error);
      case 'stable':
        return this.#resume();
      case 'leaving':
        return this.#over();
      default:
        return [];
    }
  }

  #retryLater(code: string): MemberEffect[] {
    if (this.#closeWanted) return this.#giveUpAndLeave();
    this.#failures += 1;
    this.#state = 'finding';
    return [{ type: 'retry later', failures: this.#failures, code }];
  }

  #expel(): MemberEffect[] {
    if (this.#state !== 'stable') return [];
    const leave: MemberEffect[] = this.#isStatic ? [] : [{ type: 'leave', memberId: this.#memberId }];
    this.#generation = -1;
    if (!this.#isStatic) this.#memberId = NOBODY;
    this.#isLeader = false;
    return [...leave, ...this.#revoke(this.#owned, true, 'wait')];
  }

  #close(): MemberEffect[] {
    if (this.#closeWanted) return [];
    this.#closeWanted = true;
    switch (this.#state) {
      case 'revoking':
      case 'assigning':
        return [];
      case 'leaving':
        return [];
      case 'idle':
      case 'expelled':
        return this.#over();
      default:
        return this.#giveUpAndLeave();
    }
  }

  #giveUpAndLeave(): MemberEffect[] {
    if (this.#owned.length > 0) return this.#revoke(this.#owned, this.#lost, 'leave');
    return this.#leave();
  }

  #leave(): MemberEffect[] {
    // A static member keeps its place: it is expected back within the session timeout.
    if (this.#isStatic || this.#memberId === NOBODY) return this.#over();
    this.#state = 'leaving';
    return [{ type: 'leave', memberId: this.#memberId }];
  }

  #over(): MemberEffect[] {
    this.#state = 'left';
    this.#generation = -1;
    return [{ type: 'done' }];
  }

  #fail(error: KafkaClientError): MemberEffect[] {
    this.#state = 'failed';
    return [{ type: 'fail', error }];
  }

  /** Whether this member may commit for a partition. */
  holds(partition: TopicPartition): boolean {
    return this.#owned.some((owned) => samePartition(owned, partition));
  }
}
