/**
 * Topics with their partitions, in pages: what Metadata tells and the eligible leaders besides. No topics asks for all.
 * An answer that is not the whole says with its cursor where the next one begins.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, string, struct, uuid } from '../schema/field.ts';

const cursor = {
  topicName: string('0+'),
  partitionIndex: int32('0+'),
} as const;

export const describeTopicPartitions = defineApi({
  key: 75,
  name: 'DescribeTopicPartitions',
  versions: '0',
  flexible: '0+',
  request: {
    topics: array('0+', { name: string('0+') }),
    responsePartitionLimit: int32('0+', { default: 2000 }),
    cursor: struct('0+', cursor, { nullable: '0+', default: null }),
  },
  response: {
    throttleTimeMs: int32('0+', { ignorable: true }),
    topics: array('0+', {
      errorCode: int16('0+'),
      name: string('0+', { nullable: '0+' }),
      topicId: uuid('0+', { ignorable: true }),
      isInternal: boolean('0+', { default: false, ignorable: true }),
      partitions: array('0+', {
        errorCode: int16('0+'),
        partitionIndex: int32('0+'),
        leaderId: int32('0+'),
        leaderEpoch: int32('0+', { default: -1, ignorable: true }),
        replicaNodes: array('0+', 'int32'),
        isrNodes: array('0+', 'int32'),
        eligibleLeaderReplicas: array('0+', 'int32', { nullable: '0+', default: null }),
        lastKnownElr: array('0+', 'int32', { nullable: '0+', default: null }),
        offlineReplicas: array('0+', 'int32', { ignorable: true }),
      }),
      topicAuthorizedOperations: int32('0+', { default: -2147483648 }),
    }),
    nextCursor: struct('0+', cursor, { nullable: '0+', default: null }),
  },
});
