/**
 * How far a leader's high watermark may be: the least log end offset of the in-sync replicas, and never beyond what it
 * was while the ISR is smaller than the minimum (R7, R8). Pure.
 */
export interface HighWatermarkInputs {
  readonly highWatermark: number;
  /** Log end offsets of the in-sync replicas, the leader's own among them. */
  readonly logEndOffsets: readonly number[];
  readonly replicaCount: number;
  readonly minInsyncReplicas: number;
}

export function leaderHighWatermark(inputs: HighWatermarkInputs): number {
  const { highWatermark, logEndOffsets, replicaCount, minInsyncReplicas } = inputs;
  if (logEndOffsets.length < Math.min(minInsyncReplicas, replicaCount)) return highWatermark;
  return Math.max(highWatermark, Math.min(...logEndOffsets));
}
