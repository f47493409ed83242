/**
 * Fetch 12-17 on a controller's listener: the metadata log alone, for voters and for the brokers that follow it. A fetch
 * that waits at the leader is answered by the quorum itself, in its time.
 */
import { apis } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';

export const fetchMetadata = defineControllerHandler(
  apis.fetch,
  ({ quorum }) =>
    (request, _context, respond) => {
      quorum.request('fetch', request, respond);
    },
);
