/**
 * A metadata record as the value of a log record: frame version, type and version as unsigned varints, then the body.
 */
import { ByteReader, ByteWriter, ProtocolError, type RecordSchema } from '@seatlog/kafka-protocol';
import { MetadataError } from '../metadata-error.ts';
import {
  brokerRegistrationChangeRecord,
  fenceBrokerRecord,
  registerBrokerRecord,
  registerControllerRecord,
  unfenceBrokerRecord,
  unregisterBrokerRecord,
} from './broker-records.ts';
import {
  abortTransactionRecord,
  beginTransactionRecord,
  configRecord,
  endTransactionRecord,
  featureLevelRecord,
  noOpRecord,
  producerIdsRecord,
} from './cluster-records.ts';
import type { MetadataRecord, MetadataRecordType } from './metadata-record.ts';
import {
  clearElrRecord,
  partitionChangeRecord,
  partitionRecord,
  removeTopicRecord,
  topicRecord,
} from './topic-records.ts';

const FRAME_VERSION = 1;

type OfType<Type extends MetadataRecordType> = Extract<MetadataRecord, { readonly type: Type }>;

interface RecordKind<Rec extends MetadataRecord> {
  readonly key: number;
  /** The version in which records are written at the metadata level of this release. */
  readonly version: number;
  supports(version: number): boolean;
  write(writer: ByteWriter, record: Rec): void;
  read(reader: ByteReader, version: number): MetadataRecord;
}

function kind<Type extends MetadataRecordType>(
  type: Type,
  schema: RecordSchema<Omit<OfType<Type>, 'type'>, OfType<Type>>,
): RecordKind<OfType<Type>> {
  const version = schema.maxVersion;
  return {
    key: schema.apiKey ?? -1,
    version,
    supports: (wanted) => wanted >= schema.minVersion && wanted <= version,
    write: (writer, record) => schema.write(writer, record, version),
    // The schema gives every field of the record but its type, which is added here.
    read: (reader, wanted) => ({ type, ...schema.read(reader, wanted) }) as MetadataRecord,
  };
}

const kinds: { readonly [Type in MetadataRecordType]: RecordKind<OfType<Type>> } = {
  RegisterBrokerRecord: kind('RegisterBrokerRecord', registerBrokerRecord),
  UnregisterBrokerRecord: kind('UnregisterBrokerRecord', unregisterBrokerRecord),
  FenceBrokerRecord: kind('FenceBrokerRecord', fenceBrokerRecord),
  UnfenceBrokerRecord: kind('UnfenceBrokerRecord', unfenceBrokerRecord),
  BrokerRegistrationChangeRecord: kind('BrokerRegistrationChangeRecord', brokerRegistrationChangeRecord),
  TopicRecord: kind('TopicRecord', topicRecord),
  PartitionRecord: kind('PartitionRecord', partitionRecord),
  PartitionChangeRecord: kind('PartitionChangeRecord', partitionChangeRecord),
  RemoveTopicRecord: kind('RemoveTopicRecord', removeTopicRecord),
  ClearElrRecord: kind('ClearElrRecord', clearElrRecord),
  ConfigRecord: kind('ConfigRecord', configRecord),
  FeatureLevelRecord: kind('FeatureLevelRecord', featureLevelRecord),
  ProducerIdsRecord: kind('ProducerIdsRecord', producerIdsRecord),
  RegisterControllerRecord: kind('RegisterControllerRecord', registerControllerRecord),
  NoOpRecord: kind('NoOpRecord', noOpRecord),
  BeginTransactionRecord: kind('BeginTransactionRecord', beginTransactionRecord),
  EndTransactionRecord: kind('EndTransactionRecord', endTransactionRecord),
  AbortTransactionRecord: kind('AbortTransactionRecord', abortTransactionRecord),
};

const kindsByKey: ReadonlyMap<number, RecordKind<MetadataRecord>> = new Map(
  Object.values(kinds).map((each) => [each.key, each]),
);

/** The value of a log record. */
export function encodeMetadataRecord(record: MetadataRecord): Uint8Array {
  const recordKind: RecordKind<MetadataRecord> = kinds[record.type];
  const writer = new ByteWriter();
  writer.unsignedVarint(FRAME_VERSION);
  writer.unsignedVarint(recordKind.key);
  writer.unsignedVarint(recordKind.version);
  recordKind.write(writer, record);
  return writer.toBytes();
}

/** The record in the value of a log record. Throws `MetadataError`: UNKNOWN_RECORD, MALFORMED_RECORD. */
export function decodeMetadataRecord(value: Uint8Array): MetadataRecord {
  try {
    const reader = new ByteReader(value);
    const frameVersion = reader.unsignedVarint();
    if (frameVersion !== FRAME_VERSION) throw unknown(`frame version ${frameVersion}`);
    const key = reader.unsignedVarint();
    const version = reader.unsignedVarint();
    const recordKind = kindsByKey.get(key);
    if (recordKind === undefined) throw unknown(`record type ${key}`);
    if (!recordKind.supports(version)) throw unknown(`version ${version} of record type ${key}`);
    return recordKind.read(reader, version);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new MetadataError('MALFORMED_RECORD', `a metadata record cannot be read: ${error.message}`, error);
  }
}

function unknown(what: string): MetadataError {
  return new MetadataError(
    'UNKNOWN_RECORD',
    `the metadata log holds ${what}, which this release does not know: it comes from a later metadata.version, ` +
      'or from what is not served here (quotas, access control); only what wrote the log can open it',
  );
}
