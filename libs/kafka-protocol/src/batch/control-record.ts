/**
 * Control records: what a log says about itself. Key and value are small schemas of their own. A transaction's end is
 * one such record in a control batch; the quorum's leader changes are another kind.
 */
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import { array, int16, int32, uuid } from '../schema/field.ts';
import { defineRecord, type RecordOf } from '../schema/record-schema.ts';
import { RecordBatchWriter } from './record-batch-writer.ts';

/** Types in the key of a control record. */
export const ControlType = Object.freeze({
  abort: 0,
  commit: 1,
  leaderChange: 2,
  snapshotHeader: 3,
  snapshotFooter: 4,
  quorumVersion: 5,
  voters: 6,
} as const);

const KEY_VERSION = 0;
const MARKER_VERSION = 0;

const endTransactionMarker = defineRecord({
  name: 'EndTransactionMarker',
  versions: '0',
  fields: { coordinatorEpoch: int32('0+') },
});

export const leaderChangeMessage = defineRecord({
  name: 'LeaderChangeMessage',
  versions: '0-1',
  flexible: '0+',
  fields: {
    version: int16('0+'),
    leaderId: int32('0+'),
    voters: array('0+', { voterId: int32('0+'), voterDirectoryId: uuid('1+') }),
    grantingVoters: array('0+', { voterId: int32('0+'), voterDirectoryId: uuid('1+') }),
  },
});

export type LeaderChangeMessage = RecordOf<typeof leaderChangeMessage>;

export function encodeControlKey(type: number): Uint8Array {
  const writer = new ByteWriter(4);
  writer.int16(KEY_VERSION);
  writer.int16(type);
  return writer.toBytes();
}

/** Type of a control record, by its key. Readers skip types that they do not know. */
export function decodeControlType(key: Uint8Array): number {
  const reader = new ByteReader(key);
  reader.int16();
  return reader.int16();
}

/** Value of an abort or commit marker, its version in front. */
export function encodeEndTransactionMarker(coordinatorEpoch: number): Uint8Array {
  const writer = new ByteWriter(6);
  writer.int16(MARKER_VERSION);
  endTransactionMarker.write(writer, { coordinatorEpoch }, MARKER_VERSION);
  return writer.toBytes();
}

export function decodeEndTransactionMarker(value: Uint8Array): { coordinatorEpoch: number } {
  const reader = new ByteReader(value);
  reader.int16();
  return endTransactionMarker.read(reader, MARKER_VERSION);
}

export interface TransactionMarker {
  readonly outcome: 'abort' | 'commit';
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly coordinatorEpoch: number;
  readonly timestamp: number;
}

/** The control batch that ends a producer's transaction in a partition. */
export function encodeTransactionMarker(marker: TransactionMarker): Uint8Array {
  const writer = new RecordBatchWriter({ initialBytes: 128 });
  writer.append(
    marker.timestamp,
    encodeControlKey(ControlType[marker.outcome]),
    encodeEndTransactionMarker(marker.coordinatorEpoch),
  );
  return writer.seal({
    producerId: marker.producerId,
    producerEpoch: marker.producerEpoch,
    isTransactional: true,
    isControl: true,
  });
}
