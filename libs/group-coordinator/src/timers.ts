/** The timers of the coordinator, by name: arming one that is armed replaces it. */
export type TimerName =
  /** The end of the time to join. */
  | { readonly kind: 'rebalance'; readonly groupId: string }
  /** The end of the time to ask for the assignment of a generation. */
  | { readonly kind: 'sync'; readonly groupId: string }
  /** The end of a member's session, or of the life of a member id that nobody joined with. */
  | { readonly kind: 'session'; readonly groupId: string; readonly memberId: string }
  /** The end of the time for a write to be replicated. */
  | { readonly kind: 'append'; readonly appendId: number };

/** A text that is the same for equal names only: group ids may hold any character. */
export function timerKey(timer: TimerName): string {
  if (timer.kind === 'append') return `append:${timer.appendId}`;
  if (timer.kind === 'session') {
    return `session:${timer.groupId.length}:${timer.groupId}:${timer.memberId}`;
  }
  return `${timer.kind}:${timer.groupId}`;
}
