/**
 * A broker tells the controller in which of its directories replicas lie. The id of zeros that ends with a two stands for a
 * directory that is lost: what lies there neither leads nor is in sync.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, uuid } from '../schema/field.ts';

export const assignReplicasToDirs = defineApi({
  key: 73,
  name: 'AssignReplicasToDirs',
  versions: '0',
  flexible: '0+',
  request: {
    brokerId: int32('0+'),
    brokerEpoch: int64('0+', { default: -1 }),
    directories: array('0+', {
      id: uuid('0+'),
      topics: array('0+', {
        topicId: uuid('0+'),
        partitions: array('0+', { partitionIndex: int32('0+') }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
    directories: array('0+', {
      id: uuid('0+'),
      topics: array('0+', {
        topicId: uuid('0+'),
        partitions: array('0+', {
          partitionIndex: int32('0+'),
          errorCode: int16('0+'),
        }),
      }),
    }),
  },
});
