import { describe, expect, it } from 'vitest';
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { CLUSTER_ID } from '../controller/testing/memory-quorum.ts';
import { MemoryBroker } from '../metadata/testing/memory-broker.ts';
import { describeCluster } from './60-describe-cluster.ts';

describe('DescribeCluster', () => {
  it.each([0, 1])('version %i tells cluster, controller and live brokers of the listener', (version) => {
    const broker = new MemoryBroker();
    broker.startBroker(2, { rack: 'r2' });
    broker.startBroker(3);
    broker.fenceBroker(3);
    const client = broker.client(apis.describeCluster, describeCluster);
    expect(client.call(version, { includeClusterAuthorizedOperations: false }, 'DOCKER')).toMatchObject({
      errorCode: 0,
      clusterId: CLUSTER_ID,
      controllerId: 1,
      brokers: [
        { brokerId: 1, host: 'docker-1', port: 9101, rack: null },
        { brokerId: 2, host: 'docker-2', port: 9102, rack: 'r2' },
      ],
      clusterAuthorizedOperations: -2147483648,
    });
  });

  it('tells operations to those who ask', () => {
    const client = new MemoryBroker().client(apis.describeCluster, describeCluster);
    expect(client.call(1, { includeClusterAuthorizedOperations: true }).clusterAuthorizedOperations).toBe(
      8096,
    );
  });

  it.each([
    [2, ErrorCode.MISMATCHED_ENDPOINT_TYPE],
    [7, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE],
  ])('refuses endpoint type %i', (endpointType, errorCode) => {
    const client = new MemoryBroker().client(apis.describeCluster, describeCluster);
    const answer = client.call(1, { includeClusterAuthorizedOperations: false, endpointType });
    expect(answer).toMatchObject({ errorCode, brokers: [] });
  });
});
