/**
 * Stores offsets as part of a transaction.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, string } from '../schema/field.ts';

export const txnOffsetCommit = defineApi({
  key: 28,
  name: 'TxnOffsetCommit',
  versions: '0-3',
  flexible: '3+',
  request: {
    transactionalId: string('0+'),
    groupId: string('0+'),
    producerId: int64('0+'),
    producerEpoch: int16('0+'),
    generationId: int32('3+', { default: -1 }),
    memberId: string('3+', { default: '' }),
    groupInstanceId: string('3+', { nullable: '3+', default: null }),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        committedOffset: int64('0+'),
        committedLeaderEpoch: int32('2+', { default: -1, ignorable: true }),
        committedMetadata: string('0+', { nullable: '0+' }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        errorCode: int16('0+'),
      }),
    }),
  },
});
