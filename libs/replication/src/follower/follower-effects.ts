/**
 * What a follower asks of its caller, to be carried out in order and before the next event.
 *
 * - `append`: append the leader's batches as they are; `appended` comes back once.
 * - `truncate`, `restart-log`: cut the log at the offset, or drop it all and begin there; `truncated` comes back once,
 *   when it is on disk. Later epochs leave the epoch cache even when the log stays as it is.
 * - `update-high-watermark`, `raise-log-start`: tell the log.
 * - `ask-leader-offsets`: ask the leader where its log begins and ends (ListOffsets, as a replica); `leader-offsets` or
 *   `leader-offsets-failed` comes back once.
 * - `fetch-state-changed`: tell the broker's `ReplicaFetchers`.
 */
import type { LogLine } from '../log-line.ts';
import type { WakeFetches } from '../waiting-fetches.ts';

export type FollowerEffect =
  | { readonly type: 'append'; readonly records: Uint8Array }
  | { readonly type: 'truncate'; readonly offset: number }
  | { readonly type: 'restart-log'; readonly offset: number }
  | { readonly type: 'update-high-watermark'; readonly highWatermark: number }
  | { readonly type: 'raise-log-start'; readonly logStartOffset: number }
  | { readonly type: 'ask-leader-offsets'; readonly leaderId: number; readonly askId: number }
  | { readonly type: 'fetch-state-changed' }
  | WakeFetches
  | LogLine;
