/**
 * The fetchers of one broker: which partition belongs to which (R1), and what each of them does next.
 *
 *     follow               a partition has this leader from now on; it leaves the fetcher that it was with
 *     unfollow             a partition is led here, or gone
 *     fetch-state-changed  a partition may be fetched, or waits
 *     fetch-answered, fetch-failed, timer-fired
 *
 * Expects of the caller that a follower has been told (`follow`) before it is given here, and that request ids are
 * answered once; late answers of requests that nobody waits for any more do no harm.
 */
import type { ClusterView } from '../cluster-view.ts';
import { NO_LEADER } from '../cluster-view.ts';
import type { Moment } from '../moment.ts';
import { fetcherIdOf, fetcherName } from './fetcher-assignment.ts';
import type { FetcherEffect, FetcherIdentity } from './fetcher-effects.ts';
import type { FetchSettings } from './fetch-request.ts';
import type { PartitionFollower } from './partition-follower.ts';
import { type FetchResponse, keyOf, ReplicaFetcher } from './replica-fetcher.ts';

export type FetchersEvent =
  | { readonly type: 'follow'; readonly follower: PartitionFollower }
  | { readonly type: 'unfollow'; readonly follower: PartitionFollower }
  | { readonly type: 'fetch-state-changed'; readonly follower: PartitionFollower }
  | { readonly type: 'fetch-answered'; readonly requestId: number; readonly response: FetchResponse }
  | { readonly type: 'fetch-failed'; readonly requestId: number; readonly reason: string }
  | { readonly type: 'timer-fired'; readonly fetcher: FetcherIdentity };

export interface ReplicaFetchersOptions {
  readonly brokerId: number;
  readonly cluster: ClusterView;
  /** `num.replica.fetchers`. */
  readonly numReplicaFetchers: number;
  readonly settings: FetchSettings;
}

export class ReplicaFetchers {
  readonly #options: ReplicaFetchersOptions;
  /** By name. */
  readonly #fetchers = new Map<string, ReplicaFetcher>();
  readonly #fetcherOf = new Map<string, ReplicaFetcher>();
  #lastRequestId = 0;
  readonly #nextRequestId = (): number => ++this.#lastRequestId;

  constructor(options: ReplicaFetchersOptions) {
    this.#options = options;
  }

  get fetchers(): Iterable<ReplicaFetcher> {
    return this.#fetchers.values();
  }

  /** R30: the greatest lag of all partitions that are followed. */
  get maxLag(): number {
    let max = 0;
    for (const fetcher of this.#fetchers.values()) {
      for (const follower of fetcher.followers) max = Math.max(max, follower.lag);
    }
    return max;
  }

  step(event: FetchersEvent, moment: Moment): readonly FetcherEffect[] {
    const effects: FetcherEffect[] = [];
    for (const fetcher of this.#take(event, moment, effects)) {
      if (fetcher.isEmpty) this.#close(fetcher, effects);
      else this.#advance(fetcher, moment, effects);
    }
    return effects;
  }

  /** The fetchers that the event concerns. */
  #take(event: FetchersEvent, moment: Moment, effects: FetcherEffect[]): readonly ReplicaFetcher[] {
    switch (event.type) {
      case 'follow':
        return this.#assign(event.follower);
      case 'unfollow':
        return this.#release(event.follower);
      case 'fetch-state-changed': {
        const fetcher = this.#fetcherOf.get(keyOf(event.follower));
        fetcher?.noteState(event.follower);
        return fetcher === undefined ? [] : [fetcher];
      }
      case 'fetch-answered': {
        const fetcher = this.#sender(event.requestId);
        fetcher?.answered(event.requestId, event.response, moment, effects);
        return fetcher === undefined ? [] : [fetcher];
      }
      case 'fetch-failed': {
        const fetcher = this.#sender(event.requestId);
        fetcher?.failed(event.requestId, event.reason, moment, effects);
        return fetcher === undefined ? [] : [fetcher];
      }
      case 'timer-fired': {
        const fetcher = this.#fetchers.get(event.fetcher.name);
        fetcher?.timerFired();
        return fetcher === undefined ? [] : [fetcher];
      }
    }
  }

  #assign(follower: PartitionFollower): readonly ReplicaFetcher[] {
    const left = this.#release(follower);
    if (follower.leaderId === NO_LEADER) return left;
    const joined = this.#fetcherFor(follower);
    joined.add(follower);
    this.#fetcherOf.set(keyOf(follower), joined);
    return [...new Set([...left, joined])];
  }

  #release(follower: PartitionFollower): readonly ReplicaFetcher[] {
    const fetcher = this.#fetcherOf.get(keyOf(follower));
    if (fetcher === undefined) return [];
    fetcher.remove(follower);
    this.#fetcherOf.delete(keyOf(follower));
    return [fetcher];
  }

  #fetcherFor({ identity, leaderId }: PartitionFollower): ReplicaFetcher {
    const fetcherId = fetcherIdOf(identity.topic, identity.partition, this.#options.numReplicaFetchers);
    const name = fetcherName(fetcherId, leaderId);
    const existing = this.#fetchers.get(name);
    if (existing !== undefined) return existing;
    const fetcher = new ReplicaFetcher({ name, leaderId, fetcherId }, this.#options.settings);
    this.#fetchers.set(name, fetcher);
    return fetcher;
  }

  #sender(requestId: number): ReplicaFetcher | undefined {
    return this.#fetchers.values().find((fetcher) => fetcher.requestInFlight === requestId);
  }

  #close(fetcher: ReplicaFetcher, effects: FetcherEffect[]): void {
    this.#fetchers.delete(fetcher.identity.name);
    effects.push({ type: 'close-fetcher', fetcher: fetcher.identity });
  }

  #advance(fetcher: ReplicaFetcher, moment: Moment, effects: FetcherEffect[]): void {
    const { brokerId, cluster } = this.#options;
    const replica = { brokerId, brokerEpoch: cluster.brokerEpoch };
    fetcher.advance(replica, this.#nextRequestId, moment, effects);
  }
}
