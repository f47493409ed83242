/**
 * One partition of `__consumer_offsets` while this broker leads it in one leader epoch: reads it back, then joins the
 * pure coordinator of its groups to timers, to the partition's log and to the requests that wait. In another epoch it
 * writes and answers nothing but NOT_COORDINATOR; what comes late of its writes changes nothing.
 *
 * Events are taken one after another: what an effect brings about at once (a refused append) comes after the other
 * effects of its step.
 */
import {
  type GroupConfig,
  type GroupEffect,
  type GroupEvent,
  type GroupRequest,
  type GroupRequestBody,
  type GroupRequestType,
  type GroupResponseTo,
  GroupShard,
  type OffsetsRecord,
  type ShardContents,
  type TimerName,
  timerKey,
} from '@seatlog/group-coordinator';
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { Cancel, Clock, Timers, Turns } from '@seatlog/runtime';
import type { BrokerConfig } from '../config/broker-config.ts';
import type { Logger } from '../logger.ts';
import type { Partition } from '../replica-manager/partition.ts';
import type { ReplicaManager } from '../replica-manager/replica-manager.ts';
import { offsetsBatch } from './offsets-batch.ts';
import { ParkedRequests } from './parked-requests.ts';
import { PartitionLoader } from './partition-loader.ts';

export interface CoordinatedPartitionOptions {
  readonly config: BrokerConfig;
  readonly groupConfig: GroupConfig;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly log: Logger;
  readonly replicas: ReplicaManager;
}

export interface DeletedTopic {
  readonly name: string;
  readonly topicId: string;
}

const WAIT_FOR_ALL_REPLICAS = -1;
/** The coordinator keeps its own time: a write may become replicated long after its client was told that it is late. */
const NO_TIME_LIMIT_MS = Number.MAX_SAFE_INTEGER;

export class CoordinatedPartition {
  readonly leaderEpoch: number;
  readonly #options: CoordinatedPartitionOptions;
  readonly #partition: Partition;
  readonly #log: Logger;
  readonly #loader: PartitionLoader;
  readonly #parked = new ParkedRequests();
  readonly #timers = new Map<string, Cancel>();
  readonly #events: GroupEvent[] = [];
  readonly #deletedWhileLoading: DeletedTopic[] = [];
  readonly #startedAt: number;
  #shard: GroupShard | null = null;
  #isStepping = false;
  #isStopped = false;
  #hasFailed = false;

  /** Of one term: the leadership of the partition in that epoch. */
  constructor(partition: Partition, leaderEpoch: number, options: CoordinatedPartitionOptions) {
    this.leaderEpoch = leaderEpoch;
    this.#partition = partition;
    this.#options = options;
    this.#log = options.log.with({ topic: partition.topic, partition: partition.index });
    this.#startedAt = options.clock.monotonic();
    this.#loader = new PartitionLoader(
      partition,
      options.turns,
      options.config.values['offsets.load.buffer.size'],
      { loaded: (contents) => this.#begin(contents), failed: (error) => this.#fail(error) },
    );
  }

  /** Null while the partition is being read back, if it could not be, and once this term is over. */
  get shard(): GroupShard | null {
    return this.#isInOffice ? this.#shard : null;
  }

  /** Why there is no shard. */
  get absenceError(): number {
    return this.#hasFailed || !this.#isInOffice
      ? ErrorCode.NOT_COORDINATOR
      : ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
  }

  /** Also before this is told that its term is over: what it knows may be out of date from then on. */
  get #isInOffice(): boolean {
    const { isLeader, leaderEpoch } = this.#partition;
    return !this.#isStopped && isLeader && leaderEpoch === this.leaderEpoch;
  }

  load(): void {
    this.#loader.start();
  }

  /** Only when there is a shard. */
  ask<T extends GroupRequestType>(
    type: T,
    request: GroupRequestBody<T>,
    respond: (response: GroupResponseTo<T>) => void,
  ): void {
    const token = this.#parked.park(type, respond);
    // With type and token it is the request of that type again.
    this.#take({ ...request, type, token } as unknown as GroupRequest);
  }

  expireOffsets(): void {
    this.#take({ type: 'expire-offsets' });
  }

  topicsDeleted(topics: readonly DeletedTopic[]): void {
    if (this.#shard === null) this.#deletedWhileLoading.push(...topics);
    else this.#take({ type: 'topics-deleted', topics });
  }

  /** The partition is led elsewhere, or nowhere: whoever waits is told, and nothing happens any more. */
  resign(): void {
    if (this.#isStopped) return;
    this.#loader.stop();
    // First of all: who is told so may ask again at once.
    this.#isStopped = true;
    this.#enqueue({ type: 'resigned' });
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #begin(contents: ShardContents): void {
    const summary = contents.summary();
    const fields = {
      records: summary.records,
      groups: summary.groups,
      offsets: summary.offsets,
      leaderEpoch: this.leaderEpoch,
      milliseconds: Math.round(this.#options.clock.monotonic() - this.#startedAt),
    };
    const line = `loaded ${summary.commits} commits (${summary.uniqueKeys} unique keys)`;
    if (summary.records === 0) this.#log.debug(line, fields);
    else this.#log.info(line, fields);
    if (summary.unreadable > 0) {
      this.#log.error('records of groups could not be read and were passed over', {
        records: summary.unreadable,
        first: summary.firstProblem,
      });
    }
    this.#shard = new GroupShard(this.#options.groupConfig, contents);
    this.#take({ type: 'loaded' });
    if (this.#deletedWhileLoading.length > 0) this.topicsDeleted(this.#deletedWhileLoading);
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#log.error('offsets could not be read back; groups of this partition are not served', { error });
  }

  #take(event: GroupEvent): void {
    if (!this.#isStopped) this.#enqueue(event);
  }

  #enqueue(event: GroupEvent): void {
    if (this.#shard === null) return;
    this.#events.push(event);
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        const { clock } = this.#options;
        const effects = this.#shard.step(next, { now: clock.now(), monotonic: clock.monotonic() });
        for (const effect of effects) this.#carryOut(effect);
      }
    } finally {
      this.#isStepping = false;
    }
  }

  #carryOut(effect: GroupEffect): void {
    switch (effect.type) {
      case 'respond':
        this.#parked.answer(effect.token, effect.response);
        return;
      case 'arm-timer':
        this.#arm(effect.timer, effect.delayMs);
        return;
      case 'cancel-timer':
        this.#cancel(timerKey(effect.timer));
        return;
      case 'append':
        this.#append(effect.appendId, effect.records);
        return;
      case 'log':
        this.#log[effect.level](effect.message, effect.fields);
    }
  }

  #arm(timer: TimerName, delayMs: number): void {
    if (this.#isStopped) return;
    const key = timerKey(timer);
    this.#cancel(key);
    const cancel = this.#options.timers.schedule(delayMs, () => {
      this.#timers.delete(key);
      this.#take({ type: 'timer-fired', timer });
    });
    this.#timers.set(key, cancel);
  }

  #cancel(key: string): void {
    this.#timers.get(key)?.();
    this.#timers.delete(key);
  }

  #append(appendId: number, records: readonly OffsetsRecord[]): void {
    if (!this.#isInOffice) {
      this.#take({ type: 'appended', appendId, errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER });
      return;
    }
    const { clock, config, replicas } = this.#options;
    const batch = offsetsBatch(records, clock.now(), config.values['offsets.topic.compression.codec']);
    if (batch.length > this.#partition.config['max.message.bytes']) {
      this.#take({ type: 'appended', appendId, errorCode: ErrorCode.MESSAGE_TOO_LARGE });
      return;
    }
    replicas.append(
      {
        topic: this.#partition.topic,
        partition: this.#partition.index,
        batch,
        acks: WAIT_FOR_ALL_REPLICAS,
        timeoutMs: NO_TIME_LIMIT_MS,
        origin: 'coordinator',
      },
      ({ errorCode }) => this.#take({ type: 'appended', appendId, errorCode }),
    );
  }
}
