/**
 * Stores a group's offsets: the next to read, per partition.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, string } from '../schema/field.ts';

export const offsetCommit = defineApi({
  key: 8,
  name: 'OffsetCommit',
  versions: '2-9',
  flexible: '8+',
  request: {
    groupId: string('0+'),
    generationIdOrMemberEpoch: int32('1+', { default: -1, ignorable: true }),
    memberId: string('1+', { ignorable: true }),
    groupInstanceId: string('7+', { nullable: '7+', default: null }),
    retentionTimeMs: int64('2-4', { default: -1, ignorable: true }),
    topics: array('0+', {
      name: string('0-9', { ignorable: true }),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        committedOffset: int64('0+'),
        committedLeaderEpoch: int32('6+', { default: -1, ignorable: true }),
        committedMetadata: string('0+', { nullable: '0+' }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32('3+', { ignorable: true }),
    topics: array('0+', {
      name: string('0-9', { ignorable: true }),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        errorCode: int16('0+'),
      }),
    }),
  },
});
