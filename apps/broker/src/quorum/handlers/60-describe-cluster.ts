/** DescribeCluster 0-1 on a controller's listener: the voters at their addresses; it does not describe brokers. */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';
import { clusterOperations, OPERATIONS_NOT_ASKED } from '../../metadata/authorized-operations.ts';

const CONTROLLER_ENDPOINTS = 2;

export const describeControllers = defineControllerHandler(
  apis.describeCluster,
  ({ metadata }) =>
    (request, _context, respond) => {
      const { endpointType } = request;
      if (endpointType !== CONTROLLER_ENDPOINTS) {
        respond({
          throttleTimeMs: 0,
          errorCode: ErrorCode.MISMATCHED_ENDPOINT_TYPE,
          errorMessage: 'This listener is that of a controller.',
          endpointType,
          clusterId: '',
          brokers: [],
        });
        return;
      }
      respond({
        throttleTimeMs: 0,
        errorCode: ErrorCode.NONE,
        endpointType,
        clusterId: metadata.clusterId,
        controllerId: metadata.controllerId,
        brokers: metadata.voters.map(({ id, host, port }) => ({ brokerId: id, host, port, rack: null })),
        clusterAuthorizedOperations: request.includeClusterAuthorizedOperations
          ? clusterOperations
          : OPERATIONS_NOT_ASKED,
      });
    },
);
