/** Batches of an answer, with what came with them. */
export interface FetchedRecords {
  readonly records: Uint8Array;
  readonly leaderHighWatermark: number;
  readonly leaderLogStart: number;
}

/**
 * What a follower is at. One of these at a time; `PartitionFollower` makes all changes.
 *
 * `superseded`: the leader or its epoch changed while the log was being written; when that is done it starts over.
 */
export type FetchState =
  /** Nobody leads. */
  | { readonly kind: 'leaderless' }
  /** May go into the next fetch. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'fetching'; readonly requestId: number; readonly fetchOffset: number }
  | {
      readonly kind: 'appending';
      readonly leaderHighWatermark: number;
      readonly leaderLogStart: number;
      readonly superseded: boolean;
    }
  | {
      readonly kind: 'truncating';
      /** To notice a truncation that changes nothing, which the next fetch would only repeat. */
      readonly endOffsetBefore: number;
      readonly latestEpochBefore: number;
      /** What goes into the log when it begins anew. */
      readonly afterwards: FetchedRecords | null;
      readonly superseded: boolean;
    }
  | { readonly kind: 'asking-offsets'; readonly askId: number }
  | { readonly kind: 'delayed'; readonly untilMs: number }
  /** The leader is of a later epoch: newer metadata is on its way. */
  | { readonly kind: 'fenced' }
  /** The log takes no more. */
  | { readonly kind: 'failed' };
