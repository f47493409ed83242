/**
 * What a broker's fetchers ask of their caller, in order.
 *
 * - `send-fetch`: to the leader, over the fetcher's own connection; `fetch-answered` or `fetch-failed` comes back once.
 * - `arm-timer`: give `timer-fired` back after the delay, in place of an earlier timer of that fetcher.
 * - `follower`: carry out what the partition's follower asks for.
 * - `close-fetcher`: it serves no partition any more; its connection and timer may go.
 */
import type { LogLine } from '../log-line.ts';
import type { FetchRequest } from './fetch-request.ts';
import type { FollowerEffect } from './follower-effects.ts';
import type { PartitionFollower } from './partition-follower.ts';

export interface FetcherIdentity {
  /** `ReplicaFetcherThread-<fetcher id>-<leader id>`. */
  readonly name: string;
  readonly leaderId: number;
  readonly fetcherId: number;
}

export type FetcherEffect =
  | {
      readonly type: 'send-fetch';
      readonly fetcher: FetcherIdentity;
      readonly requestId: number;
      readonly request: FetchRequest;
    }
  | { readonly type: 'arm-timer'; readonly fetcher: FetcherIdentity; readonly delayMs: number }
  | { readonly type: 'follower'; readonly follower: PartitionFollower; readonly effect: FollowerEffect }
  | { readonly type: 'close-fetcher'; readonly fetcher: FetcherIdentity }
  | { readonly type: 'fetcher-log'; readonly fetcher: FetcherIdentity; readonly line: LogLine };
