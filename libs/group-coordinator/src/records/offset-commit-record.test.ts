import { ZERO_UUID } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { bytesOf, compact, dump } from '../testing/hex.ts';
import type { CommittedOffset } from '../offsets/committed-offset.ts';
import { decodeCommittedOffset, offsetCommitRecord, offsetTombstone } from './offset-commit-record.ts';
import { splitPrefix } from './offsets-record.ts';

const committed: CommittedOffset = {
  offset: 537,
  leaderEpoch: 15,
  metadata: 'né',
  commitTimestamp: 1_700_000_000_000,
  expireTimestamp: null,
  topicId: ZERO_UUID,
};

const decode = (bytes: Uint8Array): CommittedOffset => {
  const { prefix, body } = splitPrefix(bytes);
  return decodeCommittedOffset(body, prefix);
};

const OFFSET = '0000000000000219';
const TIMESTAMP = '0000018bcfe56800';

describe('the record of a committed offset', () => {
  it('has a key of type 1: group, topic, partition', () => {
    expect(dump(offsetCommitRecord('db-writer', 'seats', 7, committed).key)).toBe(
      compact('0001  0009 64622d777269746572  0005 7365617473  00000007'),
    );
  });

  it('has a value of version 4: offset, leader epoch, compact metadata, commit time, no tagged field', () => {
    expect(dump(offsetCommitRecord('g', 't', 0, committed).value)).toBe(
      compact(`0004  ${OFFSET}  0000000f  04 6ec3a9  ${TIMESTAMP}  00`),
    );
  });

  it('carries the topic id as tagged field 0', () => {
    const topicId = 'AAECAwQFBgcICQoLDA0ODw';
    const { value } = offsetCommitRecord('g', 't', 0, { ...committed, topicId });
    expect(dump(value)).toBe(
      compact(
        `0004  ${OFFSET}  0000000f  04 6ec3a9  ${TIMESTAMP}  01 00 10 000102030405060708090a0b0c0d0e0f`,
      ),
    );
    expect(decode(value ?? bytesOf(''))).toEqual({ ...committed, topicId });
  });

  it('has a value of version 1, the one with a place for it, when the client set an expiry', () => {
    const { value } = offsetCommitRecord('g', 't', 0, {
      ...committed,
      expireTimestamp: 1_700_000_000_001,
    });
    expect(dump(value)).toBe(compact(`0001  ${OFFSET}  0003 6ec3a9  ${TIMESTAMP}  0000018bcfe56801`));
    expect(decode(value ?? bytesOf(''))).toEqual({
      ...committed,
      leaderEpoch: -1,
      expireTimestamp: 1_700_000_000_001,
    });
  });

  it.each([
    ['0', `0000  ${OFFSET}  0003 6ec3a9  ${TIMESTAMP}`, -1],
    ['1 without expiry', `0001  ${OFFSET}  0003 6ec3a9  ${TIMESTAMP}  ffffffffffffffff`, -1],
    ['2', `0002  ${OFFSET}  0003 6ec3a9  ${TIMESTAMP}`, -1],
    ['3', `0003  ${OFFSET}  0000000f  0003 6ec3a9  ${TIMESTAMP}`, 15],
    ['4', `0004  ${OFFSET}  0000000f  04 6ec3a9  ${TIMESTAMP}  00`, 15],
  ])('is read in version %s', (_version, bytes, leaderEpoch) => {
    expect(decode(bytesOf(bytes))).toEqual({ ...committed, leaderEpoch });
  });

  it('is taken back by the same key without a value', () => {
    expect(offsetTombstone('g', 't', 3)).toEqual({
      key: offsetCommitRecord('g', 't', 3, committed).key,
      value: null,
    });
  });
});
