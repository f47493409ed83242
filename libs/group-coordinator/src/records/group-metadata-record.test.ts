import { describe, expect, it } from 'vitest';
import { bytesOf, compact, dump } from '../testing/hex.ts';
import type { GroupSnapshot } from '../loading/group-snapshot.ts';
import { decodeGroupSnapshot, groupMetadataRecord, groupTombstone } from './group-metadata-record.ts';
import { splitPrefix } from './offsets-record.ts';

const snapshot: GroupSnapshot = {
  protocolType: 'consumer',
  generationId: 3,
  protocolName: 'range',
  leaderId: 'm1',
  stateTimestamp: 1_700_000_000_000,
  members: [
    {
      memberId: 'm1',
      groupInstanceId: 'till',
      clientId: 'ada',
      clientHost: '/127.0.0.1',
      rebalanceTimeoutMs: 300_000,
      sessionTimeoutMs: 45_000,
      subscription: bytesOf('010203'),
      assignment: bytesOf('0405'),
    },
  ],
};

const decode = (bytes: Uint8Array): GroupSnapshot => {
  const { prefix, body } = splitPrefix(bytes);
  return decodeGroupSnapshot(body, prefix);
};

const HEAD = '0008 636f6e73756d6572  00000003  0005 72616e6765  0002 6d31';
const TIMESTAMP = '0000018bcfe56800';
const CLIENT = '0003 616461  000a 2f3132372e302e302e31';
const BYTES = '00000003 010203  00000002 0405';

describe('the record of a group', () => {
  it('has a key of type 2: the group', () => {
    expect(dump(groupMetadataRecord('db-writer', snapshot).key)).toBe(
      compact('0002  0009 64622d777269746572'),
    );
  });

  it('has a value of version 3: generation, protocol, leader, state time, members', () => {
    expect(dump(groupMetadataRecord('g', snapshot).value)).toBe(
      compact(
        `0003  ${HEAD}  ${TIMESTAMP}  00000001  0002 6d31  0004 74696c6c  ${CLIENT}  000493e0  0000afc8  ${BYTES}`,
      ),
    );
  });

  it('says so when the group is empty', () => {
    const empty: GroupSnapshot = { ...snapshot, protocolName: null, leaderId: null, members: [] };
    const { value } = groupMetadataRecord('g', empty);
    expect(dump(value)).toBe(
      compact(`0003  0008 636f6e73756d6572  00000003  ffff  ffff  ${TIMESTAMP}  00000000`),
    );
    expect(decode(value ?? bytesOf(''))).toEqual(empty);
  });

  const member = snapshot.members[0];
  it.each([
    [
      '0: the session timeout stands in for the rebalance timeout',
      `0000  ${HEAD}  00000001  0002 6d31  ${CLIENT}  0000afc8  ${BYTES}`,
      { stateTimestamp: null },
      { groupInstanceId: null, rebalanceTimeoutMs: 45_000 },
    ],
    [
      '1',
      `0001  ${HEAD}  00000001  0002 6d31  ${CLIENT}  000493e0  0000afc8  ${BYTES}`,
      { stateTimestamp: null },
      { groupInstanceId: null },
    ],
    [
      '2',
      `0002  ${HEAD}  ${TIMESTAMP}  00000001  0002 6d31  ${CLIENT}  000493e0  0000afc8  ${BYTES}`,
      {},
      { groupInstanceId: null },
    ],
    [
      '3',
      `0003  ${HEAD}  ${TIMESTAMP}  00000001  0002 6d31  0004 74696c6c  ${CLIENT}  000493e0  0000afc8  ${BYTES}`,
      {},
      {},
    ],
    [
      '4',
      `0004  09 636f6e73756d6572  00000003  06 72616e6765  03 6d31  ${TIMESTAMP}  02  03 6d31  05 74696c6c
       04 616461  0b 2f3132372e302e302e31  000493e0  0000afc8  04 010203  03 0405  00  00`,
      {},
      {},
    ],
  ])('is read in version %s', (_version, bytes, difference, memberDifference) => {
    expect(decode(bytesOf(bytes))).toEqual({
      ...snapshot,
      ...difference,
      members: [{ ...member, ...memberDifference }],
    });
  });

  it('is taken back by the same key without a value', () => {
    expect(groupTombstone('g')).toEqual({ key: groupMetadataRecord('g', snapshot).key, value: null });
  });
});
