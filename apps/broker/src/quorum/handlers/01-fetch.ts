/**
 * Fetch 12-17 on a controller's listener: the metadata log alone, for voters and for the brokers that follow it. A fetch
 * that waits at the leader is answered by the quorum itself, in its time.
 */
import { apis } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';

/** So long a wait is cut to this: whoever asked may be gone meanwhile, and is not forgotten before. */
const LONGEST_WAIT_MS = 10_000;

export const fetchMetadata = defineControllerHandler(
  apis.fetch,
  ({ quorum }) =>
    (request, _context, respond) => {
      const maxWaitMs = Math.min(request.maxWaitMs, LONGEST_WAIT_MS);
      quorum.request('fetch', { ...request, maxWaitMs }, respond);
    },
);
