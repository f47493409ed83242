/**
 * A leading controller resigns, and says who should follow it first: in version 0 by `preferredSuccessors`, later by
 * `preferredCandidates`, which name the directories as well.
 */
import { defineApi } from '../api.ts';
import { array, int32, string, uuid } from '../schema/field.ts';
import { leaderEndpoints, quorumEpochResponse } from './quorum-structs.ts';

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
    leaderEndpoints,
  },
  response: quorumEpochResponse,
});
