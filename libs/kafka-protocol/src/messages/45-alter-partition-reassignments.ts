/**
 * Moves partitions to other replicas; null for the replicas cancels the move that a partition is in. The answer says
 * that the move has begun: `ListPartitionReassignments` tells what is under way.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, string } from '../schema/field.ts';

export const alterPartitionReassignments = defineApi({
  key: 45,
  name: 'AlterPartitionReassignments',
  versions: '0-1',
  flexible: '0+',
  request: {
    timeoutMs: int32('0+', { default: 60_000 }),
    allowReplicationFactorChange: boolean('1+', { default: true }),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        replicas: array('0+', 'int32', { nullable: '0+', default: null }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    allowReplicationFactorChange: boolean('1+', { default: true, ignorable: true }),
    errorCode: int16('0+'),
    errorMessage: string('0+', { nullable: '0+' }),
    responses: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        errorCode: int16('0+'),
        errorMessage: string('0+', { nullable: '0+' }),
      }),
    }),
  },
});
