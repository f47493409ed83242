/**
 * The partitions that are on their way to other replicas, with the replicas that come and those that go.
 * Null asks for all topics.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, string } from '../schema/field.ts';

export const listPartitionReassignments = defineApi({
  key: 46,
  name: 'ListPartitionReassignments',
  versions: '0',
  flexible: '0+',
  request: {
    timeoutMs: int32('0+', { default: 60_000 }),
    topics: array(
      '0+',
      {
        name: string('0+'),
        partitionIndexes: array('0+', 'int32'),
      },
      { nullable: '0+', default: null },
    ),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
    errorMessage: string('0+', { nullable: '0+' }),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        replicas: array('0+', 'int32'),
        addingReplicas: array('0+', 'int32'),
        removingReplicas: array('0+', 'int32'),
      }),
    }),
  },
});
