/**
 * All partitions that this broker follows from one leader and one fetcher id, in one Fetch at a time.
 *
 *     send            when nothing is in flight, no partition's log is being written, and at least one may be fetched
 *     answered        each partition gets its part; those that got records go to the end of the line (R2)
 *     failed          each partition waits out its back-off
 *
 * It does not send while a partition is being written: the next fetch parks at the leader, and what was just written
 * could not be reported before that returns.
 */
import { type apis, ErrorCode, errorByCode, type ResponseOf } from '@seatlog/kafka-protocol';
import { logLine } from '../log-line.ts';
import type { Moment } from '../moment.ts';
import { type FetchRequest, fetchRequest, type FetchSettings, type FetchTarget } from './fetch-request.ts';
import type { FetcherEffect, FetcherIdentity } from './fetcher-effects.ts';
import type { FollowerEvent } from './follower-events.ts';
import type { PartitionFollower } from './partition-follower.ts';

export type FetchResponse = ResponseOf<typeof apis.fetch>;

interface FetchInFlight {
  readonly requestId: number;
  /** Those that were not answered yet. */
  readonly unanswered: Map<string, PartitionFollower>;
}

export class ReplicaFetcher {
  readonly identity: FetcherIdentity;
  readonly #settings: FetchSettings;
  /** In the order in which the leader shall serve them. */
  readonly #followers = new Map<string, PartitionFollower>();
  readonly #writing = new Set<PartitionFollower>();
  #inFlight: FetchInFlight | null = null;
  /** When the armed timer is due; +Infinity: none is. */
  #armedForMs = Number.POSITIVE_INFINITY;

  constructor(identity: FetcherIdentity, settings: FetchSettings) {
    this.identity = identity;
    this.#settings = settings;
  }

  get followers(): Iterable<PartitionFollower> {
    return this.#followers.values();
  }

  get isEmpty(): boolean {
    return this.#followers.size === 0;
  }

  get requestInFlight(): number | null {
    return this.#inFlight?.requestId ?? null;
  }

  add(follower: PartitionFollower): void {
    this.#followers.set(keyOf(follower), follower);
    this.noteState(follower);
  }

  remove(follower: PartitionFollower): void {
    this.#writing.delete(follower);
    if (this.#followers.get(keyOf(follower)) === follower) this.#followers.delete(keyOf(follower));
  }

  noteState(follower: PartitionFollower): void {
    if (follower.isWriting) this.#writing.add(follower);
    else this.#writing.delete(follower);
  }

  timerFired(): void {
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  /** Sends the next fetch if it is time; else arms a timer for when it will be. */
  advance(
    replica: { readonly brokerId: number; readonly brokerEpoch: number },
    nextRequestId: () => number,
    moment: Moment,
    effects: FetcherEffect[],
  ): void {
    if (this.#inFlight !== null || this.#writing.size > 0) return;
    let dueAtMs = Number.POSITIVE_INFINITY;
    for (const follower of this.#followers.values()) dueAtMs = Math.min(dueAtMs, this.#dueAtMs(follower));
    if (dueAtMs > moment.monotonic) {
      this.#armTimer(dueAtMs, moment, effects);
      return;
    }
    const requestId = nextRequestId();
    const request = this.#take(requestId, replica, moment);
    effects.push({ type: 'send-fetch', fetcher: this.identity, requestId, request });
  }

  /** False: it is not the request in flight. */
  answered(requestId: number, response: FetchResponse, moment: Moment, effects: FetcherEffect[]): boolean {
    if (response.errorCode !== ErrorCode.NONE) {
      return this.failed(requestId, errorByCode(response.errorCode).name, moment, effects);
    }
    const unanswered = this.#ended(requestId);
    if (unanswered === null) return false;
    for (const { topicId, partitions } of response.responses) {
      for (const answer of partitions) {
        const key = `${topicId}:${answer.partitionIndex}`;
        const follower = unanswered.get(key);
        if (follower === undefined) continue;
        unanswered.delete(key);
        if ((answer.records?.length ?? 0) > 0) this.#moveToEnd(key, follower);
        this.#tell(key, follower, { type: 'fetched', requestId, answer }, moment, effects);
      }
    }
    for (const [key, follower] of unanswered) {
      this.#tell(key, follower, { type: 'fetch-failed', requestId }, moment, effects);
    }
    return true;
  }

  failed(requestId: number, reason: string, moment: Moment, effects: FetcherEffect[]): boolean {
    const unanswered = this.#ended(requestId);
    if (unanswered === null) return false;
    effects.push({
      type: 'fetcher-log',
      fetcher: this.identity,
      line: logLine('warn', `A fetch from broker ${this.identity.leaderId} failed: ${reason}`),
    });
    for (const [key, follower] of unanswered) {
      this.#tell(key, follower, { type: 'fetch-failed', requestId }, moment, effects);
    }
    return true;
  }

  #take(
    requestId: number,
    replica: { readonly brokerId: number; readonly brokerEpoch: number },
    moment: Moment,
  ): FetchRequest {
    const taken = new Map<string, PartitionFollower>();
    const targets: FetchTarget[] = [];
    for (const [key, follower] of this.#followers) {
      if (this.#dueAtMs(follower) > moment.monotonic) continue;
      const position = follower.takePosition(requestId);
      taken.set(key, follower);
      targets.push({ identity: follower.identity, position });
    }
    this.#inFlight = { requestId, unanswered: taken };
    return fetchRequest(replica, targets, this.#settings);
  }

  /** One that has another leader by now is about to leave this fetcher. */
  #dueAtMs(follower: PartitionFollower): number {
    return follower.leaderId === this.identity.leaderId ? follower.dueAtMs : Number.POSITIVE_INFINITY;
  }

  #ended(requestId: number): Map<string, PartitionFollower> | null {
    const inFlight = this.#inFlight;
    if (inFlight?.requestId !== requestId) return null;
    this.#inFlight = null;
    return inFlight.unanswered;
  }

  #moveToEnd(key: string, follower: PartitionFollower): void {
    if (this.#followers.get(key) !== follower) return;
    this.#followers.delete(key);
    this.#followers.set(key, follower);
  }

  #tell(
    key: string,
    follower: PartitionFollower,
    event: FollowerEvent,
    moment: Moment,
    effects: FetcherEffect[],
  ): void {
    for (const effect of follower.step(event, moment)) effects.push({ type: 'follower', follower, effect });
    if (this.#followers.get(key) === follower) this.noteState(follower);
  }

  #armTimer(dueAtMs: number, moment: Moment, effects: FetcherEffect[]): void {
    if (dueAtMs >= this.#armedForMs || dueAtMs === Number.POSITIVE_INFINITY) return;
    this.#armedForMs = dueAtMs;
    effects.push({ type: 'arm-timer', fetcher: this.identity, delayMs: dueAtMs - moment.monotonic });
  }
}

export function keyOf({ identity }: PartitionFollower): string {
  return `${identity.topicId}:${identity.partition}`;
}
