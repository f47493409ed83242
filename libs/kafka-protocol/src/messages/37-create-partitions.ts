/**
 * Raises the number of partitions of topics.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, string } from '../schema/field.ts';

export const createPartitions = defineApi({
  key: 37,
  name: 'CreatePartitions',
  versions: '0-3',
  flexible: '2+',
  request: {
    topics: array('0+', {
      name: string('0+'),
      count: int32('0+'),
      assignments: array(
        '0+',
        {
          brokerIds: array('0+', 'int32'),
        },
        { nullable: '0+' },
      ),
    }),
    timeoutMs: int32('0+'),
    validateOnly: boolean('0+'),
  },
  response: {
    throttleTimeMs: int32('0+'),
    results: array('0+', {
      name: string('0+'),
      errorCode: int16('0+'),
      errorMessage: string('0+', { nullable: '0+', default: null }),
    }),
  },
});
