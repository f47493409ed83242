import type { apis, ResponseOf } from '@seatlog/kafka-protocol';

/** One partition of a Fetch response. */
export type FetchedPartition = ResponseOf<typeof apis.fetch>['responses'][number]['partitions'][number];

/** `retry`: nothing was changed, try again later; `failed`: the log takes no more. */
export type LogOutcome = 'done' | 'retry' | 'failed';

/** What happens to a partition on a broker that follows. */
export type FollowerEvent =
  /** The first event, and each time that the leader or the leader epoch is another. Leader -1: none. */
  | { readonly type: 'follow'; readonly leaderId: number; readonly leaderEpoch: number }
  | { readonly type: 'fetched'; readonly requestId: number; readonly answer: FetchedPartition }
  /** The request of that id came to nothing. */
  | { readonly type: 'fetch-failed'; readonly requestId: number }
  | { readonly type: 'appended'; readonly outcome: LogOutcome }
  | { readonly type: 'truncated'; readonly outcome: LogOutcome }
  | {
      readonly type: 'leader-offsets';
      readonly askId: number;
      readonly logStartOffset: number;
      readonly logEndOffset: number;
    }
  | { readonly type: 'leader-offsets-failed'; readonly askId: number };

/** What a follower puts into a fetch (R1). */
export interface FetchPosition {
  readonly currentLeaderEpoch: number;
  readonly fetchOffset: number;
  /** -1 for a log without epochs. */
  readonly lastFetchedEpoch: number;
  readonly logStartOffset: number;
}
