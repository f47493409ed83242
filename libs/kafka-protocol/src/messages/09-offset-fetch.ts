/**
 * Reads a group's offsets: `groupId` and `topics` up to version 7, several `groups` from version 8 on. Null topics ask
 * for all. A partition without a committed offset is −1 with empty metadata and no error.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int64, string } from '../schema/field.ts';

export const offsetFetch = defineApi({
  key: 9,
  name: 'OffsetFetch',
  versions: '1-9',
  flexible: '6+',
  request: {
    groupId: string('0-7'),
    topics: array(
      '0-7',
      {
        name: string('0-7'),
        partitionIndexes: array('0-7', 'int32'),
      },
      { nullable: '2-7' },
    ),
    groups: array('8+', {
      groupId: string('8+'),
      memberId: string('9+', { nullable: '9+', default: null, ignorable: true }),
      memberEpoch: int32('9+', { default: -1, ignorable: true }),
      topics: array(
        '8+',
        {
          name: string('8-9', { ignorable: true }),
          partitionIndexes: array('8+', 'int32'),
        },
        { nullable: '8+' },
      ),
    }),
    requireStable: boolean('7+', { default: false }),
  },
  response: {
    throttleTimeMs: int32('3+', { ignorable: true }),
    topics: array('0-7', {
      name: string('0-7'),
      partitions: array('0-7', {
        partitionIndex: int32('0-7'),
        committedOffset: int64('0-7'),
        committedLeaderEpoch: int32('5-7', { default: -1, ignorable: true }),
        metadata: string('0-7', { nullable: '0-7' }),
        errorCode: int16('0-7'),
      }),
    }),
    errorCode: int16('2-7', { default: 0, ignorable: true }),
    groups: array('8+', {
      groupId: string('8+'),
      topics: array('8+', {
        name: string('8-9', { ignorable: true }),
        partitions: array('8+', {
          partitionIndex: int32('8+'),
          committedOffset: int64('8+'),
          committedLeaderEpoch: int32('8+', { default: -1, ignorable: true }),
          metadata: string('8+', { nullable: '8+' }),
          errorCode: int16('8+'),
        }),
      }),
      errorCode: int16('8+', { default: 0 }),
    }),
  },
});
