/**
 * Appends record batches to partitions: one batch a partition. With acks 0 nothing is answered.
 * Versions 0 to 2 are advertised but not served: older librdkafka turns compression off when they are missing.
 * From version 10 on a wrong leader's answer names the right one in tagged fields.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, records, string, struct } from '../schema/field.ts';

export const produce = defineApi({
  key: 0,
  name: 'Produce',
  versions: '3-11',
  flexible: '9+',
  advertisedFrom: 0,
  request: {
    transactionalId: string('3+', { nullable: '3+', default: null }),
    acks: int16('0+'),
    timeoutMs: int32('0+'),
    topicData: array('0+', {
      name: string('0-12', { ignorable: true }),
      partitionData: array('0+', {
        index: int32('0+'),
        records: records('0+', { nullable: '0+' }),
      }),
    }),
  },
  response: {
    responses: array('0+', {
      name: string('0-12', { ignorable: true }),
      partitionResponses: array('0+', {
        index: int32('0+'),
        errorCode: int16('0+'),
        baseOffset: int64('0+'),
        logAppendTimeMs: int64('2+', { default: -1, ignorable: true }),
        logStartOffset: int64('5+', { default: -1, ignorable: true }),
        recordErrors: array(
          '8+',
          {
            batchIndex: int32('8+'),
            batchIndexErrorMessage: string('8+', { nullable: '8+', default: null }),
          },
          { ignorable: true },
        ),
        errorMessage: string('8+', { nullable: '8+', default: null, ignorable: true }),
        currentLeader: struct(
          '10+',
          {
            leaderId: int32('10+', { default: -1 }),
            leaderEpoch: int32('10+', { default: -1 }),
          },
          { tag: 0 },
        ),
      }),
    }),
    throttleTimeMs: int32('1+', { default: 0, ignorable: true }),
    nodeEndpoints: array(
      '10+',
      {
        nodeId: int32('10+'),
        host: string('10+'),
        port: int32('10+'),
        rack: string('10+', { nullable: '10+', default: null }),
      },
      { tag: 0 },
    ),
  },
});
