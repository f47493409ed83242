/** Heartbeat: a member says that it is there, and learns whether its group shares out anew. */
import { apis } from '@seatlog/kafka-protocol';
import { defineHandler } from './handler.ts';

export const heartbeat = defineHandler(apis.heartbeat, ({ groups }) => (request, _context, respond) => {
  groups.ask('heartbeat', request, ({ errorCode }) => respond({ errorCode }));
});
