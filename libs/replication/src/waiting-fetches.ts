/**
 * Which parked fetches an event concerns (R6). A follower reads to the log end and waits for appends; a consumer reads
 * to the high watermark and waits for that; `all` when the partition can no longer be read as before.
 */
export type WaitingFetches = 'log-end' | 'high-watermark' | 'all';

export interface WakeFetches {
  readonly type: 'wake-fetches';
  readonly whose: WaitingFetches;
}

export function wakeFetches(whose: WaitingFetches): WakeFetches {
  return { type: 'wake-fetches', whose };
}
