/**
 * A part of a metadata snapshot, by byte position. `unalignedRecords` may begin and end anywhere within a batch: only the
 * whole snapshot is made of batches.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, records, string, struct, uuid } from '../schema/field.ts';
import { leadership, nodeEndpoints } from './quorum-structs.ts';

export const fetchSnapshot = defineApi({
  key: 59,
  name: 'FetchSnapshot',
  versions: '0-1',
  flexible: '0+',
  request: {
    clusterId: string('0+', { nullable: '0+', default: null, tag: 0 }),
    replicaId: int32('0+', { default: -1 }),
    maxBytes: int32('0+', { default: 0x7fffffff }),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partition: int32('0+'),
        currentLeaderEpoch: int32('0+'),
        snapshotId: struct('0+', {
          endOffset: int64('0+'),
          epoch: int32('0+'),
        }),
        position: int64('0+'),
        replicaDirectoryId: uuid('1+', { tag: 0, ignorable: true }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32('0+', { ignorable: true }),
    errorCode: int16('0+'),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        index: int32('0+'),
        errorCode: int16('0+'),
        snapshotId: struct('0+', {
          endOffset: int64('0+'),
          epoch: int32('0+'),
        }),
        currentLeader: struct('0+', leadership, { tag: 0 }),
        size: int64('0+'),
        position: int64('0+'),
        unalignedRecords: records('0+'),
      }),
    }),
    nodeEndpoints,
  },
});
