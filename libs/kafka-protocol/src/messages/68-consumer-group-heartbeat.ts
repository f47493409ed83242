/**
 * The one request of groups whose coordinator assigns the partitions: a member joins, owns, subscribes and leaves by it, and
 * learns what it shall own. What did not change since the last one is null.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, string, struct, uuid } from '../schema/field.ts';

const topicPartitions = {
  topicId: uuid('0+'),
  partitions: array('0+', 'int32'),
} as const;

export const consumerGroupHeartbeat = defineApi({
  key: 68,
  name: 'ConsumerGroupHeartbeat',
  versions: '0-1',
  flexible: '0+',
  request: {
    groupId: string('0+'),
    memberId: string('0+'),
    memberEpoch: int32('0+'),
    instanceId: string('0+', { nullable: '0+', default: null }),
    rackId: string('0+', { nullable: '0+', default: null }),
    rebalanceTimeoutMs: int32('0+', { default: -1 }),
    subscribedTopicNames: array('0+', 'string', { nullable: '0+', default: null }),
    subscribedTopicRegex: string('1+', { nullable: '1+', default: null }),
    serverAssignor: string('0+', { nullable: '0+', default: null }),
    topicPartitions: array('0+', topicPartitions, { nullable: '0+', default: null }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
    errorMessage: string('0+', { nullable: '0+', default: null }),
    memberId: string('0+', { nullable: '0+', default: null }),
    memberEpoch: int32('0+'),
    heartbeatIntervalMs: int32('0+'),
    assignment: struct(
      '0+',
      { topicPartitions: array('0+', topicPartitions) },
      { nullable: '0+', default: null },
    ),
  },
});
