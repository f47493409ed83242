/** EndQuorumEpoch 0-1: the leader gives up its leadership, and names the voters in the order in which they may stand. */
import { apis } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';

export const endQuorumEpoch = defineControllerHandler(
  apis.endQuorumEpoch,
  ({ quorum }) =>
    (request, _context, respond) => {
      quorum.request('endQuorumEpoch', request, respond);
    },
);
