/**
 * A controller that was elected tells the voters that it leads. Version 0 has the plain encoding.
 */
import { defineApi } from '../api.ts';
import { array, int32, string, uuid } from '../schema/field.ts';
import { leaderEndpoints, quorumEpochResponse } from './quorum-structs.ts';

export const beginQuorumEpoch = defineApi({
  key: 53,
  name: 'BeginQuorumEpoch',
  versions: '0-1',
  flexible: '1+',
  request: {
    clusterId: string('0+', { nullable: '0+', default: null }),
    voterId: int32('1+', { default: -1, ignorable: true }),
    topics: array('0+', {
      topicName: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        voterDirectoryId: uuid('1+', { ignorable: true }),
        leaderId: int32('0+'),
        leaderEpoch: int32('0+'),
      }),
    }),
    leaderEndpoints,
  },
  response: quorumEpochResponse,
});
