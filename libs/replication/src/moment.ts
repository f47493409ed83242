/**
 * Two readings of one moment. Lag and back-off go by the monotonic one, which no operator can set; the other is what
 * people read in logs.
 */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since some start; it never falls. */
  readonly monotonic: number;
}
