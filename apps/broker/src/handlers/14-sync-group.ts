/**
 * SyncGroup: a member asks for what it was assigned and waits; the leader brings the assignments of all. From version
 * 5 on the protocol is stated both ways, and must be the one in force.
 */
import { apis } from '@seatlog/kafka-protocol';
import { defineHandler } from './handler.ts';

export const syncGroup = defineHandler(apis.syncGroup, ({ groups }) => (request, _context, respond) => {
  groups.ask('sync', request, ({ type: _type, ...answer }) => respond(answer));
});
