/**
 * A leading controller resigns, and says who should follow it first: in version 0 by `preferredSuccessors`, later by
 * `preferredCandidates`, which name the directories as well.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, string, uint16, uuid } from '../schema/field.ts';

export const endQuorumEpoch = defineApi({
  key: 54,
  name: 'EndQuorumEpoch',
  versions: '0-1',
  flexible: '1+',
  request: {
    clusterId: string('0+', { nullable: '0+', default: null }),
    topics: array('0+', {
      topicName: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        leaderId: int32('0+'),
        leaderEpoch: int32('0+'),
        preferredSuccessors: array('0', 'int32', { ignorable: true }),
        preferredCandidates: array(
          '1+',
          {
            candidateId: int32('1+'),
            candidateDirectoryId: uuid('1+'),
          },
          { ignorable: true },
        ),
      }),
    }),
    leaderEndpoints: array(
      '1+',
      {
        name: string('1+'),
        host: string('1+'),
        port: uint16('1+'),
      },
      { ignorable: true },
    ),
  },
  response: {
    errorCode: int16('0+'),
    topics: array('0+', {
      topicName: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        errorCode: int16('0+'),
        leaderId: int32('0+'),
        leaderEpoch: int32('0+'),
      }),
    }),
    nodeEndpoints: array(
      '1+',
      {
        nodeId: int32('1+'),
        host: string('1+'),
        port: uint16('1+'),
      },
      { tag: 0 },
    ),
  },
});
