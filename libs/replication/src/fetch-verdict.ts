/** How far a read may go: followers to the log end, consumers to the high watermark or the last stable offset (R5). */
export type ReadBound = 'log-end' | 'high-watermark' | 'last-stable';

/** One partition of a Fetch, as its replica judges it. */
export interface FetchLook {
  /** A broker id for a follower, -1 for a consumer. */
  readonly replicaId: number;
  /** The follower's incarnation; -1 for a consumer. */
  readonly brokerEpoch: number;
  /** -1 where the sender does not say. */
  readonly currentLeaderEpoch: number;
  readonly fetchOffset: number;
  /** -1 where the sender does not say. */
  readonly lastFetchedEpoch: number;
  /** Of the follower's log; -1 for a consumer. */
  readonly logStartOffset: number;
  readonly isReadCommitted: boolean;
  /** Whether the version and a rack allow a consumer to read from a follower (Fetch 11 and later). */
  readonly mayReadFromFollower: boolean;
}

export interface CurrentLeader {
  /** -1 if none. */
  readonly leaderId: number;
  readonly leaderEpoch: number;
}

export type FetchVerdict =
  /** `currentLeader` where the sender asked the wrong broker, or at the wrong time. */
  | { readonly kind: 'refused'; readonly errorCode: number; readonly currentLeader: CurrentLeader | null }
  /** The sender's history is not this replica's: answer with this and no records. It is no report of the follower. */
  | { readonly kind: 'diverging'; readonly epoch: number; readonly endOffset: number }
  | { readonly kind: 'read'; readonly bound: ReadBound };

export const CONSUMER = -1;

export function refused(errorCode: number, currentLeader: CurrentLeader | null = null): FetchVerdict {
  return { kind: 'refused', errorCode, currentLeader };
}
