/** BeginQuorumEpoch 0-1: a voter that was elected says so. */
import { apis } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';

export const beginQuorumEpoch = defineControllerHandler(
  apis.beginQuorumEpoch,
  ({ quorum }) =>
    (request, _context, respond) => {
      quorum.request('beginQuorumEpoch', request, respond);
    },
);
