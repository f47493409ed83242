/**
 * Carries out what this broker's replica fetchers ask for: each has a connection of its own to its leader, over which it
 * sends one Fetch at a time, and the lookups of its partitions. The fetchers themselves are `ReplicaFetchers`.
 */
import { apis, ErrorCode, type RequestInput, type ResponseOf } from '@seatlog/kafka-protocol';
import {
  type FetcherEffect,
  type FetcherIdentity,
  fetcherIdOf,
  fetcherName,
  type FetchersEvent,
  type FetchSettings,
  type FollowerEffect,
  type PartitionFollower,
  type ReplicaFetcher,
  ReplicaFetchers,
} from '@seatlog/replication';
import type { Cancel, Clock, Network, Timers } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { Peer, PeerChannel } from '../peers/peer-channel.ts';
import { peerChannel } from '../peers/peer-connections.ts';
import type { EffectOrder } from './effect-order.ts';
import type { ImageClusterView } from './image-cluster-view.ts';
import { EARLIEST_TIMESTAMP, LATEST_TIMESTAMP } from './offset-by-time.ts';

const FETCH_VERSION = 17;
const LIST_OFFSETS_VERSION = 7;

/** The partition that a follower belongs to. */
export interface FollowingPartition {
  carryOutFollower(effect: FollowerEffect): void;
}

export interface FetcherConnectionsOptions {
  readonly nodeId: number;
  readonly cluster: ImageClusterView;
  readonly order: EffectOrder;
  readonly network: Network;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** The listener on which brokers speak to each other. */
  readonly listenerName: string;
  readonly numReplicaFetchers: number;
  readonly settings: FetchSettings;
  /** `replica.socket.timeout.ms`. */
  readonly socketTimeoutMs: number;
}

/** Where a leader's log begins and ends; null: it could not be learned. */
export type LeaderOffsets = { readonly logStartOffset: number; readonly logEndOffset: number } | null;

export class FetcherConnections {
  readonly #options: FetcherConnectionsOptions;
  readonly #fetchers: ReplicaFetchers;
  readonly #partitions = new WeakMap<PartitionFollower, FollowingPartition>();
  /** By the fetcher's name. */
  readonly #channels = new Map<string, PeerChannel>();
  readonly #timers = new Map<string, Cancel>();
  #isStopped = false;

  constructor(options: FetcherConnectionsOptions) {
    this.#options = options;
    const { nodeId, cluster, numReplicaFetchers, settings } = options;
    this.#fetchers = new ReplicaFetchers({ brokerId: nodeId, cluster, numReplicaFetchers, settings });
  }

  get fetchers(): Iterable<ReplicaFetcher> {
    return this.#fetchers.fetchers;
  }

  get maxLag(): number {
    return this.#fetchers.maxLag;
  }

  /** `follow`, `unfollow` and `fetch-state-changed` of a partition. */
  noteFollower(
    type: 'follow' | 'unfollow' | 'fetch-state-changed',
    follower: PartitionFollower,
    partition: FollowingPartition,
  ): void {
    this.#partitions.set(follower, partition);
    this.#step({ type, follower });
  }

  /** Asks a partition's leader, as a replica, for the ends of its log. `done` is called once, later. */
  askLeaderOffsets(
    { identity, leaderEpoch }: PartitionFollower,
    leaderId: number,
    done: (offsets: LeaderOffsets) => void,
  ): void {
    const { numReplicaFetchers, timers } = this.#options;
    const peer = this.#peer(leaderId);
    if (peer === null) {
      timers.schedule(0, () => done(null));
      return;
    }
    const fetcherId = fetcherIdOf(identity.topic, identity.partition, numReplicaFetchers);
    const channel = this.#channelOf({ leaderId, fetcherId, name: fetcherName(fetcherId, leaderId) });
    const found: number[] = [];
    let isOver = false;
    // One partition may stand in a request once, so it takes two.
    [EARLIEST_TIMESTAMP, LATEST_TIMESTAMP].forEach((timestamp, place) => {
      const request = {
        replicaId: this.#options.nodeId,
        topics: [
          {
            name: identity.topic,
            partitions: [{ partitionIndex: identity.partition, currentLeaderEpoch: leaderEpoch, timestamp }],
          },
        ],
      };
      this.#listOffsets(channel, peer, request, (offset) => {
        if (isOver) return;
        if (offset !== null) found[place] = offset;
        const [logStartOffset, logEndOffset] = found;
        isOver = offset === null || (logStartOffset !== undefined && logEndOffset !== undefined);
        if (!isOver) return;
        done(
          logStartOffset === undefined || logEndOffset === undefined
            ? null
            : { logStartOffset, logEndOffset },
        );
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
    for (const channel of this.#channels.values()) channel.close();
    this.#timers.clear();
    this.#channels.clear();
  }

  #step(event: FetchersEvent): void {
    if (this.#isStopped) return;
    const { clock } = this.#options;
    const moment = { now: clock.now(), monotonic: clock.monotonic() };
    for (const effect of this.#fetchers.step(event, moment)) this.#carryOut(effect);
  }

  #tell(event: FetchersEvent): void {
    this.#options.order.run(() => this.#step(event));
  }

  #carryOut(effect: FetcherEffect): void {
    switch (effect.type) {
      case 'send-fetch':
        this.#fetch(effect.fetcher, effect.requestId, effect.request);
        return;
      case 'arm-timer':
        this.#arm(effect.fetcher, effect.delayMs);
        return;
      case 'follower':
        this.#partitions.get(effect.follower)?.carryOutFollower(effect.effect);
        return;
      case 'close-fetcher':
        this.#close(effect.fetcher);
        return;
      case 'fetcher-log':
        this.#options.log[effect.line.level](effect.line.message, { fetcher: effect.fetcher.name });
    }
  }

  #fetch(fetcher: FetcherIdentity, requestId: number, request: RequestInput<typeof apis.fetch>): void {
    const { timers, socketTimeoutMs } = this.#options;
    const peer = this.#peer(fetcher.leaderId);
    if (peer === null) {
      const reason = 'it has no address on the listener between brokers';
      timers.schedule(0, () => this.#tell({ type: 'fetch-failed', requestId, reason }));
      return;
    }
    this.#channelOf(fetcher).send(
      peer,
      apis.fetch,
      FETCH_VERSION,
      request,
      { timeoutMs: socketTimeoutMs },
      (outcome) =>
        this.#tell(
          outcome.kind === 'answered'
            ? { type: 'fetch-answered', requestId, response: outcome.response }
            : { type: 'fetch-failed', requestId, reason: outcome.reason },
        ),
    );
  }

  #listOffsets(
    channel: PeerChannel,
    peer: Peer,
    request: RequestInput<typeof apis.listOffsets>,
    done: (offset: number | null) => void,
  ): void {
    const timeoutMs = this.#options.socketTimeoutMs;
    channel.send(peer, apis.listOffsets, LIST_OFFSETS_VERSION, request, { timeoutMs }, (outcome) =>
      done(outcome.kind === 'answered' ? offsetIn(outcome.response) : null),
    );
  }

  #arm(fetcher: FetcherIdentity, delayMs: number): void {
    this.#timers.get(fetcher.name)?.();
    const cancel = this.#options.timers.schedule(delayMs, () => {
      this.#timers.delete(fetcher.name);
      this.#tell({ type: 'timer-fired', fetcher });
    });
    this.#timers.set(fetcher.name, cancel);
  }

  #close({ name }: FetcherIdentity): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
    this.#channels.get(name)?.close();
    this.#channels.delete(name);
  }

  #channelOf({ name, fetcherId }: FetcherIdentity): PeerChannel {
    const existing = this.#channels.get(name);
    if (existing !== undefined) return existing;
    const { nodeId, network, clock, timers, log } = this.#options;
    const clientId = `broker-${nodeId}-fetcher-${fetcherId}`;
    // The log copies what it takes before the answer's callback returns.
    const channel = peerChannel({ name, clientId, network, clock, timers, log, lendsAnswers: true });
    this.#channels.set(name, channel);
    return channel;
  }

  #peer(brokerId: number): Peer | null {
    const { cluster, listenerName } = this.#options;
    const endpoints = cluster.image.brokers.get(brokerId)?.endpoints ?? [];
    const endpoint = endpoints.find(({ name }) => name === listenerName);
    return endpoint === undefined ? null : { id: brokerId, host: endpoint.host, port: endpoint.port };
  }
}

function offsetIn({ topics }: ResponseOf<typeof apis.listOffsets>): number | null {
  const partition = topics[0]?.partitions[0];
  return partition?.errorCode === ErrorCode.NONE ? partition.offset : null;
}
