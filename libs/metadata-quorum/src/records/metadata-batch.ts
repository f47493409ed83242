/**
 * Batches of the metadata log: Kafka record batches whose records have no key and a framed metadata record as value,
 * and control batches.
 *
 * A decision's records are one batch: it is in the log as a whole or not at all, so no image shows half a topic.
 */
import {
  batchBaseOffset,
  batchesIn,
  batchIsControl,
  batchLastOffset,
  batchMaxTimestamp,
  batchPartitionLeaderEpoch,
  decodeControlType,
  decodeRecords,
  encodeControlKey,
  ProtocolError,
  RecordBatchWriter,
} from '@seatlog/kafka-protocol';
import { MetadataError } from '../metadata-error.ts';
import type { QuorumControlRecord } from './control-records.ts';
import { decodeControlRecord, encodeControlRecord } from './control-records.ts';
import type { MetadataRecord } from './metadata-record.ts';
import { decodeMetadataRecord, encodeMetadataRecord } from './record-frame.ts';

interface BatchPlace {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly epoch: number;
  readonly timestamp: number;
}

export interface RecordsBatch extends BatchPlace {
  readonly kind: 'metadata';
  readonly records: readonly MetadataRecord[];
}

export interface ControlBatch extends BatchPlace {
  readonly kind: 'control';
  readonly records: readonly QuorumControlRecord[];
}

export type MetadataBatch = RecordsBatch | ControlBatch;

export interface BatchStamp {
  readonly baseOffset: number;
  readonly epoch: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
}

/** A batch must not be larger: readers keep it in memory as a whole. Enough for a million changed partitions. */
export const MAX_METADATA_BATCH_BYTES = 64 * 1024 * 1024;

export function encodeMetadataBatch(records: readonly MetadataRecord[], stamp: BatchStamp): Uint8Array {
  const writer = new RecordBatchWriter({ maxBytes: MAX_METADATA_BATCH_BYTES });
  for (const record of records) {
    if (writer.append(stamp.timestamp, null, encodeMetadataRecord(record))) continue;
    throw new RangeError(
      `${records.length} metadata records do not fit in ${MAX_METADATA_BATCH_BYTES} bytes`,
    );
  }
  return writer.seal({ baseOffset: stamp.baseOffset, partitionLeaderEpoch: stamp.epoch });
}

export function encodeControlBatch(records: readonly QuorumControlRecord[], stamp: BatchStamp): Uint8Array {
  const writer = new RecordBatchWriter();
  for (const record of records) {
    const { type, value } = encodeControlRecord(record);
    writer.append(stamp.timestamp, encodeControlKey(type), value);
  }
  return writer.seal({ baseOffset: stamp.baseOffset, partitionLeaderEpoch: stamp.epoch, isControl: true });
}

/** The whole batches in a range of the log. Their checksums are the log's matter. */
export function decodeMetadataBatches(bytes: Uint8Array): readonly MetadataBatch[] {
  try {
    return [...batchesIn(bytes)].map(decodeBatch);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new MetadataError('MALFORMED_RECORD', `a metadata batch cannot be read: ${error.message}`, error);
  }
}

function decodeBatch(batch: Uint8Array): MetadataBatch {
  const place: BatchPlace = {
    baseOffset: batchBaseOffset(batch),
    lastOffset: batchLastOffset(batch),
    epoch: batchPartitionLeaderEpoch(batch),
    timestamp: batchMaxTimestamp(batch),
  };
  const records = decodeRecords(batch);
  if (batchIsControl(batch)) {
    const control = records.map(({ key, value }) => {
      if (key === null || value === null) throw malformed(place, 'a control record without key or value');
      return decodeControlRecord(decodeControlType(key), value);
    });
    return { kind: 'control', ...place, records: control };
  }
  const metadata = records.map(({ value }) => {
    if (value === null) throw malformed(place, 'a record without value');
    return decodeMetadataRecord(value);
  });
  return { kind: 'metadata', ...place, records: metadata };
}

function malformed(place: BatchPlace, what: string): MetadataError {
  return new MetadataError(
    'MALFORMED_RECORD',
    `the metadata batch at offset ${place.baseOffset} holds ${what}`,
  );
}
