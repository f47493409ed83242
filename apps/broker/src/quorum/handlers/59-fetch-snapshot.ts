/** FetchSnapshot 0-1: a part of a snapshot, for a node whose place in the log is gone. */
import { apis } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';

export const fetchSnapshot = defineControllerHandler(
  apis.fetchSnapshot,
  ({ quorum }) =>
    (request, _context, respond) => {
      quorum.request('fetchSnapshot', request, respond);
    },
);
