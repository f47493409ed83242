/** The fetchers of broker 3 with followers whose logs are in memory; what they ask for is written down. */
import type { FetcherEffect, FetcherIdentity } from '../follower/fetcher-effects.ts';
import { DEFAULT_FETCH_SETTINGS, type FetchRequest } from '../follower/fetch-request.ts';
import type { FetchedPartition, FetchPosition } from '../follower/follower-events.ts';
import { PartitionFollower } from '../follower/partition-follower.ts';
import { type FetchersEvent, ReplicaFetchers } from '../follower/replica-fetchers.ts';
import type { Moment } from '../moment.ts';
import { partitionName } from '../partition-identity.ts';
import { MemoryLog } from './memory-log.ts';
import { answerWith } from './parked-fetches.ts';

const BACKOFF_MS = 1000;
const EMPTY_POSITION: FetchPosition = {
  currentLeaderEpoch: 0,
  fetchOffset: 0,
  lastFetchedEpoch: -1,
  logStartOffset: 0,
};

interface SentFetch {
  readonly fetcher: FetcherIdentity;
  readonly requestId: number;
  readonly request: FetchRequest;
}

/** What each partition is answered, by `<topic>-<partition>`. */
type Answers = Readonly<Record<string, Partial<FetchedPartition>>>;

export class FetchersBench {
  readonly fetchers: ReplicaFetchers;
  readonly sent: SentFetch[] = [];
  readonly timers: number[] = [];
  readonly closed: string[] = [];
  readonly #followers = new Map<string, PartitionFollower>();
  readonly #logs = new Map<string, MemoryLog>();
  readonly #toWrite = new Map<string, Uint8Array>();
  #lastTimer: FetcherIdentity | null = null;
  #monotonic = 0;

  constructor({ numReplicaFetchers = 1, brokerEpoch = 31 } = {}) {
    this.fetchers = new ReplicaFetchers({
      brokerId: 3,
      cluster: { brokerEpoch, broker: () => undefined },
      numReplicaFetchers,
      settings: DEFAULT_FETCH_SETTINGS,
    });
  }

  get moment(): Moment {
    return { now: this.#monotonic, monotonic: this.#monotonic };
  }

  get names(): readonly string[] {
    return Array.from(this.fetchers.fetchers, (fetcher) => fetcher.identity.name);
  }

  /** The topic's name is its id as well. */
  follow(topic: string, partition: number, leaderId: number, topicId: string = topic): PartitionFollower {
    const log = new MemoryLog();
    const identity = { topic, topicId, partition };
    const follower = new PartitionFollower({ identity, log, fetchBackoffMs: BACKOFF_MS });
    this.#followers.set(partitionName(identity), follower);
    this.#logs.set(partitionName(identity), log);
    this.lead(follower, leaderId, 0);
    return follower;
  }

  /** Follows these from broker 1; they wait while the fetch for the first of them is out. */
  addWhileInFlight(...partitions: readonly (readonly [string, number])[]): void {
    for (const [topic, partition] of partitions) this.follow(topic, partition, 1);
  }

  lead(follower: PartitionFollower, leaderId: number, leaderEpoch: number): void {
    follower.step({ type: 'follow', leaderId, leaderEpoch }, this.moment);
    this.step({ type: 'follow', follower });
  }

  advance(milliseconds: number): void {
    this.#monotonic += milliseconds;
  }

  step(event: FetchersEvent): void {
    for (const effect of this.fetchers.step(event, this.moment)) this.#note(effect);
  }

  /** Partitions in the last fetch, in their order. */
  partitions(): readonly string[] {
    const topics = this.sent.at(-1)?.request.topics ?? [];
    return topics.flatMap(({ topicId, partitions }) => partitions.map((it) => `${topicId}-${it.partition}`));
  }

  wanted(partition: number): object {
    return { partition, ...EMPTY_POSITION, partitionMaxBytes: 1024 * 1024 };
  }

  /** Answers the last fetch, or the one named: no records, but what is given. */
  answerAll(
    answers: Answers = {},
    errorCode = 0,
    requestId: number = this.sent.at(-1)?.requestId ?? 0,
  ): void {
    const sent = this.sent.find((fetch) => fetch.requestId === requestId);
    this.#answer(requestId, sent?.request.topics ?? [], answers, errorCode);
  }

  answerSome(names: readonly string[]): void {
    const sent = this.sent.at(-1);
    const topics = (sent?.request.topics ?? []).map((topic) => ({
      ...topic,
      partitions: topic.partitions.filter((it) => names.includes(`${topic.topicId}-${it.partition}`)),
    }));
    this.#answer(sent?.requestId ?? 0, topics, {}, 0);
  }

  fail(reason: string, requestId: number = this.sent.at(-1)?.requestId ?? 0): void {
    this.step({ type: 'fetch-failed', requestId, reason });
  }

  fireTimer(): void {
    if (this.#lastTimer !== null) this.step({ type: 'timer-fired', fetcher: this.#lastTimer });
  }

  logOf(name: string): MemoryLog {
    const log = this.#logs.get(name);
    if (log === undefined) throw new Error(`${name} is not followed`);
    return log;
  }

  /** What the partition's follower asked its log to append is done. */
  written(name: string): void {
    const follower = this.#followers.get(name);
    const records = this.#toWrite.get(name);
    if (follower === undefined || records === undefined)
      throw new Error(`nothing is to be written to ${name}`);
    this.logOf(name).appendAsFollower(records);
    follower.step({ type: 'appended', outcome: 'done' }, this.moment);
    this.step({ type: 'fetch-state-changed', follower });
  }

  #answer(requestId: number, topics: FetchRequest['topics'], answers: Answers, errorCode: number): void {
    const responses = topics.map(({ topicId = '', partitions }) => ({
      topic: '',
      topicId,
      partitions: partitions.map(({ partition }) => ({
        ...answerWith({ highWatermark: 0, logStartOffset: 0, ...answers[`${topicId}-${partition}`] }),
        partitionIndex: partition,
      })),
    }));
    const response = { throttleTimeMs: 0, errorCode, sessionId: 0, responses, nodeEndpoints: [] };
    this.step({ type: 'fetch-answered', requestId, response });
  }

  #note(effect: FetcherEffect): void {
    switch (effect.type) {
      case 'send-fetch':
        this.sent.push(effect);
        return;
      case 'arm-timer':
        this.timers.push(effect.delayMs);
        this.#lastTimer = effect.fetcher;
        return;
      case 'close-fetcher':
        this.closed.push(effect.fetcher.name);
        return;
      case 'follower':
        if (effect.effect.type === 'append') {
          this.#toWrite.set(partitionName(effect.follower.identity), effect.effect.records);
        }
        return;
      case 'fetcher-log':
    }
  }
}
