/**
 * BrokerRegistration 0-4: a broker's process gets the epoch that all its later requests carry. Sent twice by the same
 * incarnation, it gets the same epoch (F23). A broker of another cluster is refused with INCONSISTENT_CLUSTER_ID.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';

const NONE = -1;

export const brokerRegistration = defineControllerHandler(
  apis.brokerRegistration,
  ({ metadata, controller }) =>
    (request, _context, respond) => {
      if (request.clusterId !== metadata.clusterId) {
        respond({ throttleTimeMs: 0, errorCode: ErrorCode.INCONSISTENT_CLUSTER_ID, brokerEpoch: NONE });
        return;
      }
      const { brokerId, incarnationId, listeners, features, rack, logDirs, previousBrokerEpoch } = request;
      controller.register(
        { brokerId, incarnationId, endpoints: listeners, features, rack, logDirs, previousBrokerEpoch },
        (outcome) => {
          const { errorCode, brokerEpoch } =
            outcome.kind === 'committed' ? outcome.answer : { ...outcome, brokerEpoch: NONE };
          respond({ throttleTimeMs: 0, errorCode, brokerEpoch });
        },
      );
    },
);
