/** Vote 0-2: another voter stands for election, or asks (from version 2 on) whether it would have this one's vote. */
import { apis } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';

export const vote = defineControllerHandler(apis.vote, ({ quorum }) => (request, _context, respond) => {
  quorum.request('vote', request, respond);
});
