/**
 * Adds partitions to a transaction, one transactional id a request. Version 4, several at once, is a matter between
 * brokers and is not on offer: clients would pick it.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, string } from '../schema/field.ts';

export const addPartitionsToTxn = defineApi({
  key: 24,
  name: 'AddPartitionsToTxn',
  versions: '0-3',
  flexible: '3+',
  request: {
    v3AndBelowTransactionalId: string('0-3'),
    v3AndBelowProducerId: int64('0-3'),
    v3AndBelowProducerEpoch: int16('0-3'),
    v3AndBelowTopics: array('0-3', {
      name: string('0+'),
      partitions: array('0+', 'int32'),
    }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    resultsByTopicV3AndBelow: array('0-3', {
      name: string('0+'),
      resultsByPartition: array('0+', {
        partitionIndex: int32('0+'),
        partitionErrorCode: int16('0+'),
      }),
    }),
  },
});
