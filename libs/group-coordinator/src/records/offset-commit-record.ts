/**
 * The record of one committed offset, in Kafka's format. The key is type 1 (type 0, the same fields, is read as
 * well); the value is version 4, or version 1 when the commit brought an expiry of its own, the only version with a
 * place for it. Versions 0 to 4 are read.
 */
import { defineRecord, field } from '@seatlog/kafka-protocol';
import type { CommittedOffset } from '../offsets/committed-offset.ts';
import { keyWithType, type OffsetsRecord, valueWithVersion } from './offsets-record.ts';

export const LEGACY_OFFSET_COMMIT_KEY_TYPE = 0;
export const OFFSET_COMMIT_KEY_TYPE = 1;

const VALUE_VERSION = 4;
/** The one version that carries an expiry; it has neither leader epoch nor topic id. */
const VALUE_VERSION_WITH_EXPIRY = 1;

export const offsetCommitKey = defineRecord({
  name: 'OffsetCommitKey',
  apiKey: OFFSET_COMMIT_KEY_TYPE,
  versions: '0',
  fields: { group: field.string('0+'), topic: field.string('0+'), partition: field.int32('0+') },
});

export const offsetCommitValue = defineRecord({
  name: 'OffsetCommitValue',
  apiKey: OFFSET_COMMIT_KEY_TYPE,
  versions: '0-4',
  flexible: '4+',
  fields: {
    offset: field.int64('0+'),
    leaderEpoch: field.int32('3+', { default: -1, ignorable: true }),
    metadata: field.string('0+'),
    commitTimestamp: field.int64('0+'),
    expireTimestamp: field.int64('1', { default: -1, ignorable: true }),
    topicId: field.uuid('4+', { tag: 0, ignorable: true }),
  },
});

function encodeOffsetCommitKey(groupId: string, topic: string, partition: number): Uint8Array {
  return keyWithType(OFFSET_COMMIT_KEY_TYPE, offsetCommitKey, { group: groupId, topic, partition });
}

export function offsetCommitRecord(
  groupId: string,
  topic: string,
  partition: number,
  committed: CommittedOffset,
): OffsetsRecord {
  const version = committed.expireTimestamp === null ? VALUE_VERSION : VALUE_VERSION_WITH_EXPIRY;
  return {
    key: encodeOffsetCommitKey(groupId, topic, partition),
    value: valueWithVersion(version, offsetCommitValue, {
      offset: committed.offset,
      leaderEpoch: committed.leaderEpoch,
      metadata: committed.metadata,
      commitTimestamp: committed.commitTimestamp,
      expireTimestamp: committed.expireTimestamp ?? -1,
      topicId: committed.topicId,
    }),
  };
}

export function offsetTombstone(groupId: string, topic: string, partition: number): OffsetsRecord {
  return { key: encodeOffsetCommitKey(groupId, topic, partition), value: null };
}

export function decodeCommittedOffset(body: Uint8Array, version: number): CommittedOffset {
  const value = offsetCommitValue.decode(body, version);
  return {
    offset: value.offset,
    leaderEpoch: value.leaderEpoch,
    metadata: value.metadata,
    commitTimestamp: value.commitTimestamp,
    expireTimestamp: value.expireTimestamp === -1 ? null : value.expireTimestamp,
    topicId: value.topicId,
  };
}
