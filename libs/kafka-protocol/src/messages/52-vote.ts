/**
 * A controller asks the others to elect it for an epoch; with `preVote`, whether they would, which binds nobody. The vote
 * goes by whose log is further: its last epoch first, then its end.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int64, string, uuid } from '../schema/field.ts';
import { leadership, nodeEndpoints } from './quorum-structs.ts';

export const vote = defineApi({
  key: 52,
  name: 'Vote',
  versions: '0-2',
  flexible: '0+',
  request: {
    clusterId: string('0+', { nullable: '0+', default: null }),
    voterId: int32('1+', { default: -1, ignorable: true }),
    topics: array('0+', {
      topicName: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        replicaEpoch: int32('0+'),
        replicaId: int32('0+'),
        replicaDirectoryId: uuid('1+', { ignorable: true }),
        voterDirectoryId: uuid('1+', { ignorable: true }),
        lastOffsetEpoch: int32('0+'),
        lastOffset: int64('0+'),
        preVote: boolean('2+'),
      }),
    }),
  },
  response: {
    errorCode: int16('0+'),
    topics: array('0+', {
      topicName: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        errorCode: int16('0+'),
        ...leadership,
        voteGranted: boolean('0+'),
      }),
    }),
    nodeEndpoints,
  },
});
