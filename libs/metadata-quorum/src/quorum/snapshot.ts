/**
 * Snapshots of the metadata log: an image as a file that takes the place of the log up to an offset.
 *
 * The file is named after the offset and the epoch that it reaches, `%020d-%010d.checkpoint`, and holds batches with
 * offsets of their own from 0 on: a header, the records of the image, a footer. Without the footer it is not whole.
 */
import { batchRecordCount, scanBatches } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '../image/cluster-image.ts';
import { emptyImage } from '../image/cluster-image.ts';
import { foldAll } from '../image/image-draft.ts';
import { imageRecords } from '../image/image-records.ts';
import { MetadataError } from '../metadata-error.ts';
import { decodeMetadataBatches, encodeControlBatch, encodeMetadataBatch } from '../records/metadata-batch.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';

export interface SnapshotId {
  /** The first offset that is not in the snapshot. */
  readonly endOffset: number;
  /** The epoch of the last record that is in it. */
  readonly epoch: number;
}

export const SNAPSHOT_SUFFIX = '.checkpoint';

const RECORDS_PER_BATCH = 1000;

export function snapshotId(image: ClusterImage): SnapshotId {
  return { endOffset: image.lastOffset + 1, epoch: image.lastEpoch };
}

export function snapshotFileName({ endOffset, epoch }: SnapshotId): string {
  return `${String(endOffset).padStart(20, '0')}-${String(epoch).padStart(10, '0')}${SNAPSHOT_SUFFIX}`;
}

/** Null if the name is not that of a snapshot. */
export function parseSnapshotFileName(name: string): SnapshotId | null {
  const match = /^(\d{20})-(\d{10})\.checkpoint$/.exec(name);
  return match === null ? null : { endOffset: Number(match[1]), epoch: Number(match[2]) };
}

/** The file's bytes, in pieces. `lastTimestamp`: when the last record in the image was appended to the log. */
export function encodeSnapshot(image: ClusterImage, lastTimestamp: number): readonly Uint8Array[] {
  const batches: Uint8Array[] = [];
  let baseOffset = 0;
  const stamp = () => ({ baseOffset, epoch: image.lastEpoch, timestamp: lastTimestamp });
  batches.push(
    encodeControlBatch([{ type: 'SnapshotHeader', lastContainedLogTimestamp: lastTimestamp }], stamp()),
  );
  baseOffset += 1;
  let records: MetadataRecord[] = [];
  const writeRecords = (): void => {
    if (records.length === 0) return;
    batches.push(encodeMetadataBatch(records, stamp()));
    baseOffset += records.length;
    records = [];
  };
  for (const record of imageRecords(image)) {
    records.push(record);
    if (records.length === RECORDS_PER_BATCH) writeRecords();
  }
  writeRecords();
  batches.push(encodeControlBatch([{ type: 'SnapshotFooter' }], stamp()));
  return batches;
}

export interface LoadedSnapshot {
  readonly image: ClusterImage;
  readonly lastTimestamp: number;
}

/** Throws `MetadataError`: INCOMPLETE_SNAPSHOT for a file that was cut or damaged. */
export function decodeSnapshot(bytes: Uint8Array, id: SnapshotId): LoadedSnapshot {
  const { end } = scanBatches(bytes, (position) => batchRecordCount(bytes, position) > 0, {
    verifyCrc: true,
  });
  if (end !== bytes.length) throw incomplete(id, `it cannot be read from byte ${end} on`);
  const batches = decodeMetadataBatches(bytes);
  const [header] = batches;
  const [headerRecord] = header?.kind === 'control' ? header.records : [];
  if (headerRecord?.type !== 'SnapshotHeader') throw incomplete(id, 'it has no header');
  const last = batches.at(-1);
  if (last?.kind !== 'control' || last.records.at(-1)?.type !== 'SnapshotFooter') {
    throw incomplete(id, 'it has no footer');
  }
  const records = batches.flatMap((batch) => (batch.kind === 'metadata' ? batch.records : []));
  return {
    image: foldAll(emptyImage, records, id.endOffset - 1, id.epoch),
    lastTimestamp: headerRecord.lastContainedLogTimestamp,
  };
}

function incomplete(id: SnapshotId, what: string): MetadataError {
  return new MetadataError('INCOMPLETE_SNAPSHOT', `snapshot ${snapshotFileName(id)} is not whole: ${what}`);
}
