/**
 * Carries out what the member's state machine asks for: requests to the coordinator, heartbeats, callbacks, timers. Runs in
 * the background from `start()` to `close()`, independent of the loop that consumes.
 *
 * Joins and heartbeats share a connection (a join waits for the whole group, and no heartbeat is due meanwhile); commits have
 * one of their own.
 */
import { apis, decodeAssignment, ErrorCode } from '@seatlog/kafka-protocol';
import { backoffMs } from '../backoff.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { rebalanceChannel, retryChannel } from '../diagnostics.ts';
import { KafkaClientError } from '../errors.ts';
import type { Cancel } from '../ports.ts';
import type { ConsumerSettings } from './consumer-options.ts';
import { asKafkaClientError, coordinatorMoved, type Coordinator } from './coordinator.ts';
import type {
  JoinedMember,
  MemberAnswer,
  MemberAssignment,
  MemberEffect,
  MemberSignal,
} from './group-events.ts';
import { GroupMember } from './group-member.ts';
import { assignorMembers, dealOut, joinRequest, leaveRequest, syncRequest } from './group-requests.ts';
import { PartitionCounts } from './partition-counts.ts';
import type { TopicPartition } from './types.ts';

/** A join is answered when the whole group has joined: what comes on top of the rebalance timeout. */
const JOIN_GRACE_MS = 5000;

export interface GroupSessionListener {
  /** Partitions go: resolves when nobody works on them any more and the callback is through. */
  revoke(partitions: readonly TopicPartition[], lost: boolean): Promise<void>;
  /** Partitions come: resolves when the callback is through. */
  assign(partitions: readonly TopicPartition[]): Promise<void>;
  failed(error: KafkaClientError): void;
  /** The member has left, or never was one. */
  done(): void;
}

export class GroupSession {
  readonly member: GroupMember;
  readonly #cluster: Cluster;
  readonly #coordinator: Coordinator;
  readonly #settings: ConsumerSettings;
  readonly #groupId: string;
  readonly #topics: readonly string[];
  readonly #purpose: string;
  readonly #listener: GroupSessionListener;
  readonly #counts: PartitionCounts;
  readonly #stopListening: () => void;
  #cancelHeartbeat: Cancel | null = null;
  #cancelRetry: Cancel | null = null;
  #cancelPollCheck: Cancel | null = null;
  #heartbeatUnderWay = false;
  #lastHeartbeatAt: number | null = null;
  #lastPollAt: number;
  #busy = false;

  constructor(
    cluster: Cluster,
    coordinator: Coordinator,
    settings: ConsumerSettings & { readonly groupId: string },
    topics: readonly string[],
    purpose: string,
    listener: GroupSessionListener,
  ) {
    const { groupId, groupInstanceId, cooperative } = settings;
    this.member = new GroupMember({ groupId, isStatic: groupInstanceId !== null, cooperative });
    this.#cluster = cluster;
    this.#coordinator = coordinator;
    this.#settings = settings;
    this.#groupId = groupId;
    this.#topics = topics;
    this.#purpose = purpose;
    this.#listener = listener;
    this.#counts = new PartitionCounts(cluster);
    this.#lastPollAt = cluster.settings.ports.clock.monotonic();
    this.#stopListening = cluster.onMetadata(() => {
      if (this.member.isLeader && this.#counts.haveChanged()) this.send({ type: 'partitions changed' });
    });
  }

  /** Milliseconds since the coordinator last answered a heartbeat or let the member in. */
  get sinceHeartbeatMs(): number | null {
    if (this.#lastHeartbeatAt === null) return null;
    return this.#cluster.settings.ports.clock.monotonic() - this.#lastHeartbeatAt;
  }

  start(): void {
    this.#armHeartbeat();
    this.#armPollCheck();
    this.send({ type: 'start' });
  }

  /** The loop asked for records. `busy`: it has got some and works on them. */
  polled(busy: boolean): void {
    this.#busy = busy;
    this.#lastPollAt = this.#cluster.settings.ports.clock.monotonic();
    if (this.member.state === 'expelled') this.send({ type: 'polled' });
  }

  close(): void {
    this.send({ type: 'close' });
  }

  send(event: MemberSignal): void {
    for (const effect of this.member.step(event)) this.#carryOut(effect);
  }

  #answer(event: MemberAnswer): void {
    for (const effect of this.member.answered(event)) this.#carryOut(effect);
  }

  #carryOut(effect: MemberEffect): void {
    switch (effect.type) {
      case 'find coordinator':
        return void this.#find();
      case 'join':
        return void this.#join(effect);
      case 'deal':
        return void this.#deal(effect.protocolName, effect.members);
      case 'sync':
        return void this.#sync(effect.protocolName, effect.assignments);
      case 'heartbeat':
        return void this.#heartbeat();
      case 'revoke':
        this.#tell(effect.lost ? 'lost' : 'revoked', effect.partitions);
        return void this.#callBack(this.#listener.revoke(effect.partitions, effect.lost), {
          type: 'revoked',
        });
      case 'assign':
        this.#tell('assigned', effect.partitions);
        return void this.#callBack(this.#listener.assign(effect.partitions), { type: 'assigned' });
      case 'retry later':
        return this.#retryLater(effect.failures, effect.code);
      case 'leave':
        return void this.#leave(effect.memberId);
      case 'fail':
        this.#stop();
        return this.#listener.failed(effect.error);
      case 'done':
        this.#stop();
        return this.#listener.done();
    }
  }

  async #find(): Promise<void> {
    try {
      this.#coordinator.forget();
      await this.#coordinator.connection(this.#purpose);
      this.#answer({ type: 'coordinator found' });
    } catch (cause) {
      this.#answer({ type: 'connection lost', error: asKafkaClientError(cause) });
    }
  }

  async #join(member: Extract<MemberEffect, { type: 'join' }>): Promise<void> {
    this.#tell('joining', member.owned);
    try {
      const connection = await this.#coordinator.connection(this.#purpose);
      const answer = await connection.request(
        apis.joinGroup,
        (version) => joinRequest(this.#groupId, this.#settings, this.#topics, member, version),
        { timeoutMs: this.#settings.maxPollIntervalMs + JOIN_GRACE_MS },
      );
      this.#alive();
      this.#answer({ type: 'joined', answer });
    } catch (cause) {
      this.#requestFailed(cause);
    }
  }

  /** The leader deals the partitions out. */
  async #deal(protocolName: string, joined: readonly JoinedMember[]): Promise<void> {
    try {
      const members = assignorMembers(joined);
      const assignor = this.#settings.assignors.find(({ name }) => name === protocolName);
      if (assignor === undefined) throw unknownProtocol(protocolName);
      const counts = await this.#counts.of(members.flatMap(({ topics }) => topics));
      this.#answer({ type: 'dealt', assignments: dealOut(assignor, members, counts) });
    } catch (cause) {
      this.#requestFailed(cause);
    }
  }

  async #sync(protocolName: string, assignments: readonly MemberAssignment[]): Promise<void> {
    const { memberId, generation } = this.member;
    const { groupInstanceId, maxPollIntervalMs } = this.#settings;
    try {
      const connection = await this.#coordinator.connection(this.#purpose);
      const answer = await connection.request(
        apis.syncGroup,
        (version) =>
          syncRequest(
            this.#groupId,
            groupInstanceId,
            protocolName,
            { memberId, generation },
            assignments,
            version,
          ),
        { timeoutMs: maxPollIntervalMs + JOIN_GRACE_MS },
      );
      this.#alive();
      const partitions =
        answer.errorCode === ErrorCode.NONE
          ? decodeAssignment(answer.assignment).assignedPartitions.flatMap(({ topic, partitions }) =>
              partitions.map((partition) => ({ topic, partition })),
            )
          : [];
      this.#answer({ type: 'synced', errorCode: answer.errorCode, partitions });
    } catch (cause) {
      this.#requestFailed(cause);
    }
  }

  async #heartbeat(): Promise<void> {
    if (this.#heartbeatUnderWay) return;
    this.#heartbeatUnderWay = true;
    const { memberId, generation } = this.member;
    const { groupInstanceId, sessionTimeoutMs } = this.#settings;
    try {
      const connection = await this.#coordinator.connection(this.#purpose);
      const { errorCode } = await connection.request(
        apis.heartbeat,
        (version) => ({
          groupId: this.#groupId,
          generationId: generation,
          memberId,
          ...(version >= 3 ? { groupInstanceId } : {}),
        }),
        { timeoutMs: sessionTimeoutMs },
      );
      if (!coordinatorMoved(errorCode)) this.#alive();
      // Of an earlier generation: the member knows better by now.
      if (generation === this.member.generation) this.#answer({ type: 'heartbeat answered', errorCode });
    } catch (cause) {
      this.#requestFailed(cause);
    } finally {
      this.#heartbeatUnderWay = false;
    }
  }

  /** Over a connection of its own, since a join may be waiting on the other. */
  async #leave(memberId: string): Promise<void> {
    const purpose = `${this.#purpose}-leave`;
    try {
      const connection = await this.#coordinator.connection(purpose);
      await connection.request(apis.leaveGroup, (version) => leaveRequest(this.#groupId, memberId, version));
    } catch {
      // Then the session times out by itself.
    }
    this.#cluster.closeLanes(purpose, leftTheGroup());
    this.#answer({ type: 'left' });
  }

  async #callBack(callback: Promise<void>, then: MemberAnswer): Promise<void> {
    try {
      await callback;
    } catch (cause) {
      this.#stop();
      this.#listener.failed(callbackFailed(cause));
      return;
    }
    this.#answer(then);
  }

  #requestFailed(cause: unknown): void {
    const error = asKafkaClientError(cause);
    if (error.code.startsWith('CONNECTION') || error.code === 'REQUEST_TIMEOUT') this.#coordinator.forget();
    this.#answer({ type: 'connection lost', error });
  }

  #retryLater(failures: number, code: string): void {
    const { clientId, ports, retryBackoff } = this.#cluster.settings;
    retryChannel.publish({
      clientId,
      operation: 'group',
      topic: null,
      partition: null,
      code,
      attempt: failures,
    });
    this.#coordinator.forget();
    const pause = backoffMs(retryBackoff, failures, ports.random.fraction());
    this.#cancelRetry = ports.timers.schedule(pause, () => this.send({ type: 'retry due' }));
  }

  #armHeartbeat(): void {
    this.#cancelHeartbeat = this.#cluster.settings.ports.timers.schedule(
      this.#settings.heartbeatIntervalMs,
      () => {
        this.#armHeartbeat();
        this.send({ type: 'heartbeat due' });
      },
    );
  }

  #armPollCheck(): void {
    const { clock, timers } = this.#cluster.settings.ports;
    const { maxPollIntervalMs } = this.#settings;
    const left = this.#busy ? this.#lastPollAt + maxPollIntervalMs - clock.monotonic() : maxPollIntervalMs;
    this.#cancelPollCheck = timers.schedule(Math.max(left, 1), () => {
      const overdue = this.#busy && clock.monotonic() - this.#lastPollAt >= maxPollIntervalMs;
      if (overdue) {
        // Once: until the loop comes round there is nothing to be overdue.
        this.#busy = false;
        this.send({ type: 'poll overdue' });
      }
      this.#armPollCheck();
    });
  }

  #alive(): void {
    this.#lastHeartbeatAt = this.#cluster.settings.ports.clock.monotonic();
  }

  #stop(): void {
    this.#stopListening();
    for (const cancel of [this.#cancelHeartbeat, this.#cancelRetry, this.#cancelPollCheck]) cancel?.();
  }

  #tell(event: 'revoked' | 'assigned' | 'lost' | 'joining', partitions: readonly TopicPartition[]): void {
    const { memberId, generation } = this.member;
    const { clientId } = this.#cluster.settings;
    rebalanceChannel.publish({ clientId, groupId: this.#groupId, memberId, generation, event, partitions });
  }
}

function unknownProtocol(name: string): KafkaClientError {
  return new KafkaClientError(
    'INVALID_CONFIGURATION',
    `the group chose the assignor ${name}, which is unknown here`,
    {
      retriable: false,
      hint: 'give all members of the group the same assignors',
    },
  );
}

function callbackFailed(cause: unknown): KafkaClientError {
  if (cause instanceof KafkaClientError) return cause;
  return new KafkaClientError('REBALANCE_CALLBACK_FAILED', 'onAssigned, onRevoked or onLost has thrown', {
    retriable: false,
    hint: 'look at the cause',
    cause,
  });
}

function leftTheGroup(): KafkaClientError {
  return new KafkaClientError('CLIENT_CLOSED', 'the member has left the group', {
    retriable: false,
    hint: 'make another consumer to join again',
  });
}
