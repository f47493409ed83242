/** Batches of the simulated metadata log: records as objects, and the image after them, worked out once for all nodes. */
import {
  type ClusterImage,
  foldAll,
  type LeaderChange,
  type LogBatch,
  type MetadataRecord,
} from '@seatlog/metadata-quorum';

export interface SimulatedBatch extends LogBatch {
  readonly records: readonly MetadataRecord[];
  readonly leaderChange: LeaderChange | null;
}

const BATCH_BYTES = 100;

export function metadataBatch(
  baseOffset: number,
  epoch: number,
  records: readonly MetadataRecord[],
): SimulatedBatch {
  const lastOffset = baseOffset + records.length - 1;
  return { baseOffset, lastOffset, epoch, sizeInBytes: BATCH_BYTES, records, leaderChange: null };
}

export function leaderChangeBatch(
  baseOffset: number,
  epoch: number,
  leaderChange: LeaderChange,
): SimulatedBatch {
  return { baseOffset, lastOffset: baseOffset, epoch, sizeInBytes: BATCH_BYTES, records: [], leaderChange };
}

interface Folded {
  readonly before: ClusterImage;
  readonly after: ClusterImage;
}

const folded = new WeakMap<SimulatedBatch, Folded>();

/** The image with the batch in it. Nodes that hold the same batch on the same image hold the same image after it. */
export function imageAfter(before: ClusterImage, batch: SimulatedBatch): ClusterImage {
  const known = folded.get(batch);
  if (known?.before === before) return known.after;
  if (batch.baseOffset !== before.lastOffset + 1) {
    throw new Error(`metadata offset ${batch.baseOffset} is applied behind ${before.lastOffset}`);
  }
  const after = foldAll(before, batch.records, batch.lastOffset, batch.epoch);
  folded.set(batch, { before, after });
  return after;
}
