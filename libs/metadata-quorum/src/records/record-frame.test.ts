import { describe, expect, it } from 'vitest';
import { UNASSIGNED_DIRECTORY } from './metadata-record.ts';
import type { MetadataRecord } from './metadata-record.ts';
import { brokerRegistrationChange, partitionChange } from './metadata-record.ts';
import { decodeMetadataRecord, encodeMetadataRecord } from './record-frame.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');

const topicId = 'AAECAwQFBgcICQoLDA0ODw';
const topicIdHex = '000102030405060708090a0b0c0d0e0f';

/** Laid out by hand from Kafka's schemas: frame version, type, version, body. */
const vectors: readonly (readonly [string, MetadataRecord, string])[] = [
  ['a topic', { type: 'TopicRecord', name: 'foo', topicId }, `01 02 00 04666f6f ${topicIdHex} 00`],
  ['the end of a topic', { type: 'RemoveTopicRecord', topicId }, `01 09 00 ${topicIdHex} 00`],
  [
    'a partition',
    {
      type: 'PartitionRecord',
      partitionId: 1,
      topicId,
      replicas: [1, 2],
      isr: [1],
      removingReplicas: [],
      addingReplicas: [],
      leader: 1,
      leaderRecoveryState: 0,
      leaderEpoch: 4,
      partitionEpoch: 5,
      directories: [UNASSIGNED_DIRECTORY, UNASSIGNED_DIRECTORY],
      eligibleLeaderReplicas: [2],
      lastKnownElr: null,
    },
    `01 03 02 00000001 ${topicIdHex} 03 00000001 00000002 02 00000001 01 01 00000001 00000004 00000005
     03 00000000000000000000000000000001 00000000000000000000000000000001 01 01 05 02 00000002`.replace(
      /\s+/g,
      '',
    ),
  ],
  [
    'a change of a partition',
    partitionChange(topicId, 1, { isr: [1], leader: 1 }),
    `01 05 02 00000001 ${topicIdHex} 02 00 05 02 00000001 01 04 00000001`,
  ],
  [
    'a config',
    { type: 'ConfigRecord', resourceType: 2, resourceName: 'a', name: 'k', value: 'v' },
    '01 04 00 02 0261 026b 0276 00',
  ],
  [
    'the end of a config',
    { type: 'ConfigRecord', resourceType: 4, resourceName: '', name: 'k', value: null },
    '01 04 00 04 01 026b 00 00',
  ],
  ['a feature', { type: 'FeatureLevelRecord', name: 'f', featureLevel: 29 }, '01 0c 00 0266 001d 00'],
  [
    'producer ids',
    { type: 'ProducerIdsRecord', brokerId: 1, brokerEpoch: 7, nextProducerId: 1000 },
    '01 0f 00 00000001 0000000000000007 00000000000003e8 00',
  ],
  [
    'a fenced broker',
    brokerRegistrationChange(3, 9, { fenced: 1 }),
    '01 11 02 00000003 0000000000000009 01 00 01 01',
  ],
  ['nothing', { type: 'NoOpRecord' }, '01 14 00 00'],
];

describe('metadata records', () => {
  it.each(vectors)('writes %s as Kafka does, and reads it back', (_what, record, expected) => {
    expect(hex(encodeMetadataRecord(record))).toBe(expected.replaceAll(' ', ''));
    expect(decodeMetadataRecord(bytes(expected))).toEqual(record);
  });

  it('reads records of earlier versions, with what they lack as it was by default', () => {
    const value = bytes(
      `01 03 00 00000000 ${topicIdHex} 02 00000001 02 00000001 01 01 00000001 00000000 00000000 00`,
    );
    expect(decodeMetadataRecord(value)).toMatchObject({
      replicas: [1],
      directories: [],
      eligibleLeaderReplicas: null,
    });
  });

  it.each([
    ['a type it does not know', '01 7f 00 00'],
    ['a version it does not know', '01 02 09 00'],
    ['a frame it does not know', '02 02 00 00'],
  ])('refuses %s with UNKNOWN_RECORD', (_what, value) => {
    expect(() => decodeMetadataRecord(bytes(value))).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_RECORD' }),
    );
  });

  it.each([
    ['no bytes', ''],
    ['half a record', '01 02 00 04666f'],
  ])('refuses %s with MALFORMED_RECORD', (_what, value) => {
    expect(() => decodeMetadataRecord(bytes(value))).toThrow(
      expect.objectContaining({ code: 'MALFORMED_RECORD' }),
    );
  });
});
