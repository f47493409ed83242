import { isSound, type StoredBatch } from './stored-batch.ts';

/** The batches' bytes behind one another; of one alone its own, which nobody changes. */
export function bytesOf(batches: readonly StoredBatch[]): Uint8Array {
  const [first] = batches;
  if (batches.length === 1 && first !== undefined) return first.bytes;
  const given = new Uint8Array(batches.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let at = 0;
  for (const { bytes } of batches) {
    given.set(bytes, at);
    at += bytes.length;
  }
  return given;
}

/** How many of the batches a start keeps: those up to the first gap, or the first damage that it looks for. */
export function keptBatches(batches: readonly StoredBatch[], start: number, trustedEnd: number): number {
  let kept = 0;
  let expected = start;
  for (const batch of batches) {
    const isNext = kept === 0 ? batch.baseOffset <= expected : batch.baseOffset === expected;
    if (!isNext || (batch.lastOffset >= trustedEnd && !isSound(batch))) break;
    expected = batch.lastOffset + 1;
    kept += 1;
  }
  return kept;
}

/** The place of the batch that holds the offset, or of the first one behind it. */
export function placeIn(batches: readonly StoredBatch[], offset: number): number {
  let low = 0;
  let high = batches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((batches[middle] as StoredBatch).lastOffset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
