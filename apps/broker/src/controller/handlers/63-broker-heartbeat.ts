/** BrokerHeartbeat 0-2: a broker is there, and asks to be unfenced or to stop. See `heartbeat-decision.ts`. */
import { apis } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';

export const brokerHeartbeat = defineControllerHandler(
  apis.brokerHeartbeat,
  ({ controller }) =>
    (request, _context, respond) => {
      controller.heartbeat(request, (outcome) => {
        if (outcome.kind === 'failed') {
          respond({ throttleTimeMs: 0, errorCode: outcome.errorCode, shouldShutDown: false });
          return;
        }
        const { errorCode, isCaughtUp, isFenced, shouldShutDown } = outcome.answer;
        respond({ throttleTimeMs: 0, errorCode, isCaughtUp, isFenced, shouldShutDown });
      });
    },
);
