/**
 * Committed batches, applied to an image in the order of the log.
 *
 * Records between a BeginTransactionRecord and its end are held back until the end has come, and dropped if it is an
 * abort: then and only then does the image move past them.
 */
import type { ClusterImage } from '../image/cluster-image.ts';
import { emptyImage } from '../image/cluster-image.ts';
import { foldAll } from '../image/image-draft.ts';
import { MetadataError } from '../metadata-error.ts';
import type { MetadataBatch, RecordsBatch } from '../records/metadata-batch.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';

export class MetadataReplay {
  #image: ClusterImage;
  /** The records of an open transaction; null outside of one. */
  #held: MetadataRecord[] | null = null;
  #nextOffset: number;
  #lastTimestamp: number;

  /** Goes on after `image`, the empty one unless a snapshot gave another. */
  constructor(image: ClusterImage = emptyImage, lastTimestamp = -1) {
    this.#image = image;
    this.#nextOffset = image.lastOffset + 1;
    this.#lastTimestamp = lastTimestamp;
  }

  get image(): ClusterImage {
    return this.#image;
  }

  /** The offset that the next batch must begin with. */
  get nextOffset(): number {
    return this.#nextOffset;
  }

  /** The timestamp of the last batch applied; -1 if none was. */
  get lastTimestamp(): number {
    return this.#lastTimestamp;
  }

  apply(batch: MetadataBatch): void {
    if (batch.baseOffset !== this.#nextOffset) {
      throw new MetadataError(
        'FOLD_MISMATCH',
        `offset ${this.#nextOffset} of the metadata log should come next, and ${batch.baseOffset} came`,
      );
    }
    this.#nextOffset = batch.lastOffset + 1;
    this.#lastTimestamp = batch.timestamp;
    const ready = batch.kind === 'metadata' ? this.#withoutHeld(batch) : [];
    if (this.#held === null) this.#image = foldAll(this.#image, ready, batch.lastOffset, batch.epoch);
  }

  /** What of a batch's records may be applied with its end, in order. */
  #withoutHeld(batch: RecordsBatch): readonly MetadataRecord[] {
    const { records, baseOffset, epoch } = batch;
    if (this.#held === null && !records.some(({ type }) => type === 'BeginTransactionRecord')) return records;
    let ready: MetadataRecord[] = [];
    for (const [index, record] of records.entries()) {
      switch (record.type) {
        case 'BeginTransactionRecord':
          // The image stands still from here on, so what came before is applied now.
          this.#image = foldAll(this.#image, ready, baseOffset + index - 1, epoch);
          ready = [];
          this.#held = [];
          break;
        case 'EndTransactionRecord':
          ready.push(...(this.#held ?? []));
          this.#held = null;
          break;
        case 'AbortTransactionRecord':
          this.#held = null;
          break;
        default:
          (this.#held ?? ready).push(record);
      }
    }
    return ready;
  }
}
