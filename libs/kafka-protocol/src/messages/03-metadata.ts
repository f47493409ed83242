/**
 * Brokers, topics, partition leaders. Version 0 asks for all topics with an empty list, later versions with null;
 * an empty list then asks for none. From version 9 on clients take leader epochs at their word, from 10 on topics
 * have ids, and version 12 asks by id (name null).
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, string, uuid } from '../schema/field.ts';

export const metadata = defineApi({
  key: 3,
  name: 'Metadata',
  versions: '0-12',
  flexible: '9+',
  request: {
    topics: array(
      '0+',
      {
        topicId: uuid('10+', { ignorable: true }),
        name: string('0+', { nullable: '10+' }),
      },
      { nullable: '1+' },
    ),
    allowAutoTopicCreation: boolean('4+', { default: true }),
    includeClusterAuthorizedOperations: boolean('8-10'),
    includeTopicAuthorizedOperations: boolean('8+'),
  },
  response: {
    throttleTimeMs: int32('3+', { ignorable: true }),
    brokers: array('0+', {
      nodeId: int32('0+'),
      host: string('0+'),
      port: int32('0+'),
      rack: string('1+', { nullable: '1+', default: null, ignorable: true }),
    }),
    clusterId: string('2+', { nullable: '2+', default: null, ignorable: true }),
    controllerId: int32('1+', { default: -1, ignorable: true }),
    topics: array('0+', {
      errorCode: int16('0+'),
      name: string('0+', { nullable: '12+' }),
      topicId: uuid('10+', { ignorable: true }),
      isInternal: boolean('1+', { default: false, ignorable: true }),
      partitions: array('0+', {
        errorCode: int16('0+'),
        partitionIndex: int32('0+'),
        leaderId: int32('0+'),
        leaderEpoch: int32('7+', { default: -1, ignorable: true }),
        replicaNodes: array('0+', 'int32'),
        isrNodes: array('0+', 'int32'),
        offlineReplicas: array('5+', 'int32', { ignorable: true }),
      }),
      topicAuthorizedOperations: int32('8+', { default: -2147483648 }),
    }),
    clusterAuthorizedOperations: int32('8-10', { default: -2147483648 }),
  },
});
