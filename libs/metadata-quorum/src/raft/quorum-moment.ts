/** Two readings of one moment: deadlines go by the monotonic one; the other is what people read in descriptions. */
export interface QuorumMoment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since some start; it never falls. */
  readonly monotonic: number;
}
