/**
 * A leader proposes another ISR for partitions that it leads; the controller answers with the partition as it is then.
 * From version 3 on each member goes with the epoch of the incarnation whose fetches the leader saw.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, int8, uuid } from '../schema/field.ts';

export const alterPartition = defineApi({
  key: 56,
  name: 'AlterPartition',
  versions: '2-3',
  flexible: '0+',
  request: {
    brokerId: int32('0+'),
    brokerEpoch: int64('0+', { default: -1 }),
    topics: array('0+', {
      topicId: uuid('2+', { ignorable: true }),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        leaderEpoch: int32('0+'),
        newIsr: array('0-2', 'int32'),
        newIsrWithEpochs: array('3+', {
          brokerId: int32('3+'),
          brokerEpoch: int64('3+', { default: -1 }),
        }),
        leaderRecoveryState: int8('1+', { default: 0 }),
        partitionEpoch: int32('0+'),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
    topics: array('0+', {
      topicId: uuid('2+', { ignorable: true }),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        errorCode: int16('0+'),
        leaderId: int32('0+'),
        leaderEpoch: int32('0+'),
        isr: array('0+', 'int32'),
        leaderRecoveryState: int8('1+', { default: 0, ignorable: true }),
        partitionEpoch: int32('0+'),
      }),
    }),
  },
});
