/**
 * Cluster id, controller and brokers.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int8, string } from '../schema/field.ts';

export const describeCluster = defineApi({
  key: 60,
  name: 'DescribeCluster',
  versions: '0-1',
  flexible: '0+',
  request: {
    includeClusterAuthorizedOperations: boolean('0+'),
    endpointType: int8('1+', { default: 1 }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
    errorMessage: string('0+', { nullable: '0+', default: null }),
    endpointType: int8('1+', { default: 1 }),
    clusterId: string('0+'),
    controllerId: int32('0+', { default: -1 }),
    brokers: array('0+', {
      brokerId: int32('0+'),
      host: string('0+'),
      port: int32('0+'),
      rack: string('0+', { nullable: '0+', default: null }),
    }),
    clusterAuthorizedOperations: int32('0+', { default: -2147483648 }),
  },
});
