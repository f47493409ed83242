/**
 * How far a leader's high watermark may go (R7, R8).
 *
 * `heldBackBy` are the log end offsets, unknown ones as -1, of the followers that count: the maximal ISR and those that
 * are about to join. It never falls, and while the committed ISR is smaller than the minimum it does not rise either.
 */
export interface HighWatermarkInputs {
  readonly highWatermark: number;
  readonly logEndOffset: number;
  readonly heldBackBy: Iterable<number>;
  readonly isUnderMinIsr: boolean;
}

export function leaderHighWatermark(inputs: HighWatermarkInputs): number {
  const { highWatermark, logEndOffset, heldBackBy, isUnderMinIsr } = inputs;
  if (isUnderMinIsr || highWatermark >= logEndOffset) return highWatermark;
  let reached = logEndOffset;
  for (const endOffset of heldBackBy) reached = Math.min(reached, endOffset);
  return Math.max(highWatermark, reached);
}
