/**
 * The voters and observers of the metadata log, and how far each has come.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, string, uint16, uuid } from '../schema/field.ts';

const replicaState = {
  replicaId: int32('0+'),
  replicaDirectoryId: uuid('2+'),
  logEndOffset: int64('0+'),
  lastFetchTimestamp: int64('1+', { default: -1, ignorable: true }),
  lastCaughtUpTimestamp: int64('1+', { default: -1, ignorable: true }),
} as const;

export const describeQuorum = defineApi({
  key: 55,
  name: 'DescribeQuorum',
  versions: '0-2',
  flexible: '0+',
  request: {
    topics: array('0+', {
      topicName: string('0+'),
      partitions: array('0+', { partitionIndex: int32('0+') }),
    }),
  },
  response: {
    errorCode: int16('0+'),
    errorMessage: string('2+', { nullable: '2+', ignorable: true }),
    topics: array('0+', {
      topicName: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        errorCode: int16('0+'),
        errorMessage: string('2+', { nullable: '2+', ignorable: true }),
        leaderId: int32('0+'),
        leaderEpoch: int32('0+'),
        highWatermark: int64('0+'),
        currentVoters: array('0+', replicaState),
        observers: array('0+', replicaState),
      }),
    }),
    nodes: array('2+', {
      nodeId: int32('2+'),
      listeners: array('2+', {
        name: string('2+'),
        host: string('2+'),
        port: uint16('2+'),
      }),
    }),
  },
});
