/** Kafka's metadata records about topics and their partitions. */
import { defineRecord, field } from '@seatlog/kafka-protocol';

const { array, int32, int8, string, uuid } = field;

export const topicRecord = defineRecord({
  name: 'TopicRecord',
  apiKey: 2,
  versions: '0',
  flexible: '0+',
  fields: { name: string('0+'), topicId: uuid('0+') },
});

export const partitionRecord = defineRecord({
  name: 'PartitionRecord',
  apiKey: 3,
  versions: '0-2',
  flexible: '0+',
  fields: {
    partitionId: int32('0+', { default: -1 }),
    topicId: uuid('0+'),
    replicas: array('0+', 'int32'),
    isr: array('0+', 'int32'),
    removingReplicas: array('0+', 'int32'),
    addingReplicas: array('0+', 'int32'),
    leader: int32('0+', { default: -1 }),
    leaderRecoveryState: int8('0+', { default: 0, tag: 0 }),
    leaderEpoch: int32('0+', { default: -1 }),
    partitionEpoch: int32('0+', { default: -1 }),
    directories: array('1+', 'uuid'),
    eligibleLeaderReplicas: array('2+', 'int32', { nullable: '2+', default: null, tag: 1 }),
    lastKnownElr: array('2+', 'int32', { nullable: '2+', default: null, tag: 2 }),
  },
});

export const partitionChangeRecord = defineRecord({
  name: 'PartitionChangeRecord',
  apiKey: 5,
  versions: '0-2',
  flexible: '0+',
  fields: {
    partitionId: int32('0+', { default: -1 }),
    topicId: uuid('0+'),
    isr: array('0+', 'int32', { nullable: '0+', default: null, tag: 0 }),
    leader: int32('0+', { default: -2, tag: 1 }),
    replicas: array('0+', 'int32', { nullable: '0+', default: null, tag: 2 }),
    removingReplicas: array('0+', 'int32', { nullable: '0+', default: null, tag: 3 }),
    addingReplicas: array('0+', 'int32', { nullable: '0+', default: null, tag: 4 }),
    leaderRecoveryState: int8('0+', { default: -1, tag: 5 }),
    eligibleLeaderReplicas: array('2+', 'int32', { nullable: '2+', default: null, tag: 6 }),
    lastKnownElr: array('2+', 'int32', { nullable: '2+', default: null, tag: 7 }),
    directories: array('1+', 'uuid', { nullable: '1+', default: null, tag: 8 }),
  },
});

export const removeTopicRecord = defineRecord({
  name: 'RemoveTopicRecord',
  apiKey: 9,
  versions: '0',
  flexible: '0+',
  fields: { topicId: uuid('0+') },
});

export const clearElrRecord = defineRecord({
  name: 'ClearElrRecord',
  apiKey: 28,
  versions: '0',
  flexible: '0+',
  fields: { topicName: string('0+') },
});
