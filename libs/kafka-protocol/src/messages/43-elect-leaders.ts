/**
 * Elects leaders at once: type 0 gives partitions back to their preferred replica, type 1 gives partitions without
 * a leader to any live replica, whatever it has missed. Null asks for all partitions.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int8, string } from '../schema/field.ts';

export const electLeaders = defineApi({
  key: 43,
  name: 'ElectLeaders',
  versions: '0-2',
  flexible: '2+',
  request: {
    electionType: int8('1+'),
    topicPartitions: array(
      '0+',
      {
        topic: string('0+'),
        partitions: array('0+', 'int32'),
      },
      { nullable: '0+' },
    ),
    timeoutMs: int32('0+', { default: 60_000 }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('1+'),
    replicaElectionResults: array('0+', {
      topic: string('0+'),
      partitionResult: array('0+', {
        partitionId: int32('0+'),
        errorCode: int16('0+'),
        errorMessage: string('0+', { nullable: '0+' }),
      }),
    }),
  },
});
