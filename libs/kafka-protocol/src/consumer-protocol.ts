/**
 * The protocol that members of a consumer group speak among themselves, inside the bytes of JoinGroup and SyncGroup:
 * each blob is a 16-bit version and a body. A version above those known here is read as the highest known one, since
 * later versions only add at the end.
 */
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { ProtocolError } from './protocol-error.ts';
import { array, bytes, int32, string } from './schema/field.ts';
import { defineRecord, type RecordInput, type RecordOf, type RecordSchema } from './schema/record-schema.ts';

/** `protocolType` of groups whose members speak this. */
export const CONSUMER_PROTOCOL_TYPE = 'consumer';

export const consumerSubscription = defineRecord({
  name: 'ConsumerProtocolSubscription',
  versions: '0-3',
  fields: {
    topics: array('0+', 'string'),
    userData: bytes('0+', { nullable: '0+', default: null }),
    ownedPartitions: array(
      '1+',
      { topic: string('1+'), partitions: array('1+', 'int32') },
      { ignorable: true },
    ),
    generationId: int32('2+', { default: -1, ignorable: true }),
    rackId: string('3+', { nullable: '3+', default: null, ignorable: true }),
  },
});

export const consumerAssignment = defineRecord({
  name: 'ConsumerProtocolAssignment',
  versions: '0-3',
  fields: {
    assignedPartitions: array('0+', { topic: string('0+'), partitions: array('0+', 'int32') }),
    userData: bytes('0+', { nullable: '0+', default: null }),
  },
});

export type ConsumerSubscription = RecordOf<typeof consumerSubscription>;
export type ConsumerAssignment = RecordOf<typeof consumerAssignment>;

export function encodeSubscription(
  subscription: RecordInput<typeof consumerSubscription>,
  version: number = consumerSubscription.maxVersion,
): Uint8Array {
  return encodeVersioned(consumerSubscription, subscription, version);
}

export function decodeSubscription(blob: Uint8Array): ConsumerSubscription {
  return decodeVersioned(consumerSubscription, blob);
}

export function encodeAssignment(
  assignment: RecordInput<typeof consumerAssignment>,
  version: number = consumerAssignment.maxVersion,
): Uint8Array {
  return encodeVersioned(consumerAssignment, assignment, version);
}

/** Empty bytes are a member without partitions: SyncGroup gives them to one that the leader left out. */
export function decodeAssignment(blob: Uint8Array): ConsumerAssignment {
  if (blob.length === 0) return { assignedPartitions: [], userData: null };
  return decodeVersioned(consumerAssignment, blob);
}

function encodeVersioned<Output, Input>(
  schema: RecordSchema<Output, Input>,
  body: Input,
  version: number,
): Uint8Array {
  const writer = new ByteWriter();
  writer.int16(version);
  schema.write(writer, body, version);
  return writer.toBytes();
}

function decodeVersioned<Output, Input>(schema: RecordSchema<Output, Input>, blob: Uint8Array): Output {
  const reader = new ByteReader(blob);
  const version = reader.int16();
  if (version < 0) throw new ProtocolError('UNSUPPORTED_VERSION', `${schema.name} version ${version}`);
  return schema.read(reader, Math.min(version, schema.maxVersion));
}
