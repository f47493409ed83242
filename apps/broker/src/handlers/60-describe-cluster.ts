/**
 * DescribeCluster 0-1: the cluster's id, its controller, and the live brokers at the addresses of the listener that was
 * asked. Controllers are not described on a broker's listener.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { clusterOperations, OPERATIONS_NOT_ASKED } from '../metadata/authorized-operations.ts';
import { controllerFor, reachableBrokers } from '../metadata/listener-endpoints.ts';
import { defineHandler } from './handler.ts';

const EndpointType = { BROKER: 1, CONTROLLER: 2 } as const;

export const describeCluster = defineHandler(
  apis.describeCluster,
  (services) => (request, context, respond) => {
    const { image, clusterId, nodeId } = services.metadata;
    const brokers = reachableBrokers(image, context.listenerName);
    const { endpointType } = request;
    if (endpointType !== EndpointType.BROKER) {
      const known = endpointType === EndpointType.CONTROLLER;
      respond({
        throttleTimeMs: 0,
        errorCode: known ? ErrorCode.MISMATCHED_ENDPOINT_TYPE : ErrorCode.UNSUPPORTED_ENDPOINT_TYPE,
        errorMessage: known
          ? 'This listener is that of a broker.'
          : `There is no endpoint type ${endpointType}.`,
        clusterId: '',
        brokers: [],
      });
      return;
    }
    respond({
      throttleTimeMs: 0,
      errorCode: ErrorCode.NONE,
      endpointType,
      clusterId,
      controllerId: controllerFor(nodeId, brokers),
      brokers: brokers.map(({ id, ...address }) => ({
        brokerId: id,
        ...address,
      })),
      clusterAuthorizedOperations: request.includeClusterAuthorizedOperations
        ? clusterOperations
        : OPERATIONS_NOT_ASKED,
    });
  },
);
