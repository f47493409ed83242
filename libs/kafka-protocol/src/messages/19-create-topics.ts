/**
 * Creates topics; −1 partitions or replicas ask for the defaults (from version 4 on).
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int8, string, uuid } from '../schema/field.ts';

export const createTopics = defineApi({
  key: 19,
  name: 'CreateTopics',
  versions: '2-7',
  flexible: '5+',
  request: {
    topics: array('0+', {
      name: string('0+'),
      numPartitions: int32('0+'),
      replicationFactor: int16('0+'),
      assignments: array('0+', {
        partitionIndex: int32('0+'),
        brokerIds: array('0+', 'int32'),
      }),
      configs: array('0+', {
        name: string('0+'),
        value: string('0+', { nullable: '0+' }),
      }),
    }),
    timeoutMs: int32('0+', { default: 60000 }),
    validateOnly: boolean('1+', { default: false }),
  },
  response: {
    throttleTimeMs: int32('2+', { ignorable: true }),
    topics: array('0+', {
      name: string('0+'),
      topicId: uuid('7+', { ignorable: true }),
      errorCode: int16('0+'),
      errorMessage: string('1+', { nullable: '0+', ignorable: true }),
      topicConfigErrorCode: int16('5+', { tag: 0, ignorable: true }),
      numPartitions: int32('5+', { default: -1, ignorable: true }),
      replicationFactor: int16('5+', { default: -1, ignorable: true }),
      configs: array(
        '5+',
        {
          name: string('5+'),
          value: string('5+', { nullable: '5+' }),
          readOnly: boolean('5+'),
          configSource: int8('5+', { default: -1, ignorable: true }),
          isSensitive: boolean('5+'),
        },
        { nullable: '5+', ignorable: true },
      ),
    }),
  },
});
