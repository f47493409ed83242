/** Steps over the batches that lie one behind the other in a range of bytes: a fetched part of a log, a segment. */
import {
  batchCrc,
  batchMagic,
  batchSizeInBytes,
  computeBatchCrc,
  CURRENT_MAGIC,
  RECORD_BATCH_OVERHEAD,
} from './batch-header.ts';

/** What stands at a position: a whole batch, one whose end is missing, or bytes that cannot be a batch. */
export type BatchState = 'whole' | 'torn' | 'invalid';

/** Looks at length and magic only. A torn batch may also be one whose length field is damaged. */
export function batchStateAt(bytes: Uint8Array, position: number, end: number = bytes.length): BatchState {
  const left = end - position;
  if (left < RECORD_BATCH_OVERHEAD) return 'torn';
  const size = batchSizeInBytes(bytes, position);
  if (size < RECORD_BATCH_OVERHEAD || batchMagic(bytes, position) !== CURRENT_MAGIC) return 'invalid';
  return size <= left ? 'whole' : 'torn';
}

/** Whether the batch's checksum fits its bytes. The whole batch must be there. */
export function batchCrcMatches(bytes: Uint8Array, position = 0): boolean {
  return batchCrc(bytes, position) === computeBatchCrc(bytes, position);
}

export interface BatchScan {
  /** Where the scan stopped: everything before it is whole batches. */
  readonly end: number;
  /** What stands there: nothing (`whole`), a torn batch, or bytes that cannot be one. */
  readonly tail: BatchState;
}

/**
 * Visits the whole batches of `bytes[start, end)` in order, up to the first one that is torn, invalid or (if asked)
 * fails its checksum, or until `visit` returns false.
 */
export function scanBatches(
  bytes: Uint8Array,
  visit: (position: number, size: number) => boolean | void,
  options: { readonly start?: number; readonly end?: number; readonly verifyCrc?: boolean } = {},
): BatchScan {
  const { start = 0, end = bytes.length, verifyCrc = false } = options;
  let position = start;
  while (position < end) {
    const state = batchStateAt(bytes, position, end);
    if (state !== 'whole') return { end: position, tail: state };
    if (verifyCrc && !batchCrcMatches(bytes, position)) return { end: position, tail: 'invalid' };
    const size = batchSizeInBytes(bytes, position);
    if (visit(position, size) === false) break;
    position += size;
  }
  return { end: position, tail: 'whole' };
}

/** The whole batches as views; a torn or invalid tail is left out, as a consumer does with a fetch that was cut short. */
export function* batchesIn(bytes: Uint8Array): Generator<Uint8Array> {
  let position = 0;
  while (batchStateAt(bytes, position) === 'whole') {
    const size = batchSizeInBytes(bytes, position);
    yield bytes.subarray(position, position + size);
    position += size;
  }
}
