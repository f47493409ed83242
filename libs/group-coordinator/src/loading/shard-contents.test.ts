import { ZERO_UUID } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import type { CommittedOffset } from '../offsets/committed-offset.ts';
import { groupMetadataRecord, groupTombstone } from '../records/group-metadata-record.ts';
import { offsetCommitRecord, offsetTombstone } from '../records/offset-commit-record.ts';
import type { OffsetsRecord } from '../records/offsets-record.ts';
import { ShardContents } from './shard-contents.ts';

const at = (offset: number): CommittedOffset => ({
  offset,
  leaderEpoch: -1,
  metadata: '',
  commitTimestamp: 1,
  expireTimestamp: null,
  topicId: ZERO_UUID,
});

const fold = (...records: readonly OffsetsRecord[]): ShardContents => {
  const contents = new ShardContents();
  for (const { key, value } of records) contents.fold(key, value);
  return contents;
};

const emptyGroup = (generationId: number) => ({
  protocolType: 'consumer',
  generationId,
  protocolName: null,
  leaderId: null,
  stateTimestamp: 1,
  members: [],
});

describe('reading a partition of __consumer_offsets back', () => {
  it('K11: counts five commits on two keys, and the last of each key holds', () => {
    const contents = fold(
      offsetCommitRecord('db-writer', 'seats', 0, at(1)),
      offsetCommitRecord('db-writer', 'seats', 1, at(10)),
      offsetCommitRecord('db-writer', 'seats', 0, at(2)),
      offsetCommitRecord('db-writer', 'seats', 0, at(3)),
      offsetCommitRecord('db-writer', 'seats', 1, at(11)),
    );
    expect(contents.summary()).toMatchObject({ records: 5, commits: 5, uniqueKeys: 2, offsets: 2 });
    expect(contents.offsets.get('db-writer', 'seats', 0)?.offset).toBe(3);
    expect(contents.offsets.get('db-writer', 'seats', 1)?.offset).toBe(11);
  });

  it('keeps apart keys whose texts run into each other', () => {
    const contents = fold(
      offsetCommitRecord('a', 'b:c', 0, at(1)),
      offsetCommitRecord('a:b', 'c', 0, at(2)),
      offsetCommitRecord('1:a', 'b', 1, at(3)),
    );
    expect(contents.summary()).toMatchObject({ commits: 3, uniqueKeys: 3, offsets: 3 });
  });

  it('takes back what a tombstone names, and keeps what was committed after it', () => {
    const contents = fold(
      offsetCommitRecord('g', 't', 0, at(1)),
      offsetCommitRecord('g', 't', 1, at(1)),
      offsetTombstone('g', 't', 0),
      offsetTombstone('g', 't', 1),
      offsetCommitRecord('g', 't', 1, at(9)),
      groupMetadataRecord('g', emptyGroup(1)),
      groupTombstone('g'),
      groupMetadataRecord('h', emptyGroup(4)),
    );
    expect(contents.offsets.get('g', 't', 0)).toBeUndefined();
    expect(contents.offsets.get('g', 't', 1)?.offset).toBe(9);
    expect([...contents.groups.keys()]).toEqual(['h']);
  });

  it('reads offsets under the key type of old brokers', () => {
    const { key, value } = offsetCommitRecord('g', 't', 0, at(5));
    const oldKey = new Uint8Array(key);
    oldKey[1] = 0;
    const contents = new ShardContents();
    contents.fold(oldKey, value);
    expect(contents.offsets.get('g', 't', 0)?.offset).toBe(5);
  });

  it('passes over records of other kinds and counts those that it cannot read', () => {
    const contents = fold(
      { key: Uint8Array.of(0, 3, 0, 1, 103), value: Uint8Array.of(0, 0) },
      { key: Uint8Array.of(0, 2, 0, 1, 103), value: Uint8Array.of(0, 9) },
      { key: Uint8Array.of(0), value: null },
      offsetCommitRecord('g', 't', 0, at(5)),
    );
    contents.fold(null, Uint8Array.of(1));
    expect(contents.summary()).toMatchObject({ records: 5, commits: 1, skipped: 2, unreadable: 2 });
    expect(contents.summary().firstProblem).toMatch(/GroupMetadataValue/);
  });

  it('keeps no view of the bytes it reads', () => {
    const { key, value } = groupMetadataRecord('g', {
      ...emptyGroup(1),
      members: [
        {
          memberId: 'm',
          groupInstanceId: null,
          clientId: 'c',
          clientHost: '/h',
          rebalanceTimeoutMs: 1,
          sessionTimeoutMs: 1,
          subscription: Uint8Array.of(1, 2),
          assignment: Uint8Array.of(3, 4),
        },
      ],
    });
    const contents = fold({ key, value });
    value?.fill(0);
    expect(contents.groups.get('g')?.members[0]).toMatchObject({
      subscription: Uint8Array.of(1, 2),
      assignment: Uint8Array.of(3, 4),
    });
  });
});
